import type { UpstreamClient } from '../upstream-client';
import { EngineAnswerError } from '../engine-errors';
import { chooseRoute } from './choose-route';
import type { ProbeRenderer } from './probe-generate';

const renderer: ProbeRenderer = { isEngine: false, against: () => null, render: () => Promise.resolve([1, 2]) };

/** An engine whose chat has no ids; its answers end so. */
const engineThat = (finish: { readonly chat: string; readonly generate: string }): UpstreamClient => {
  const chat = (stream: boolean): string => {
    const choices = [{ index: 0, delta: { content: 'yes' }, finish_reason: finish.chat }];
    const body = JSON.stringify({ choices, usage: { prompt_tokens: 2 } });
    return stream ? `data: ${body}\n\ndata: [DONE]\n\n` : body;
  };
  const generated = { meta_info: { finish_reason: { type: finish.generate }, output_token_logprobs: [[-1, 5, null]] } };
  return {
    request: (_method: string, path: string, { body }: { body?: string }) => {
      const { stream = false } = JSON.parse(body ?? '{}') as { stream?: boolean };
      const answers: Record<string, string> = {
        '/chat/completions': chat(stream),
        '/generate': JSON.stringify(generated),
        '/server_info': '{}',
      };
      const text = answers[path];
      return Promise.resolve({
        status: text === undefined ? 404 : 200,
        body: { text: () => Promise.resolve(text ?? '') },
      });
    },
  } as unknown as UpstreamClient;
};

describe('chooseRoute', () => {
  const choose = (finish: { chat: string; generate: string }) =>
    chooseRoute(engineThat(finish), { model: null, renderer });

  it('takes what an engine has answered', async () => {
    await expect(choose({ chat: 'length', generate: 'length' })).resolves.toMatchObject({ route: 'generate' });
  });

  it.each([
    ['a chat', { chat: 'abort', generate: 'length' }],
    ['a /generate', { chat: 'length', generate: 'abort' }],
  ])('finds out nothing from %s that the engine let go of', async (_, finish) => {
    await expect(choose(finish)).rejects.toThrow(EngineAnswerError);
  });
});
