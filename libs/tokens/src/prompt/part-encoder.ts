import { LRUCache } from 'lru-cache';
import type { OwnSegments } from './prompt-memory';
import type { Encoded, SegmentEncoder } from './segment-encoder';

/** A part of a prompt's text in tokens, and the segments that they were encoded in. */
interface EncodedPart extends Encoded {
  readonly segments: readonly string[];
}

/** Ids that are kept of parts. */
const MOST_KEPT_IDS = 4_000_000;

/** One after the other. */
const joinEncoded = (pieces: readonly Encoded[]): Encoded => ({
  ids: pieces.flatMap(({ ids }) => ids),
  json: pieces.map(({ json }) => json).join(','),
});

/**
 * Encodes a prompt part by part, and keeps what it has encoded: a part that comes again costs a look-up, however long it is.
 * Equal to encoding the whole, since parts are only told apart where one begins with an added token.
 */
export class PartEncoder {
  private readonly kept = new LRUCache<string, EncodedPart>({
    maxSize: MOST_KEPT_IDS,
    sizeCalculation: ({ ids }) => ids.length + 1,
  });

  constructor(private readonly encoder: SegmentEncoder) {}

  /** The parts in tokens, with the engine's own for the segments that it wrote in others; and the text's last segment. */
  encode(parts: readonly string[], own: OwnSegments): { pieces: readonly Encoded[]; last: string } {
    const encoded = this.separable(parts).map((part) => this.encodePart(part));
    const pieces = encoded.flatMap((part): Encoded[] =>
      part.segments.some((segment) => own.has(segment))
        ? part.segments.map((segment) => own.get(segment) ?? this.encoder.encode(segment))
        : [part],
    );
    return { pieces, last: encoded.at(-1)?.segments.at(-1) ?? '' };
  }

  /** A merge may reach over the border of two parts unless the second begins with an added token. */
  private separable(parts: readonly string[]): readonly string[] {
    const [, ...others] = parts;
    return others.every((part) => this.encoder.beginsWithBorder(part)) ? parts : [parts.join('')];
  }

  private encodePart(part: string): EncodedPart {
    const known = this.kept.get(part);
    if (known !== undefined) return known;
    const segments = this.encoder.split(part);
    const encoded = { segments, ...joinEncoded(segments.map((segment) => this.encoder.encode(segment))) };
    this.kept.set(part, encoded);
    return encoded;
  }
}
