import type { ChatMessage } from '@app/chat';
import { readQwen3 } from '../fixtures/qwen3';
import { createTokenizer } from '../model/hugging-face';
import { Vocabulary } from '../model/vocabulary';
import type { ModelFolder } from '../model/model-folder';
import type { PromptSource } from './chat-template';
import type { PartSource } from './encoded-part';
import { partsHere } from './part-maker';
import { PromptRenderer, type Prompt } from './prompt-renderer';

const model = readQwen3();
const tokenizer = createTokenizer(model);
const encode = (text: string): number[] => tokenizer.encode(text, { add_special_tokens: false }).ids;
const END = encode('<|im_end|>');

const rendererOf = (given: ModelFolder, source: PartSource = partsHere(given)): PromptRenderer =>
  new PromptRenderer(new Vocabulary(given), source);
const here = partsHere(model);

const render = (
  renderer: PromptRenderer,
  messages: readonly ChatMessage[],
  { turnId = 'one', parent = null, ...more }: { turnId?: string; parent?: string | null } & Partial<PromptSource> = {},
): Promise<Prompt> => renderer.begin({ messages, tools: [], kwargs: {}, ...more })({ turnId, parent });

const user = (content: string): ChatMessage => ({ role: 'user', content });
const assistant = (content: string, more: object = {}): ChatMessage => ({ role: 'assistant', content, ...more });

describe('PromptRenderer', () => {
  it('begins with the tokens of the turn before where nothing has changed, forks where the template leaves something out', async () => {
    const call = '<tool_call>\n{"name": "exec", "arguments": {"command": "ls"}}\n</tool_call>';
    const calls = [{ id: 'c', type: 'function', function: { name: 'exec', arguments: '{"command":"ls"}' } }];
    const loop = [
      user('hi'),
      assistant('', { tool_calls: calls }),
      { role: 'tool', tool_call_id: 'c', content: 'a b' },
    ];
    // The template shows an empty thought to a model that shall not think, and not in the history.
    const tools = [{ type: 'function', function: { name: 'exec', parameters: { type: 'object' } } }];
    const drifts = [];
    for (const kwargs of [{}, { enable_thinking: false }]) {
      const renderer = rendererOf(model, here);
      const first = await render(renderer, [user('hi')], { tools, kwargs });
      expect(JSON.parse(Buffer.from(first.json).toString())).toEqual(Array.from(first.ids));
      renderer.remember('one', 'chain', [...encode(call), ...END]);
      const second = await render(renderer, loop, { turnId: 'two', parent: 'chain', tools, kwargs });
      drifts.push([first.drift, second.drift]);
    }
    expect(drifts).toEqual([
      ['new', 'clean'],
      ['new', 'forked'],
    ]);
  });

  it('puts in the engine’s own ids where it wrote a text in other tokens', async () => {
    const renderer = rendererOf(model, here);
    const letters = Array.from('hello there').flatMap(encode);
    expect(letters).not.toEqual(encode('hello there'));

    const first = await render(renderer, [user('hi')]);
    renderer.remember('one', 'chain1', [...letters, ...END]);
    const history = [user('hi'), assistant('hello there'), user('and?')];
    const second = await render(renderer, history, { parent: 'chain1', turnId: 'two' });
    expect(second.drift).toBe('realigned');
    expect(Array.from(second.ids)).toEqual([
      ...first.ids,
      ...letters,
      ...END,
      ...encode('\n<|im_start|>user\nand?<|im_end|>\n<|im_start|>assistant\n'),
    ]);

    // Two turns later they are still the engine's own, though the prompt has forked.
    renderer.remember('two', 'chain2', [...encode('More.'), ...END]);
    const forked = [user('changed'), ...history.slice(1), assistant('More.'), user('so?')];
    const third = await render(renderer, forked, { parent: 'chain2', turnId: 'three' });
    expect(third.drift).toBe('forked');
    expect(Array.from(third.ids).join(',')).toContain(letters.join(','));

    // Another conversation does not get them.
    const other = await render(renderer, history, { turnId: 'four' });
    expect(Array.from(other.ids).join(',')).not.toContain(letters.join(','));
  });

  it('keeps the ids of an answer that is no text', async () => {
    const renderer = rendererOf(model, here);
    const [half = 0] = encode('𓀀');
    await render(renderer, [user('hi')]);
    renderer.remember('one', 'chain', [half, ...END]);
    const messages = [user('hi'), assistant('\ufffd'), user('what?')];
    const next = await render(renderer, messages, { turnId: 'two', parent: 'chain' });
    expect([next.drift, Array.from(next.ids).includes(half)]).toEqual(['realigned', true]);
  });

  it('goes on with an answer that was cut off', async () => {
    const renderer = rendererOf(model, here);
    await render(renderer, [user('hi')]);
    renderer.remember('one', 'chain', encode('It is'));
    const messages = [user('hi'), assistant('It is'), user('go on')];
    const next = await render(renderer, messages, { turnId: 'two', parent: 'chain' });
    expect(next.drift).toBe('clean');
  });

  it('says where an answer begins inside a thought, and knows nothing of turns that were forgotten', async () => {
    const renderer = rendererOf({ ...model, template: `${model.template}{{ '<think>\\n' }}` });
    const prompt = await render(renderer, [user('hi')]);
    expect(prompt.insideThought).toBe(true);
    renderer.forget('one');
    renderer.remember('one', 'chain', END);
    const next = await render(renderer, [user('hi')], { turnId: 'two', parent: 'chain' });
    expect(next.drift).toBe('new');
  });

  it('makes of a conversation that goes on what is new, and nothing twice', async () => {
    const asked: string[][] = [];
    const source: PartSource = {
      ...here,
      parts: (names) => {
        asked.push([...names]);
        return here.parts(names);
      },
    };
    const renderer = rendererOf(model, source);
    const system = { role: 'system', content: 'Be brief.' };
    const carrier = user('<<<BEGIN>>> none <<<END>>>');
    const calls = [{ id: 'c', type: 'function', function: { name: 'exec', arguments: '{"command":"ls"}' } }];
    const step = [assistant('', { tool_calls: calls }), { role: 'tool', tool_call_id: 'c', content: 'a b' }];
    const history: ChatMessage[] = [user('hi'), ...step, ...step];
    // What stands at the end of a prompt is asked for first.
    const messagesAsked = (): number[] =>
      asked
        .splice(0)
        .flat()
        .map((name) => (JSON.parse(name) as PromptSource).messages.length);
    await render(renderer, [system, ...history, carrier]);
    expect(messagesAsked()).toEqual([1, 2, 3, 1]);
    for (let turn = 0; turn < 5; turn += 1) {
      history.push(assistant('', { tool_calls: calls }), { role: 'tool', tool_call_id: 'c', content: `more ${turn}` });
      await render(renderer, [system, ...history, carrier]);
      expect(messagesAsked()).toEqual([turn === 0 ? 2 : 3]);
      history.push(assistant(`Done ${turn}.`), user(`and ${turn}?`));
      await render(renderer, [system, ...history, carrier]);
      expect(messagesAsked()).toEqual([1, 1]);
    }
    await render(renderer, [system, user('another one'), carrier]);
    expect(messagesAsked()).toEqual([1]);
    await Promise.all(['a', 'b'].map((turnId) => render(renderer, [system, user('the same'), carrier], { turnId })));
    expect(asked.splice(0).map((names) => names.length)).toEqual([1]);

    // Before anything else is done for the request.
    const inWork = renderer.begin({ messages: [system, user('at once'), carrier], tools: [], kwargs: {} });
    expect(asked).toHaveLength(1);
    await inWork({ turnId: 'last', parent: null });
  });

  it('says today’s date where the template prints it, also in a process that has run for days', async () => {
    jest.useFakeTimers({ now: new Date('2026-03-01T12:00:00') });
    try {
      const dated = { ...model, template: `{{ strftime_now("%d %B") }}\n${model.template}` };
      const renderer = rendererOf(dated);
      const vocabulary = new Vocabulary(model);
      const begins = async (): Promise<string> => {
        const { ids } = await render(renderer, [user('hi'), assistant('yes'), user('and?')]);
        const bytes = Array.from(ids.subarray(0, 8), (id) => vocabulary.bytesOf(id));
        return Buffer.concat(bytes).toString().slice(0, 8);
      };
      await expect(begins()).resolves.toBe('01 March');
      jest.advanceTimersByTime(24 * 3_600_000);
      await expect(begins()).resolves.toBe('02 March');
    } finally {
      jest.useRealTimers();
    }
  });
});
