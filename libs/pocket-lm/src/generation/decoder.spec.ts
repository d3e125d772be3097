import { scoreSequences } from '../model/score';
import { seededRandom } from '../runtime/random';
import { someIds, TINY, tinyMachine } from '../testing/tiny-model';
import { Decoder } from './decoder';
import { generateAll, type Generation } from './generate';
import { logSoftmax } from './sampling';

const generation = (seed: number, options: Partial<Generation> = {}): Generation => ({
  prompt: someIds(seed, 3 + (seed % 5)),
  maxTokens: 12,
  random: seededRandom(seed),
  temperature: 0.8,
  topP: 1,
  topK: -1,
  ...options,
});

const NEVER = -1;

describe('Decoder', () => {
  it('foresees the same with a cache, token by token, as at once', () => {
    const machine = tinyMachine(1);
    const decoder = new Decoder(machine, 2);
    const ids = someIds(1, 20);
    const stream = decoder.open();
    const [whole] = decoder.extend([{ stream: decoder.open(), ids }]);
    const steps = ids.map((id) => decoder.extend([{ stream, ids: [id] }])[0]!);
    expect(steps.at(-1)).toEqual(whole);
  });

  it('gives the log-probs that training finds for the same tokens', () => {
    const machine = tinyMachine(2);
    const generations = Array.from({ length: 7 }, (_, seed) => generation(seed));
    const answers = generateAll(new Decoder(machine, 3), generations, NEVER);
    const { logProbs } = scoreSequences(
      machine,
      answers.map(({ ids }, at) => ({
        ids: [...generations[at]!.prompt, ...ids],
        from: generations[at]!.prompt.length,
      })),
    );
    answers.forEach((answer, at) => {
      answer.logProbs.forEach((logProb, i) => {
        expect(Math.abs(logProb - logProbs[at]![i]!)).toBeLessThan(1e-5);
      });
    });
  });

  it('sees new parameters at the next token', () => {
    const machine = tinyMachine(3);
    const other = tinyMachine(4);
    const ids = someIds(3, 6);
    machine.parameters.write(other.parameters.read());
    const [decoder, same] = [new Decoder(machine, 1), new Decoder(other, 1)];
    expect(decoder.extend([{ stream: decoder.open(), ids }])).toEqual(same.extend([{ stream: same.open(), ids }]));
  });

  it('refuses a stream too many, and a stream that outgrows the context', () => {
    const decoder = new Decoder(tinyMachine(1), 1);
    const stream = decoder.open();
    expect(() => decoder.open()).toThrow('all 1 streams are taken');
    decoder.extend([{ stream, ids: someIds(1, TINY.context) }]);
    expect(() => decoder.extend([{ stream, ids: [1] }])).toThrow('1 tokens do not fit behind 48');
    decoder.close(stream);
    expect(decoder.open().length).toBe(0);
  });
});

describe('generateAll', () => {
  it('draws the same for a seed, whoever runs beside it', () => {
    const machine = tinyMachine(5);
    const [alone] = generateAll(new Decoder(machine, 1), [generation(9)], NEVER);
    const crowd = [1, 2, 3, 4].map((seed) => generation(seed, { maxTokens: 2 + seed }));
    const together = generateAll(new Decoder(machine, 2), [...crowd, generation(9)], NEVER);
    expect(together.at(-1)).toEqual(alone);
    expect(together.map(({ ids }) => ids.length)).toEqual([3, 4, 5, 6, 12]);
  });

  it('ends with the stop token, which belongs to the answer', () => {
    const machine = tinyMachine(6);
    const [free] = generateAll(new Decoder(machine, 1), [generation(1)], NEVER);
    const stop = free!.ids[4]!;
    const [stopped] = generateAll(new Decoder(machine, 1), [generation(1)], stop);
    expect(stopped!.stopped).toBe(true);
    expect(stopped!.ids).toEqual(free!.ids.slice(0, free!.ids.indexOf(stop) + 1));
  });
});

describe('logSoftmax', () => {
  it('sums up to one', () => {
    const sum = logSoftmax(Float32Array.from([100, -3, 99, 0])).reduce(
      (total, logProb) => total + Math.exp(logProb),
      0,
    );
    expect(sum).toBeCloseTo(1, 12);
  });
});
