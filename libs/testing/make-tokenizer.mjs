// Trains the engine double's byte-level BPE and prints it in Hugging Face's tokenizer.json layout:
//   node libs/testing/make-tokenizer.mjs TEXTFILE... > libs/testing/src/engine-double/tokenizer.json
// Any English text with some Markdown and JSON in it will do; the result is committed, so nothing depends on the corpus.
import { readFileSync } from 'node:fs';

const VOCABULARY = 1024;
const SPECIALS = [
  ['<|endoftext|>', true],
  ['<|im_start|>', true],
  ['<|im_end|>', true],
  ['<think>', false],
  ['</think>', false],
  ['<tool_call>', false],
  ['</tool_call>', false],
];
const SPLIT = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;

// GPT-2's table: printable bytes stand for themselves, the others for characters from U+0100 on.
const printable = (byte) => (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || (byte >= 174 && byte <= 255);
const bytes = [...Array(256).keys()];
const hidden = bytes.filter((byte) => !printable(byte));
const symbolOf = bytes.map((byte) => String.fromCodePoint(printable(byte) ? byte : 256 + hidden.indexOf(byte)));

const words = new Map();
for (const file of process.argv.slice(2)) {
  for (const [word] of readFileSync(file, 'utf8').matchAll(SPLIT)) words.set(word, (words.get(word) ?? 0) + 1);
}
const corpus = [...words]
  .filter(([word]) => [...word].every((char) => char.codePointAt(0) < 128))
  .map(([word, count]) => ({ symbols: [...Buffer.from(word)].map((byte) => symbolOf[byte]), count }));

const tokens = bytes.map((byte) => symbolOf[byte]);
const merges = [];
while (tokens.length < VOCABULARY - SPECIALS.length) {
  const pairs = new Map();
  for (const { symbols, count } of corpus) {
    for (let at = 1; at < symbols.length; at++) {
      const pair = `${symbols[at - 1]} ${symbols[at]}`;
      pairs.set(pair, (pairs.get(pair) ?? 0) + count);
    }
  }
  const ranked = [...pairs].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const best = ranked.find(([pair]) => !tokens.includes(pair.replace(' ', '')));
  if (!best) break;
  const [left, right] = best[0].split(' ');
  merges.push(best[0]);
  tokens.push(left + right);
  for (const entry of corpus) {
    const merged = [];
    for (const symbol of entry.symbols) {
      if (symbol === right && merged.at(-1) === left) merged[merged.length - 1] = left + right;
      else merged.push(symbol);
    }
    entry.symbols = merged;
  }
}

const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: true };
const tokenizer = {
  version: '1.0',
  truncation: null,
  padding: null,
  added_tokens: SPECIALS.map(([content, special], at) => ({
    id: tokens.length + at,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special,
  })),
  normalizer: null,
  pre_tokenizer: byteLevel,
  post_processor: byteLevel,
  decoder: byteLevel,
  model: {
    type: 'BPE',
    dropout: null,
    unk_token: null,
    continuing_subword_prefix: null,
    end_of_word_suffix: null,
    fuse_unk: false,
    byte_fallback: false,
    ignore_merges: false,
    vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
    merges,
  },
};
process.stdout.write(JSON.stringify(tokenizer, null, 2) + '\n');
