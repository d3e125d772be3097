import fc from 'fast-check';
import { GenerateReader, withoutLogProbs, type GeneratedPiece } from './generate-reader';

type Entry = [number | null, number, null];

const IDS = [5, 6, 5, 7];
const LOG_PROBS = [-0.5, -0.25, -1, 0];
const entry = (i: number): Entry => [LOG_PROBS[i]!, IDS[i]!, null];

const TEXT = new Map(IDS.map((id) => [id, `<${id}>`]));

const piece = (ids: readonly number[], entries: readonly Entry[], more: object = {}) => ({
  text: ids.map((id) => TEXT.get(id)).join(''),
  output_ids: ids,
  meta_info: { completion_tokens: ids.length, finish_reason: null, output_token_logprobs: entries, ...more },
});

const END = { finish_reason: { type: 'stop', matched: 7 }, prompt_tokens: 3, cached_tokens: 2, weight_version: 'v2' };

const read = (pieces: readonly object[]) => {
  const reader = new GenerateReader();
  const got = pieces.map((each) => reader.add(each as Record<string, unknown>));
  const all = <T>(of: (each: GeneratedPiece) => readonly T[]): T[] => got.flatMap((each) => [...of(each)]);
  return { reader, got, ids: all(({ ids }) => ids), logProbs: all(({ logProbs }) => logProbs) };
};

/** A stream cut after so many tokens, in both of an engine's ways. */
const cumulative = (cuts: readonly number[]) =>
  cuts.map((end) =>
    piece(
      IDS.slice(0, end),
      IDS.slice(0, end).map((_, i) => entry(i)),
      end === IDS.length ? END : {},
    ),
  );
const incremental = (cuts: readonly number[]) =>
  cuts.map((end, k) => {
    const from = cuts[k - 1] ?? 0;
    const entries = IDS.slice(from, end).map((_, i) => entry(from + i));
    return piece(IDS.slice(from, end), entries, { completion_tokens: end, ...(end === IDS.length ? END : {}) });
  });

/** As an SGLang of 2025 with `--stream-output`: only the ids are new. */
const newIdsAlone = (cuts: readonly number[]) =>
  cumulative(cuts).map((each, k) => ({
    ...each,
    output_ids: each.output_ids.slice(cuts[k - 1] ?? 0),
    meta_info: { ...each.meta_info, completion_tokens: cuts[k] },
  }));
/** As an SGLang of early 2025: ids stand in the log-probs alone. */
const withoutIds = (cuts: readonly number[]) => cumulative(cuts).map(({ text, meta_info }) => ({ text, meta_info }));

/** Pieces as they are read off the wire: once a stream is known to repeat itself, without what the last one repeats. */
const asRead = (pieces: readonly object[]): object[] =>
  pieces.map((each, k) => (k < 2 ? each : (JSON.parse(withoutLogProbs(JSON.stringify(each))) as object)));

const cutting = fc
  .uniqueArray(fc.integer({ min: 1, max: IDS.length - 1 }))
  .map((cuts) => [...cuts.sort((a, b) => a - b), IDS.length]);

describe('GenerateReader', () => {
  it('reads the same from every cut of a stream, whatever its pieces repeat', () => {
    fc.assert(
      fc.property(cutting, (cuts) => {
        const ways = [cumulative(cuts), incremental(cuts), newIdsAlone(cuts), withoutIds(cuts)];
        for (const pieces of [...ways, ...[cumulative, newIdsAlone, withoutIds].map((way) => asRead(way(cuts)))]) {
          const { reader, got, ids, logProbs } = read(pieces);
          expect([ids, logProbs, reader.isContradictory]).toEqual([IDS, LOG_PROBS, false]);
          expect(got.map(({ text }) => text).join('')).toBe('<5><6><5><7>');
          expect(got.at(-1)!.finish).toEqual({ type: 'stop', stopText: null });
          expect(reader.usage).toEqual({ promptTokens: 3, completionTokens: 4, cachedTokens: 2 });
          expect(reader.weightVersion).toBe('v2');
        }
      }),
    );
  });

  it('knows a stream that repeats itself', () => {
    expect(read(cumulative([2, 4])).reader.isCumulative).toBe(true);
    expect(read(newIdsAlone([2, 4])).reader.isCumulative).toBe(true);
    expect(read(withoutIds([2, 4])).reader.isCumulative).toBe(true);
    expect(read(incremental([2, 4])).reader.isCumulative).toBe(false);
    expect(read(incremental([2, 4]).concat(piece([], [], { completion_tokens: 4 }))).ids).toEqual(IDS);
  });

  it('takes log-probs that only the last piece has', () => {
    const [first, last] = cumulative([2, 4]) as [object, object];
    const { logProbs, reader } = read([{ ...first, meta_info: { completion_tokens: 2 } }, last]);
    expect([logProbs, reader.isContradictory]).toEqual([LOG_PROBS, false]);
  });

  it('takes ids from the log-probs where there are no others', () => {
    const whole = piece(
      IDS,
      IDS.map((_id, i) => entry(i)),
      END,
    );
    expect(read([{ meta_info: whole.meta_info }]).ids).toEqual(IDS);
  });

  it.each([
    ['log-probs of other ids', [piece([5, 6], [entry(0), [-1, 9, null]])]],
    ['a count that is not that of the ids', [piece([5], [entry(0)]), piece([6], [entry(1)], { completion_tokens: 3 })]],
  ])('notes %s', (_, pieces) => {
    expect(read(pieces).reader.isContradictory).toBe(true);
  });

  it('leaves log-probs short where some are missing, and keeps a hole where one is no number', () => {
    expect(read([piece([5, 6], [entry(0)])]).logProbs).toHaveLength(0);
    expect(read([piece([5], [[null, 5, null]])]).logProbs).toEqual([null]);
  });

  it('says why it ended, by which text, and hands an error on', () => {
    const { got } = read([
      piece([5], [entry(0)], { finish_reason: { type: 'stop', matched: 'END' } }),
      { error: { message: 'm' } },
    ]);
    expect(got[0]!.finish).toEqual({ type: 'stop', stopText: 'END' });
    expect(got[1]!).toMatchObject({ ids: [], text: '', finish: null, error: { message: 'm' } });
  });

  it.each([
    [{}],
    [{ meta_info: 7, output_ids: 'x' }],
    [{ meta_info: { output_token_logprobs: [7], finish_reason: 'x' } }],
  ])('never throws on odd pieces: %j', (odd) => {
    expect(() => read([odd])).not.toThrow();
  });
});

describe('withoutLogProbs', () => {
  const text = (more: object = {}, space?: number) =>
    JSON.stringify(piece([5, 6], [entry(0), entry(1)], more), null, space);

  it.each([undefined, 1])('takes them out of a piece that is not the last, and nothing else (spaces: %s)', (space) => {
    const meant = piece([5, 6], []);
    const given = space === undefined ? text() : text().replaceAll(':', ': ');
    expect(JSON.parse(withoutLogProbs(given))).toEqual(meant);
  });

  it('leaves the last piece, one without any, and one without other ids, as it is', () => {
    expect(withoutLogProbs(text(END))).toBe(text(END));
    const [old] = withoutIds([2, 4]).map((each) => JSON.stringify(each));
    expect(withoutLogProbs(old!)).toBe(old);
    const bare = JSON.stringify(piece([], []));
    expect(withoutLogProbs(bare)).toBe(bare);
  });
});
