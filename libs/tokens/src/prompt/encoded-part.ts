import type { Grouping } from './part-request';

/** A part of a prompt in tokens, and the segments, from added token to added token, that they were encoded in. */
export interface EncodedPart {
  readonly segments: readonly string[];
  readonly ids: Int32Array;
  /** Where each segment's ids end. */
  readonly idEnds: readonly number[];
  /** The ids as they are written in JSON, with commas between them. */
  readonly json: Uint8Array;
  /** Where each segment's ids end there. */
  readonly jsonEnds: readonly number[];
}

/** Token ids, also as they are written in JSON, with commas between them. */
export interface Piece {
  readonly ids: Int32Array;
  readonly json: Uint8Array;
}

export const pieceOf = (ids: readonly number[]): Piece => ({
  ids: Int32Array.from(ids),
  json: Buffer.from(ids.join(','), 'latin1'),
});

/** What renders and encodes parts of prompts. */
export interface PartSource {
  /** How prompts are to be cut for the model's template; null: not at all. */
  readonly grouping: Promise<Grouping | null>;
  /**
   * Parts in tokens, by the JSON of their `PartRequest`; null for one that does not stand by itself.
   * Rejects with a RenderError, or what the template throws.
   */
  parts(names: readonly string[]): Promise<readonly (EncodedPart | null)[]>;
  /** Ids of texts without added tokens. */
  encode(texts: readonly string[]): Promise<readonly (readonly number[])[]>;
}

/** A part with other pieces in the place of some segments; the part as it is where it has none of them. */
export const piecesOf = (part: EncodedPart, own: ReadonlyMap<string, Piece>): readonly Piece[] => {
  const { segments, ids, idEnds, json, jsonEnds } = part;
  if (own.size === 0 || !segments.some((segment) => own.has(segment))) return [part];
  return segments.map((segment, i): Piece => {
    const known = own.get(segment);
    if (known !== undefined) return known;
    const [id, byte] = i === 0 ? [0, 0] : [idEnds[i - 1], (jsonEnds[i - 1] ?? 0) + 1];
    return { ids: ids.subarray(id, idEnds[i]), json: json.subarray(byte, jsonEnds[i]) };
  });
};

const [OPEN, COMMA, CLOSE] = ['[', ',', ']'].map((sign) => sign.charCodeAt(0)) as [number, number, number];

/** One after the other; the JSON with brackets around it. */
export const joinPieces = (all: readonly Piece[]): Piece => {
  const pieces = all.filter(({ ids }) => ids.length > 0);
  const ids = new Int32Array(pieces.reduce((sum, piece) => sum + piece.ids.length, 0));
  // In front of each piece stands a comma or the bracket.
  const json = Buffer.allocUnsafe(pieces.reduce((sum, piece) => sum + piece.json.length + 1, 1));
  let [id, byte] = [0, 0];
  for (const piece of pieces) {
    ids.set(piece.ids, id);
    json[byte] = COMMA;
    json.set(piece.json, byte + 1);
    id += piece.ids.length;
    byte += piece.json.length + 1;
  }
  if (byte === 0) return { ids, json: Buffer.from('[]') };
  json[0] = OPEN;
  json[byte] = CLOSE;
  return { ids, json };
};
