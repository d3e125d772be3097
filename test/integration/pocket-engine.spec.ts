import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeSafetensors, encodeSafetensors } from '@app/pocket-lm';
import { freePort, runConformance, until } from '@app/testing';
import { POCKET_WEIGHTS, startPocketEngine, type PocketEngine } from '../support/start-pocket-engine';

type Json = Record<string, any>;
type Entry = [number | null, number, string | null];

const ASK = [{ role: 'user', content: 'Mia has 7 apples and finds 4 more. How many apples are there now?' }];

describe('pocket engine', () => {
  let engine: PocketEngine;
  beforeAll(async () => {
    engine = await startPocketEngine();
  });
  afterAll(() => engine.close());

  const post = async (path: string, body: Json): Promise<Json> => {
    const answer = await fetch(engine.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    return { status: answer.status, ...(text.startsWith('{') ? (JSON.parse(text) as Json) : { text }) };
  };
  const get = async (path: string): Promise<Json> => (await (await fetch(engine.url + path)).json()) as Json;
  const generate = (fields: Json, params: Json = {}): Promise<Json> =>
    post('/generate', { sampling_params: { temperature: 1, max_new_tokens: 40, ...params }, ...fields });

  const running = async (): Promise<number> => Number((await get('/server_info')).internal_states[0].num_running_reqs);

  it('passes the conformance suite to the last digit, but for tools, which it leaves out', async () => {
    const results = await runConformance({ url: engine.url, admin: true, tolerance: 1e-12 });
    expect(results.filter(({ outcome }) => outcome !== 'pass').map(({ name }) => name)).toEqual(['chat-tools']);
  });

  it('answers a homework problem in words', async () => {
    const { choices, usage } = await post('/v1/chat/completions', { messages: ASK, temperature: 0 });
    expect(choices[0].finish_reason).toBe('stop');
    expect(choices[0].message.content).toContain('7 + 4 =');
    expect(usage.completion_tokens).toBeGreaterThan(5);
  });

  it('answers a prompt of a size that agents send, and shows what it saw of it', async () => {
    const system = { role: 'system', content: 'You are an agent. '.repeat(4000) };
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }];
    const ids = { return_input_ids_in_sglext: true };
    const long = await post('/v1/chat/completions', { messages: [system, ...ASK], tools, temperature: 0, ...ids });
    const short = await post('/v1/chat/completions', { messages: ASK, temperature: 0, ...ids });
    expect(long.sglext.input_ids).toEqual(short.sglext.input_ids);
    expect(long.choices[0].message).toEqual(short.choices[0].message);
    const huge = { role: 'user', content: '漢字'.repeat(50_000) };
    const room = await post('/v1/chat/completions', {
      messages: [huge],
      max_completion_tokens: 4096,
      ignore_eos: true,
    });
    expect(room).toMatchObject({ status: 200, usage: { total_tokens: 2048 }, choices: [{ finish_reason: 'length' }] });
  });

  it('draws the same for a seed, however many answers it draws at once', async () => {
    const body = { messages: ASK, temperature: 1, seed: 5 };
    const alone = await post('/v1/chat/completions', body);
    const others = Array.from({ length: 20 }, (_, seed) => post('/v1/chat/completions', { ...body, seed }));
    const answers = await Promise.all(others);
    expect(answers[5]!.choices[0].message).toEqual(alone.choices[0].message);
    expect(new Set(answers.map(({ choices }) => choices[0].message.content)).size).toBeGreaterThan(3);
  });

  it('says log-probs before the temperature, and alternatives with them', async () => {
    const { meta_info: meta } = await generate(
      { text: 'Sums:', return_logprob: true, top_logprobs_num: 2 },
      {
        temperature: 0.3,
        max_new_tokens: 8,
        ignore_eos: true,
      },
    );
    const { tokens } = await post('/v1/tokenize', { prompt: 'Sums:' });
    const ids = meta.output_token_logprobs.map(([, id]: Entry) => id);
    const scored = await generate(
      {
        input_ids: [...tokens, ...ids],
        return_logprob: true,
        logprob_start_len: tokens.length - 1,
        top_logprobs_num: 2,
      },
      { max_new_tokens: 0 },
    );
    expect(scored.meta_info.input_token_logprobs.slice(1)).toEqual(meta.output_token_logprobs);
    expect(scored.meta_info.input_top_logprobs[0]).toBeNull();
    expect(scored.meta_info.input_top_logprobs.slice(1)).toEqual(meta.output_top_logprobs);
    expect(meta.output_top_logprobs[0]).toHaveLength(2);
  });

  it('ends at a stop text, which it leaves out unless it is to be kept', async () => {
    const body = { text: '<|user|>Sums:<|assistant|>', return_logprob: false };
    const stopped = await generate(body, { stop: [' ='], temperature: 0 });
    expect(stopped.text).not.toContain('=');
    expect(stopped.meta_info.finish_reason).toEqual({ type: 'stop', matched: ' =' });
    const kept = await generate(body, { stop: ' =', temperature: 0, no_stop_trim: true });
    expect(kept.text).toBe(`${stopped.text} =`);
    const [id] = (await post('/v1/tokenize', { prompt: ' =' })).tokens as [number];
    const byId = await generate(body, { stop_token_ids: [id], temperature: 0 });
    expect(byId.meta_info.finish_reason).toEqual({ type: 'stop', matched: id });
  });

  it.each([
    ['/generate', {}, 'Either text'],
    ['/generate', { input_ids: [5, 99_999] }, 'input_ids[1]'],
    ['/generate', { text: 'a', sampling_params: { temperature: -1 } }, 'temperature must be at least 0'],
    ['/generate', { text: 'a', sampling_params: { top_k: 0 } }, 'top_k must be'],
    ['/generate', { text: 'a', sampling_params: { max_new_tokens: 2048 } }, 'maximum context length of 2048'],
    ['/generate', { text: 'a', logprob_start_len: 9 }, 'higher than the 1 input tokens'],
    ['/v1/chat/completions', { messages: [] }, 'at least one message'],
    ['/v1/chat/completions', { messages: ASK, n: 2 }, 'only 1 is supported'],
    ['/v1/chat/completions', { messages: ASK, stream: true, return_meta_info: true }, 'not supported with streaming'],
    ['/v1/chat/completions', { messages: ASK, tool_choice: 'required' }, 'calls no tools'],
    ['/v1/chat/completions', { messages: ASK, response_format: { type: 'json_object' } }, 'text only'],
    ['/pause_generation', { mode: 'soon' }, 'is not one of abort, retract, in_place'],
    ['/update_weights_from_disk', {}, 'model_path is required'],
    ['/v1/detokenize', { tokens: ['a'] }, 'whole number'],
  ])('refuses %s with %j', async (path, body, problem) => {
    expect(await post(path, body)).toMatchObject({ status: 400, message: expect.stringContaining(problem) });
  });

  it.each([false, true])('judges by rules under a model id of its own (stream: %s)', async (stream) => {
    const { data } = await get('/v1/models');
    expect(data.map(({ id }: Json) => id)).toEqual(['pocket', 'pocket-judge']);
    const content = '<next_state role="user">\nThanks!\n</next_state>';
    const body = { model: 'pocket-judge', messages: [{ role: 'user', content }], stream };
    const answer = await post('/v1/chat/completions', body);
    const said = stream ? answer.text : JSON.stringify(answer.choices[0].message);
    expect(said).toContain('The user accepts the response. \\\\boxed{1}');
  });

  it('tells how much it has generated', async () => {
    const text = await (await fetch(`${engine.url}/metrics`)).text();
    expect(Number(/^openclaw_rl_pocket_tokens_total (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(100);
    expect(text).toContain('openclaw_rl_pocket_answers{state="running"} 0');
  });

  describe('new weights', () => {
    let folder: string;
    /** The same model with its last layer's output turned off: it says other things. */
    const otherWeights = (): string => {
      const { tensors, metadata } = decodeSafetensors(readFileSync(join(POCKET_WEIGHTS, 'model.safetensors')));
      const changed = tensors.map((tensor) =>
        tensor.name === 'layers.3.mlp_out' ? { ...tensor, values: tensor.values.map(() => 0) } : tensor,
      );
      writeFileSync(join(folder, 'model.safetensors'), encodeSafetensors({ tensors: changed, metadata }));
      return folder;
    };
    const score = async (): Promise<unknown> =>
      (await generate({ text: 'Sums: 3 + 4', return_logprob: true, logprob_start_len: 0 }, { max_new_tokens: 0 }))
        .meta_info.input_token_logprobs;

    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'weights-'));
      cpSync(POCKET_WEIGHTS, folder, { recursive: true });
    });
    afterEach(async () => {
      await post('/continue_generation', {});
      await post('/update_weights_from_disk', { model_path: POCKET_WEIGHTS, weight_version: 'default' });
      rmSync(folder, { recursive: true });
    });

    const update = (fields: Json = {}): Promise<Json> =>
      post('/update_weights_from_disk', { model_path: otherWeights(), weight_version: '7', ...fields });

    it('score differently, under their version, and go back', async () => {
      const before = await score();
      expect(await update()).toMatchObject({ status: 200, success: true });
      expect(await get('/model_info')).toMatchObject({ weight_version: '7', model_path: folder });
      expect(await score()).not.toEqual(before);
      await post('/update_weights_from_disk', { model_path: POCKET_WEIGHTS });
      expect(await get('/model_info')).toMatchObject({ weight_version: '8' });
      expect(await score()).toEqual(before);
    });

    it('are refused if they belong to another tokenizer, and the old ones stay', async () => {
      const before = await score();
      const { tensors } = decodeSafetensors(readFileSync(join(POCKET_WEIGHTS, 'model.safetensors')));
      writeFileSync(
        join(folder, 'model.safetensors'),
        encodeSafetensors({ tensors, metadata: { tokenizer: 'another' } }),
      );
      expect(await post('/update_weights_from_disk', { model_path: folder })).toMatchObject({
        status: 400,
        success: false,
        message: expect.stringContaining('take the tokenizer that came with them'),
      });
      expect(await score()).toEqual(before);
    });

    const longAnswer = (): Promise<Json> =>
      generate({ text: 'Sums:', return_logprob: true }, { max_new_tokens: 1500, ignore_eos: true, sampling_seed: 3 });

    it.each(['in_place', 'retract'])('let an answer go on that was paused (%s)', async (mode) => {
      const answer = longAnswer();
      await until(async () => (await running()) > 0, { what: 'a running answer' });
      await post('/pause_generation', { mode });
      expect(await update({ flush_cache: false })).toMatchObject({ success: true, num_paused_requests: 1 });
      await post('/continue_generation', {});
      const { meta_info: meta, output_ids: ids } = await answer;
      expect(meta.finish_reason).toEqual({ type: 'length', length: 1500 });
      expect([meta.weight_version, ids.length]).toEqual(['7', 1500]);
    });

    it('cannot flush the cache of answers that stand in place', async () => {
      const answer = longAnswer();
      await until(async () => (await running()) > 0, { what: 'a running answer' });
      await post('/pause_generation', { mode: 'in_place' });
      expect(await update()).toMatchObject({ status: 400, message: expect.stringContaining('Flush cache failed') });
      await post('/abort_request', { abort_all: true });
      expect((await answer).meta_info.finish_reason.type).toBe('abort');
    });

    it('wait for the answers that run', async () => {
      const answer = longAnswer();
      await until(async () => (await running()) > 0, { what: 'a running answer' });
      const updated = update();
      expect((await answer).meta_info.weight_version).toBe('default');
      expect(await updated).toMatchObject({ success: true, num_paused_requests: 0 });
    });
  });

  it('gives the stream of a client that leaves to others', async () => {
    const gone = new AbortController();
    const body = JSON.stringify({
      text: 'Sums:',
      stream: true,
      sampling_params: { max_new_tokens: 2000, ignore_eos: true },
    });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${engine.url}/generate`, { method: 'POST', headers, body, signal: gone.signal });
    expect(response.status).toBe(200);
    gone.abort();
    await until(async () => (await running()) === 0, { what: 'a free stream' });
  });

  describe('an engine that comes back', () => {
    let folder: string;
    let again: PocketEngine;
    const start = async (): Promise<void> => {
      again = await startPocketEngine({ OPENCLAW_RL_POCKET_SERVED_FILE: join(folder, 'state', 'served.json') });
    };
    const served = async (): Promise<Json> => (await fetch(`${again.url}/model_info`)).json() as Promise<Json>;
    const tell = (path: string, body: Json): Promise<Response> =>
      fetch(again.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });

    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'comes-back-'));
      cpSync(POCKET_WEIGHTS, join(folder, 'weights'), { recursive: true });
      await start();
    });
    afterEach(async () => {
      await again.close();
      rmSync(folder, { recursive: true });
    });

    it('serves the weights that it served, under their version', async () => {
      const weights = join(folder, 'weights');
      await tell('/update_weights_from_disk', { model_path: weights, weight_version: '3-1' });
      await again.close();
      expect(existsSync(join(folder, 'state', 'served.json'))).toBe(true);
      await start();
      expect(await served()).toMatchObject({ model_path: weights, weight_version: '3-1' });
      await tell('/update_weight_version', { new_version: '4' });
      await again.close();
      await start();
      expect(await served()).toMatchObject({ model_path: weights, weight_version: '4' });
    });

    it('serves those that ship where the others are gone', async () => {
      await tell('/update_weights_from_disk', { model_path: join(folder, 'weights'), weight_version: '3-1' });
      rmSync(join(folder, 'weights'), { recursive: true });
      await again.close();
      await start();
      expect(await served()).toMatchObject({ model_path: 'pocket', weight_version: 'default' });
    });
  });

  describe('settings', () => {
    it('give the judge another model id', async () => {
      const other = await startPocketEngine({ OPENCLAW_RL_POCKET_JUDGE_MODEL: 'judge' });
      const { data } = (await (await fetch(`${other.url}/v1/models`)).json()) as Json;
      expect(data.map(({ id }: Json) => id)).toEqual(['pocket', 'judge']);
      const messages = [{ role: 'user', content: '<next_state role="user">\nThanks!\n</next_state>' }];
      const answer = await fetch(`${other.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'judge', messages }),
      });
      expect(await answer.text()).toContain('boxed{1}');
      await other.close();
    });

    it('listen where they say, and generate as many answers at a time as they say', async () => {
      const port = await freePort();
      const other = await startPocketEngine({
        OPENCLAW_RL_POCKET_HOST: '127.0.0.2',
        OPENCLAW_RL_POCKET_PORT: String(port),
        OPENCLAW_RL_POCKET_STREAMS: '1',
      });
      expect(other.url).toBe(`http://127.0.0.2:${port}`);
      const body = JSON.stringify({ text: 'Sums:', sampling_params: { max_new_tokens: 1500, ignore_eos: true } });
      const headers = { 'content-type': 'application/json' };
      const answers = [1, 2, 3].map(() => fetch(`${other.url}/generate`, { method: 'POST', headers, body }));
      const metrics = async (): Promise<string> => (await fetch(`${other.url}/metrics`)).text();
      await until(async () => (await metrics()).includes('openclaw_rl_pocket_answers{state="waiting"} 2'), {
        what: 'two answers that wait',
      });
      await fetch(`${other.url}/abort_request`, { method: 'POST', headers, body: '{"abort_all":true}' });
      await Promise.all(answers);
      await other.close();
    });

    it('are refused where the folder holds no such model', async () => {
      await expect(startPocketEngine({ OPENCLAW_RL_POCKET_MODEL_DIR: tmpdir() })).rejects.toThrow(
        'name a folder with the files of libs/pocket-lm/weights',
      );
    });
  });
});
