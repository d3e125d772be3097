import { QWEN3_FOLDER } from '../fixtures/qwen3';
import { RenderPool } from './render-pool';

const body = (messages: readonly object[], more: object = {}): Buffer =>
  Buffer.from(JSON.stringify({ messages, ...more }));
const HI = [{ role: 'user', content: 'hi' }];

describe('RenderPool', () => {
  let pool: RenderPool;

  beforeAll(async () => {
    pool = new RenderPool(QWEN3_FOLDER, 2);
    await expect(pool.ready()).resolves.toEqual(expect.objectContaining({ isGrouped: true }));
  });
  afterAll(() => pool.close());

  it('hands over the ids, as numbers and as JSON, and the request’s other fields', async () => {
    const prompt = await pool.render({ turnId: 'a', parent: null, body: body(HI, { max_tokens: 5, stream: true }) });
    expect(JSON.parse(Buffer.from(prompt.json).toString())).toEqual(Array.from(prompt.ids));
    expect(prompt.ids.length).toBeGreaterThan(5);
    expect(prompt).toMatchObject({ drift: 'new', insideThought: false, fields: { max_tokens: 5, stream: true } });
    expect(prompt.fields).not.toHaveProperty('messages');
  });

  it('finds a conversation’s turns again, whichever thread has them', async () => {
    const talks = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (name) => {
        await pool.render({ turnId: name, parent: null, body: body(HI) });
        pool.remember(name, `chain-${name}`, [9707, 151645]);
        const messages = [...HI, { role: 'assistant', content: 'Hello' }, { role: 'user', content: 'so?' }];
        return pool.render({ turnId: `${name}2`, parent: `chain-${name}`, body: body(messages) });
      }),
    );
    expect(talks.map(({ drift }) => drift)).toEqual(['clean', 'clean', 'clean', 'clean']);
  });

  it('says that its threads cannot read the model', async () => {
    const broken = new RenderPool('/no/such/folder', 1);
    await expect(broken.ready()).rejects.toThrow('the render worker could not be started');
    await expect(async () => broken.render({ turnId: 'z', parent: null, body: body(HI) })).rejects.toThrow(
      'there is no render worker',
    );
    await broken.close();
  });

  it('renders without thoughts or tools where the request wants none', async () => {
    const tools = [{ type: 'function', function: { name: 'ls' } }];
    const render = (more: object) => pool.render({ turnId: 'x', parent: null, body: body(HI, { tools, ...more }) });
    const [plain, chosen, quick] = await Promise.all([
      render({}),
      render({ tool_choice: 'none' }),
      render({ reasoning_effort: 'none' }),
    ]);
    expect(chosen.ids.length).toBeLessThan(plain.ids.length);
    expect(quick.ids.length).toBe(plain.ids.length + 4);
  });

  it('says that a prompt cannot be rendered, and goes on', async () => {
    const broken = body([{ role: 'user', content: 7 }]);
    await expect(pool.render({ turnId: 'y', parent: null, body: broken })).rejects.toThrow('InvalidContentError');
    await expect(pool.render({ turnId: 'y', parent: null, body: body(HI) })).resolves.toMatchObject({ drift: 'new' });
  });
});
