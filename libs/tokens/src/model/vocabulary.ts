import { ModelFolderError, type ModelFolder } from './model-folder';

type Json = Readonly<Record<string, unknown>>;

/** A token that the tokenizer knows as a whole, whatever its text is made of. */
export interface AddedToken {
  readonly id: number;
  readonly content: string;
  /** Left out of text that people read. */
  readonly special: boolean;
}

/** The bytes that every token stands for. */
export class Vocabulary {
  readonly added: readonly AddedToken[];
  private readonly addedById: ReadonlyMap<number, AddedToken>;
  private readonly addedTexts: ReadonlySet<string>;
  private readonly textById: readonly (string | undefined)[];
  private readonly toBytes: (token: string) => Uint8Array;
  private readonly known: (Uint8Array | undefined)[] = [];

  /** @throws ModelFolderError for a tokenizer whose tokens are no bytes */
  constructor({ folder, tokenizer }: Pick<ModelFolder, 'folder' | 'tokenizer'>) {
    const model = tokenizer.model as Json | undefined;
    const vocab = model?.vocab;
    if (model?.type !== 'BPE' || typeof vocab !== 'object' || vocab === null) {
      throw new ModelFolderError(folder, 'only BPE tokenizers can be read token by token');
    }
    const toBytes = byteReader(tokenizer.decoder);
    if (toBytes === null) throw new ModelFolderError(folder, 'the decoder of its tokenizer is not known here');
    this.toBytes = toBytes;
    const textById: string[] = [];
    for (const [text, id] of Object.entries(vocab as Record<string, number>)) textById[id] = text;
    this.textById = textById;
    this.added = readAdded(tokenizer.added_tokens);
    this.addedById = new Map(this.added.map((token) => [token.id, token]));
    this.addedTexts = new Set(this.added.map(({ content }) => content));
  }

  /** The added token of this id, null for every other one. */
  addedOf(id: number): AddedToken | null {
    return this.addedById.get(id) ?? null;
  }

  /** Whether a text is an added token. */
  isAdded(text: string): boolean {
    return this.addedTexts.has(text);
  }

  /** The bytes of a token; none for an id that the vocabulary does not have. */
  bytesOf(id: number): Uint8Array {
    return (this.known[id] ??= this.read(id));
  }

  private read(id: number): Uint8Array {
    const added = this.addedById.get(id);
    if (added) return Buffer.from(added.content);
    const text = this.textById[id];
    return text === undefined ? new Uint8Array() : this.toBytes(text);
  }
}

const readAdded = (tokens: unknown): AddedToken[] =>
  (Array.isArray(tokens) ? (tokens as Json[]) : []).map(({ id, content, special }) => ({
    id: id as number,
    content: content as string,
    special: special === true,
  }));

/** GPT-2's table: printable bytes stand for themselves, the others for characters from U+0100 on. */
const byteOfSymbol = (): Map<string, number> => {
  const table = new Map<string, number>();
  let hidden = 0;
  for (let byte = 0; byte < 256; byte += 1) {
    const printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    table.set(String.fromCodePoint(printable ? byte : 256 + hidden++), byte);
  }
  return table;
};

const byteLevel = (): ((token: string) => Uint8Array) => {
  const table = byteOfSymbol();
  return (token) => Uint8Array.from(Array.from(token, (symbol) => table.get(symbol) ?? 0));
};

const BYTE = /^<0x([0-9A-F]{2})>$/;

/** SentencePiece: U+2581 is a space, `<0x0A>` a byte, everything else itself. */
const withByteFallback = (token: string): Uint8Array => {
  const byte = BYTE.exec(token)?.[1];
  return byte === undefined ? Buffer.from(token.replaceAll('▁', ' ')) : Uint8Array.of(Number.parseInt(byte, 16));
};

const byteReader = (decoder: unknown): ((token: string) => Uint8Array) | null => {
  const { type, decoders } = (decoder ?? {}) as { type?: string; decoders?: readonly Json[] };
  if (type === 'ByteLevel') return byteLevel();
  const steps = type === 'Sequence' ? (decoders ?? []).map((step) => step.type) : [];
  if (steps.includes('ByteLevel')) return byteLevel();
  return steps.includes('ByteFallback') ? withByteFallback : null;
};
