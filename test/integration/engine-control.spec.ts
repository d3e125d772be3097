import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EngineLoadError, EngineStatusError, EngineUnreachableError, openEngineControl } from '@app/engines';
import { startEngineDouble, until, type EngineDouble } from '@app/testing';

const WEIGHTS = { path: '/weights/1', version: '1-a', keepsAnswers: true, timeoutMs: 5000 };

describe('control of an SGLang', () => {
  let engine: EngineDouble;
  beforeEach(async () => {
    engine = await startEngineDouble({ apiKey: 'key', weightVersion: 'first' });
  });
  afterEach(() => engine.close());

  const open = () => openEngineControl({ baseUrl: `${engine.url}/v1`, apiKey: 'key' });
  const chat = (stream: boolean) =>
    fetch(`${engine.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'double', stream, messages: [{ role: 'user', content: 'hi' }] }),
    });
  const seen = (path: string) => engine.requests.filter((request) => request.path === path).map(({ body }) => body);

  it('lets answers stand, loads weights beneath them, and lets them go on', async () => {
    let release = (): void => undefined;
    const hold = new Promise<void>((resolve) => (release = resolve));
    engine.script({ content: 'a long answer', hold, holdAfterTokens: 1 });
    const answer = chat(true).then((response) => response.text());
    await until(() => engine.chats().length === 1, { what: 'the answer runs' });
    const control = await open();
    expect(control.kind).toBe('sglang');
    expect(await control.readVersion()).toBe('first');
    expect(await control.stand('in_place')).toBe(true);
    await control.load(WEIGHTS);
    expect(await control.readVersion()).toBe('1-a');
    expect(seen('/update_weights_from_disk')).toEqual([
      { model_path: '/weights/1', weight_version: '1-a', flush_cache: false, keep_pause: true },
    ]);
    release();
    await control.resume();
    expect(await answer).toContain('[DONE]');
  });

  it('says what it did not take', async () => {
    const control = await open();
    await control.stand('retract');
    await expect(control.load({ ...WEIGHTS, path: '' })).rejects.toThrow(EngineLoadError);
    await control.resume();
  });

  it('cannot let answers stand where the engine knows no such mode, and stops them where it can', async () => {
    engine.set({ pauseModes: ['abort'] });
    const control = await open();
    expect(await control.stand('in_place')).toBe(false);
    await control.stop();
    expect(seen('/pause_generation')).toEqual([{ mode: 'in_place' }, { mode: 'abort' }]);
    engine.set({ pauseModes: [] });
    await expect(control.stop()).resolves.toBeUndefined();
  });

  it('fails where it is refused, and where nothing is', async () => {
    const control = await open();
    engine.set({ apiKey: 'other' });
    await expect(control.stand('in_place')).rejects.toThrow(EngineStatusError);
    await expect(control.resume()).rejects.toThrow(EngineStatusError);
    await engine.close();
    await expect(control.readVersion()).rejects.toThrow(EngineUnreachableError);
    await expect(open()).rejects.toThrow(EngineUnreachableError);
    engine = await startEngineDouble();
  });
});

describe('control of other servers', () => {
  let server: Server;
  let calls: { url: string; body: string }[];
  let routes: Record<string, unknown>;

  beforeEach(async () => {
    calls = [];
    server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const [path = ''] = (request.url ?? '').split('?');
        calls.push({ url: `${request.method} ${request.url}`, body: Buffer.concat(pieces).toString() });
        response.writeHead(path in routes ? 200 : 404, { 'content-type': 'application/json' });
        response.end(JSON.stringify(routes[path] ?? { detail: 'Not Found' }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  const open = () =>
    openEngineControl({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: null });
  const posted = () => calls.filter(({ url }) => url.startsWith('POST'));

  it('freezes, reloads and resumes a vLLM in development mode', async () => {
    routes = { '/version': { version: '0.20.0' }, '/pause': {}, '/resume': {}, '/collective_rpc': { results: [null] } };
    const control = await open();
    expect(control.kind).toBe('vllm');
    expect(await control.readVersion()).toBeNull();
    expect(await control.stand('in_place')).toBe(true);
    expect(await control.stand('retract')).toBe(true);
    await control.load(WEIGHTS);
    await control.resume();
    await control.stop();
    expect(posted()).toEqual([
      { url: 'POST /pause?mode=keep&clear_cache=false', body: '' },
      { url: 'POST /pause?mode=keep&clear_cache=true', body: '' },
      {
        url: 'POST /collective_rpc',
        body: JSON.stringify({ method: 'reload_weights', kwargs: { weights_path: '/weights/1' } }),
      },
      { url: 'POST /resume', body: '' },
      { url: 'POST /pause?mode=abort&clear_cache=true', body: '' },
    ]);
  });

  it('leaves a vLLM without these routes, and a hosted model, as they are', async () => {
    routes = { '/version': { version: '0.20.0' } };
    const vllm = await open();
    expect(await vllm.stand('in_place')).toBe(false);
    await vllm.resume();
    await expect(vllm.load(WEIGHTS)).rejects.toThrow(EngineLoadError);
    routes = {};
    calls = [];
    const hosted = await open();
    expect(hosted.kind).toBe('other');
    expect(await hosted.readVersion()).toBeNull();
    expect(await hosted.stand('in_place')).toBe(false);
    await hosted.stop();
    await hosted.resume();
    await expect(hosted.load(WEIGHTS)).rejects.toThrow('load them by its own means');
    expect(posted()).toEqual([]);
  });
});
