import type { UpstreamClient } from '@app/engines';
import { readRequest, RenderError, type Prompt } from '@app/tokens';
import { EnginePrompts, saysSampling } from './engine-prompts';

/** An engine that makes these tokens of every chat, and this text of every token list. */
const engineThat = (tokens: unknown, text = '') => {
  const asked: { path: string; body: Record<string, unknown> }[] = [];
  const client = {
    request: (_method: string, path: string, { body }: { body: string }) => {
      asked.push({ path, body: JSON.parse(body) as Record<string, unknown> });
      const answer = JSON.stringify(path === '/tokenize' ? { tokens } : { text });
      return Promise.resolve({ status: tokens === null ? 404 : 200, body: { text: () => Promise.resolve(answer) } });
    },
  } as unknown as UpstreamClient;
  return { asked, prompts: new EnginePrompts(client, 'policy') };
};

const render = (prompts: EnginePrompts, body: object, parent: string | null = null, turnId = 'one'): Promise<Prompt> =>
  prompts.begin(readRequest({ ...body }).source)({ turnId, parent });
const messages = [{ role: 'user', content: 'hi' }];

describe('EnginePrompts', () => {
  it('has the engine render what a chat would render', async () => {
    const { asked, prompts } = engineThat([1, 2, 3]);
    const tools = [{ type: 'function', function: { name: 'ls' } }];
    const prompt = await render(prompts, { messages, tools, reasoning_effort: 'none' });
    expect(asked[0]).toEqual({
      path: '/tokenize',
      body: { model: 'policy', messages, tools, chat_template_kwargs: { thinking: false, enable_thinking: false } },
    });
    expect(prompt).toMatchObject({ ids: Int32Array.of(1, 2, 3), drift: 'new' });
    expect(Buffer.from(prompt.json).toString()).toBe('[1,2,3]');
  });

  it.each([
    ['<|im_start|>assistant\n<think>\n', true],
    ['<|im_start|>assistant\n', false],
  ])('knows whether a prompt that ends in %j opens a thought, and asks once for each end', async (text, inside) => {
    const { asked, prompts } = engineThat([1, 2, 3], text);
    for (const turnId of ['one', 'two']) {
      expect((await render(prompts, { messages }, null, turnId)).insideThought).toBe(inside);
    }
    const ends = asked.filter(({ path }) => path === '/detokenize').map(({ body }) => body);
    expect(ends).toEqual([{ model: 'policy', tokens: [1, 2, 3], skip_special_tokens: false }]);
  });

  it('says how a prompt stands to the turn that it continues', async () => {
    const { prompts } = engineThat([1, 2, 3, 4]);
    const drift = async (parent: string) => (await render(prompts, { messages }, parent, parent)).drift;
    await render(prompts, { messages });
    prompts.remember('one', 'chain', []);
    expect(await drift('chain')).toBe('clean');
    prompts.remember('chain', 'longer', [9]);
    expect(await drift('longer')).toBe('forked');
    prompts.forget('longer');
    prompts.remember('longer', 'forgotten', []);
    expect(await drift('forgotten')).toBe('new');
  });

  it.each([[null], [[]], [['1']], ['x']])('fails where the engine gives no tokens: %j', async (tokens) => {
    await expect(render(engineThat(tokens).prompts, { messages })).rejects.toThrow(RenderError);
  });

  it.each([
    [{ temperature: 0.6, topP: 0.95, topK: -1 }, true],
    [{ temperature: 0.6, topP: null, topK: -1 }, false],
  ])('needs all of the sampling: %j', (sampling, says) => {
    expect(saysSampling(sampling)).toBe(says);
  });
});
