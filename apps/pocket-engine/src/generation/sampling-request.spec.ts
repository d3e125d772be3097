import { END_ID } from '@app/pocket-lm';
import { readCount, readRandom, readSampling, readStopIds, tokenBudget } from './sampling-request';

describe('readSampling', () => {
  it('takes SGLang’s defaults, and what is named', () => {
    expect(readSampling({})).toEqual({ temperature: 1, topP: 1, topK: -1 });
    expect(readSampling({ temperature: 0, top_p: 0.5, top_k: 3 })).toEqual({ temperature: 0, topP: 0.5, topK: 3 });
  });

  it.each([
    [{ temperature: '1' }, 'temperature must be a number'],
    [{ temperature: -0.1 }, 'temperature must be at least 0'],
    [{ top_p: 0 }, 'top_p must be above 0'],
    [{ top_p: 1.1 }, 'at most 1'],
    [{ top_k: 1.5 }, 'top_k must be -1 or a whole number'],
  ])('refuses %j', (fields, problem) => {
    expect(() => readSampling(fields)).toThrow(problem);
  });
});

describe('readRandom', () => {
  it('draws the same for a seed, and something else without one', () => {
    const draw = (fields: object): number => readRandom(fields as Record<string, unknown>, 'seed')();
    expect(draw({ seed: 3 })).toBe(draw({ seed: 3 }));
    expect(draw({})).not.toBe(draw({}));
    expect(() => draw({ seed: 0.5 })).toThrow('seed must be a whole number');
  });
});

describe('readStopIds', () => {
  it('ends at the end token unless it is to be ignored, and at those that are named', () => {
    expect([...readStopIds({ stop_token_ids: [7] })]).toEqual([END_ID, 7]);
    expect([...readStopIds({ ignore_eos: true })]).toEqual([]);
    expect(() => readStopIds({ stop_token_ids: 7 })).toThrow('must be a list');
  });
});

describe('tokenBudget', () => {
  it('is what is asked for, or the rest of the context', () => {
    expect(tokenBudget(10, 5, 16)).toBe(5);
    expect(tokenBudget(10, null, 16)).toBe(6);
    expect(tokenBudget(16, 0, 16)).toBe(0);
  });

  it('is refused where it does not fit', () => {
    expect(() => tokenBudget(16, null, 16)).toThrow('longer than the model');
    expect(() => tokenBudget(10, 7, 16)).toThrow('a total of 17 tokens');
    expect(() => readCount({ max_tokens: -1 }, 'max_tokens')).toThrow('from 0 on');
  });
});
