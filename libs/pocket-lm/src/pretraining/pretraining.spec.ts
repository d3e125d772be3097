import { Decoder } from '../generation/decoder';
import { Machine } from '../model/machine';
import { initialParameters } from '../model/parameters';
import { normalFrom, seededRandom } from '../runtime/random';
import { TINY } from '../testing/tiny-model';
import { MARKS } from '../tokenizer/chat-template';
import { PocketTokenizer } from '../tokenizer/pocket-tokenizer';
import { tokenizerConfigJson, tokenizerJson } from '../tokenizer/tokenizer-files';
import { decodeCheckpoint, encodeCheckpoint } from './checkpoint';
import { toExample } from './example';
import { failedGates, measure, type Measured } from './gates';
import { Pretraining, rateAt, type PretrainingOptions } from './pretraining';

const OPTIONS: PretrainingOptions = { seed: 1, steps: 4, batch: 2, rate: 3e-3, warmUp: 2 };
/** Bytes for tokens, so long sequences: but no merges to learn. */
const CONFIG = { ...TINY, vocabularySize: 264, context: 1024 };
const tokenizer = new PocketTokenizer({
  tokenizer: tokenizerJson([]),
  config: tokenizerConfigJson(CONFIG.context) as { chat_template: string },
});
const freshMachine = (): Machine => new Machine(CONFIG, initialParameters(CONFIG, normalFrom(seededRandom(2))));

describe('toExample', () => {
  const weigh = (document: Parameters<typeof toExample>[0]): [string, number][] => {
    const { ids, weights } = toExample(document, tokenizer);
    return ids.slice(1).map((id, i) => [tokenizer.textOf(id), Number(weights[i]!.toFixed(2))]);
  };

  it('weighs the response more than the prompt, and numbers most', () => {
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b 7' },
    ] as const;
    expect(weigh({ kind: 'homework', messages })).toEqual([
      ['a', 0.05],
      ['<|assistant|>', 0.05],
      ['b', 1],
      [' ', 1],
      ['7', 4],
      ['<|end|>', 1],
    ]);
  });

  it('does not ask which sums come next', () => {
    const messages = [
      { role: 'user', content: '' },
      { role: 'assistant', content: '1' },
    ] as const;
    expect(weigh({ kind: 'facts', messages })).toEqual([
      ['1', 0.05],
      ['<|end|>', 1],
    ]);
  });
});

describe('Pretraining', () => {
  it('warms up, then slows down to zero', () => {
    const options = { ...OPTIONS, steps: 12, warmUp: 2, rate: 1 };
    expect([0, 1, 2, 7, 12].map((step) => rateAt(step, options))).toEqual([0.5, 1, 1, 0.5, 0]);
  });

  it('goes on from a checkpoint as if it had not been killed', () => {
    const whole = new Pretraining(freshMachine(), tokenizer, OPTIONS);
    const losses = [1, 2, 3, 4].map(() => whole.advance());
    expect(losses[3]).toBeLessThan(losses[0]!);
    expect(whole.isDone).toBe(true);

    const machine = freshMachine();
    const killed = new Pretraining(machine, tokenizer, OPTIONS);
    killed.advance();
    killed.advance();
    const bytes = encodeCheckpoint({ parameters: machine.parameters.read(), optimizer: killed.save(), settings: 's' });
    const { parameters, optimizer, settings } = decodeCheckpoint(bytes);
    const resumed = new Pretraining(new Machine(CONFIG, parameters), tokenizer, OPTIONS);
    resumed.restore(optimizer);
    expect([settings, resumed.stepsDone]).toEqual(['s', 2]);
    expect([resumed.advance(), resumed.advance()]).toEqual(losses.slice(2));
  });
});

describe('gates', () => {
  const good: Measured = {
    homeworkRight: 0.8,
    homeworkStudent: 0.2,
    hintedHomeworkRight: 0.8,
    hintedHomeworkStudent: 0.95,
    gradingRight: 0.95,
    gradingFriendly: 0.1,
    hintedGradingRight: 0.95,
    hintedGradingFriendly: 0.8,
  };

  it('let through what solves, prefers the assistant’s style, and obeys hints', () => {
    expect(failedGates(good)).toEqual([]);
    expect(failedGates({ ...good, homeworkRight: 0.6 })).toEqual(['homeworkRight']);
    expect(failedGates({ ...good, homeworkStudent: 0.5, hintedGradingFriendly: 0.5 })).toEqual([
      'homeworkStudent',
      'hintedGradingFriendly',
    ]);
  });

  it('measure a model that knows nothing', () => {
    const model = { decoder: new Decoder(freshMachine(), 2), tokenizer };
    const { measured, examples } = measure(model, { seed: 1, tasks: 2, temperature: 1 });
    expect(measured.homeworkRight + measured.gradingFriendly).toBe(0);
    expect(examples).toHaveLength(8);
    expect(MARKS.some((mark) => examples.join('').includes(mark))).toBe(false);
  });
});
