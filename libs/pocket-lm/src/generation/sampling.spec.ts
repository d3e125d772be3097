import { seededRandom } from '../runtime/random';
import { logSoftmax, sampleToken, topIds, type SamplingOptions } from './sampling';

/** Log-probs of 0.4, 0.3, 0.2, 0.1, at ids 2, 0, 3, 1. */
const LOGITS = Float32Array.from([0.3, 0.1, 0.4, 0.2], Math.log);
const ALL: SamplingOptions = { temperature: 1, topP: 1, topK: -1 };

const shares = (options: Partial<SamplingOptions>): number[] => {
  const random = seededRandom(1);
  const counts = [0, 0, 0, 0];
  const draws = 20_000;
  for (let i = 0; i < draws; i += 1) counts[sampleToken(LOGITS, { ...ALL, ...options }, random).id]! += 1 / draws;
  return counts;
};

const expectShares = (options: Partial<SamplingOptions>, expected: number[]): void => {
  shares(options).forEach((share, id) => {
    expect(share).toBeCloseTo(expected[id]!, 1);
  });
};

describe('sampleToken', () => {
  it('draws by probability', () => {
    expectShares({}, [0.3, 0.1, 0.4, 0.2]);
  });

  it('draws sharper at a lower temperature', () => {
    expectShares({ temperature: 0.5 }, [0.3, 0.033, 0.533, 0.133]);
  });

  it('draws among the k most likely', () => {
    expectShares({ topK: 2 }, [3 / 7, 0, 4 / 7, 0]);
  });

  it('draws among the fewest that have the probability', () => {
    expectShares({ topP: 0.7 }, [3 / 7, 0, 4 / 7, 0]);
    expectShares({ topP: 0.71 }, [3 / 9, 0, 4 / 9, 2 / 9]);
  });

  it('cuts by k first, then by probability among these', () => {
    expectShares({ topK: 3, topP: 0.7 }, [3 / 7, 0, 4 / 7, 0]);
    expectShares({ topK: 2, topP: 0.5 }, [0, 0, 1, 0]);
  });

  it('takes the most likely at temperature 0', () => {
    expect(shares({ temperature: 0 })).toEqual([0, 0, expect.closeTo(1), 0]);
  });

  it('says the log-prob before temperature, top-k and top-p', () => {
    const token = sampleToken(LOGITS, { temperature: 0.1, topP: 0.5, topK: 1 }, seededRandom(1));
    expect(token).toEqual({ id: 2, logProb: expect.closeTo(Math.log(0.4), 6) });
  });
});

describe('topIds', () => {
  it('orders by probability, equal ones by id', () => {
    expect(topIds(logSoftmax(Float32Array.from([1, 3, 1, 2])), 4)).toEqual([1, 3, 0, 2]);
  });
});
