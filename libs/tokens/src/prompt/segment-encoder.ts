import { LRUCache } from 'lru-cache';
import { createTokenizer, type TextTokenizer } from '../model/hugging-face';
import type { ModelFolder } from '../model/model-folder';
import type { Vocabulary } from '../model/vocabulary';

/** Token ids of a piece of text, also as they are written in JSON. */
export interface Encoded {
  readonly ids: readonly number[];
  /** The ids with commas between them. */
  readonly json: string;
}

export const encodedIds = (ids: readonly number[]): Encoded => ({ ids, json: ids.join(',') });

/** Ids that are kept for texts that come again: the same system text and tools stand in every request of an agent. */
const MOST_KEPT_IDS = 4_000_000;

type Json = Readonly<Record<string, unknown>>;

const typesOf = (part: unknown): string[] => {
  const { type, pretokenizers, normalizers } = (part ?? {}) as Json;
  const inner = [pretokenizers, normalizers].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
  return [...(typeof type === 'string' ? [type] : []), ...inner.flatMap(typesOf)];
};

/** Added tokens split a text before anything else does, unless they take spaces beside them along. */
const isSeparable = ({ tokenizer }: ModelFolder): boolean => {
  const added = Array.isArray(tokenizer.added_tokens) ? (tokenizer.added_tokens as Json[]) : [];
  const takesMore = added.some((token) => token.lstrip === true || token.rstrip === true || token.single_word === true);
  const types = [...typesOf(tokenizer.pre_tokenizer), ...typesOf(tokenizer.normalizer)];
  return !takesMore && !types.includes('Metaspace') && !types.includes('Prepend');
};

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/**
 * Encodes texts segment by segment, from added token to added token, and keeps what it has encoded. Equal to encoding
 * the whole text, since no merge reaches over an added token; what stands in every request is encoded once.
 */
export class SegmentEncoder {
  /** Added tokens that split a text before anything else does, the longest first; none for a tokenizer that does not work so. */
  readonly borders: readonly string[];
  private readonly tokenizer: TextTokenizer;
  /** Splits at added tokens; null for a tokenizer that does not work so. */
  private readonly border: RegExp | null;
  private readonly kept = new LRUCache<string, Encoded>({
    maxSize: MOST_KEPT_IDS,
    sizeCalculation: ({ ids }) => ids.length + 1,
  });

  constructor(model: ModelFolder, vocabulary: Vocabulary) {
    this.tokenizer = createTokenizer(model);
    const contents = vocabulary.added.map(({ content }) => content).sort((a, b) => b.length - a.length);
    this.borders = isSeparable(model) ? contents : [];
    this.border = this.borders.length === 0 ? null : new RegExp(`(${this.borders.map(escape).join('|')})`);
  }

  /** The text cut at its added tokens, each a segment of its own. */
  split(text: string): string[] {
    return this.border === null ? [text] : text.split(this.border).filter((segment) => segment !== '');
  }

  /** Ids of one segment. */
  encode(segment: string): Encoded {
    const known = this.kept.get(segment);
    if (known !== undefined) return known;
    const encoded = encodedIds(this.tokenizer.encode(segment, { add_special_tokens: false }).ids);
    this.kept.set(segment, encoded);
    return encoded;
  }
}
