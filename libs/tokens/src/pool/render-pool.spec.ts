import { QWEN3_FOLDER, readQwen3 } from '../fixtures/qwen3';
import { PartMaker } from '../prompt/part-maker';
import { wholeOf } from '../prompt/part-request';
import { RenderPool } from './render-pool';

const nameOf = (content: unknown): string =>
  JSON.stringify(wholeOf({ messages: [{ role: 'user', content }], tools: [], kwargs: {} }));

describe('RenderPool', () => {
  let pool: RenderPool;

  beforeAll(async () => {
    pool = new RenderPool(QWEN3_FOLDER, 2);
    await expect(pool.grouping).resolves.toEqual({ isFirstApart: true, hasSteps: true });
  });
  afterAll(() => pool.close());

  it('makes parts and encodes texts as is done without threads', async () => {
    const maker = new PartMaker(readQwen3());
    const names = ['hi', 'how are you?', '你好'].map(nameOf);
    const all = await Promise.all([pool.parts(names), ...names.map((name) => pool.parts([name]))]);
    const expected = names.map((name) => maker.make(name));
    expect(all[0]).toEqual(expected);
    expect(all.slice(1).flat()).toEqual(expected);
    await expect(pool.encode(['a b', 'c'])).resolves.toEqual(['a b', 'c'].map((text) => maker.encode(text)));
  });

  it('says that its threads cannot read the model', async () => {
    const broken = new RenderPool('/no/such/folder', 1);
    await expect(broken.grouping).rejects.toThrow('the render worker could not be started');
    await expect(broken.parts([nameOf('hi')])).rejects.toThrow('there is no render worker');
    await broken.close();
  });

  it('says that a part cannot be rendered, and goes on', async () => {
    await expect(pool.parts([nameOf(7)])).rejects.toThrow('InvalidContentError');
    await expect(pool.parts([nameOf('hi')])).resolves.toHaveLength(1);
  });
});
