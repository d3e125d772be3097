import { Engine, Job } from './engine';
import { ConnectionCutError, EngineRequestError } from './errors';
import { generate, scoreIds, type Ending, type GenerationRequest, type Step } from './generation';
import type { EngineDoubleSettings } from './options';
import { encode, SPECIAL } from './tokenizer';

const PROMPT = encode('Tell me about the sea.');

const request = (changes: Partial<GenerationRequest> = {}, limits = {}): GenerationRequest => ({
  job: new Job('r1'),
  promptIds: PROMPT,
  topCount: 0,
  sampling: {
    temperature: 1,
    topP: 1,
    topK: -1,
    maxTokens: 100,
    stop: [],
    stopTokenIds: [],
    ignoreEos: false,
    skipSpecialTokens: true,
    keepStop: false,
    ...limits,
  },
  ...changes,
});

async function run(
  asked: GenerationRequest,
  settings: Partial<EngineDoubleSettings> = {},
): Promise<Ending & { steps: Step[]; ids: number[] }> {
  const generation = generate(new Engine(settings), asked);
  const steps: Step[] = [];
  let next = await generation.next();
  while (!next.done) {
    steps.push(next.value);
    next = await generation.next();
  }
  return { ...next.value, steps, ids: steps.map(({ id }) => id) };
}

describe('generate', () => {
  it('says a scripted answer and ends with its end token', async () => {
    const { ids, steps, finish } = await run(request({ answer: { content: 'Blue.' } }));
    expect(ids).toEqual([...encode('Blue.'), SPECIAL.imEnd]);
    expect(steps.map(({ text }) => text).join('')).toBe('Blue.');
    expect(finish).toEqual({ type: 'stop', matched: SPECIAL.imEnd });
  });

  it('says "length" when the end token is the last that fits', async () => {
    const maxTokens = encode('Blue.').length + 1;
    const { ids, finish } = await run(request({ answer: { content: 'Blue.' } }, { maxTokens }));
    expect(ids.at(-1)).toBe(SPECIAL.imEnd);
    expect(finish).toEqual({ type: 'length', length: maxTokens });
  });

  it('gives log-probs that scoring gives as well', async () => {
    const engine = new Engine({});
    const { ids, steps } = await run(request({}, { ignoreEos: true, maxTokens: 30 }));
    const all = [...PROMPT, ...ids];
    const rows = scoreIds(engine, all, PROMPT.length - 1);
    expect(rows[0]).toBeNull();
    expect(rows.slice(1).map((row, at) => row![ids[at]!])).toEqual(steps.map(({ logProb }) => logProb));
  });

  it('draws other tokens with another seed or version, and the likeliest at temperature 0', async () => {
    const limits = { ignoreEos: true, maxTokens: 12 };
    const { ids } = await run(request({}, limits));
    expect((await run(request({}, limits))).ids).toEqual(ids);
    expect((await run(request({}, limits), { seed: 1 })).ids).not.toEqual(ids);
    expect((await run(request({}, limits), { weightVersion: '2' })).ids).not.toEqual(ids);
    const greedy = await run(request({ topCount: 1 }, { ...limits, temperature: 0 }));
    expect(greedy.steps.map(({ top }) => top[0]!.id)).toEqual(greedy.ids);
  });

  it('ends at stop tokens and stop texts', async () => {
    const comma = encode(',')[0]!;
    const byToken = await run(request({ answer: { content: 'a, b' } }, { stopTokenIds: [comma] }));
    expect(byToken.finish).toEqual({ type: 'stop', matched: comma });
    const byText = await run(request({ answer: { content: 'a, b' } }, { stop: [', '] }));
    expect(byText.finish).toEqual({ type: 'stop', matched: ', ' });
    expect(byText.steps.map(({ text }) => text).join('')).toBe('a');
  });

  it('ends as aborted as soon as its job is', async () => {
    const asked = request({ answer: { content: 'x', hold: new Promise(() => undefined) } });
    const running = run(asked);
    asked.job.abort('enough');
    expect((await running).finish).toEqual({ type: 'abort', message: 'enough' });
  });

  it('breaks and fails where the script says', async () => {
    const broken = run(request({ answer: { content: 'x', breakAfterTokens: 1 } }));
    await expect(broken).rejects.toBeInstanceOf(ConnectionCutError);
    const failed = run(request({ answer: { content: 'x', errorAfterTokens: 0, status: 503 } }));
    await expect(failed).rejects.toMatchObject({ name: 'EngineRequestError', status: 503 });
    await expect(failed).rejects.toBeInstanceOf(EngineRequestError);
  });

  it('generates nothing when nothing is asked for', async () => {
    const { ids, finish } = await run(request({}, { maxTokens: 0 }));
    expect(ids).toEqual([]);
    expect(finish).toEqual({ type: 'length', length: 0 });
  });
});
