import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { formatReport, startEngineDouble, runConformance, type EngineDouble, type Fault } from '@app/testing';

const CAUGHT_BY: Record<Fault, string> = {
  unhealthy: 'health',
  model_info_without_version: 'model-info',
  tokenize_loses_a_token: 'tokenize-round-trip',
  first_entry_not_null: 'generate-first-entry-null',
  entries_shifted: 'generate-ids-aligned',
  scoring_differs: 'scoring-equals-generation',
  output_log_prob_missing: 'generate-output',
  output_ids_differ: 'chat-ids',
  sglext_without_last_id: 'chat-stream-ids',
  stream_logprob_missing: 'chat-stream-ids',
  usage_wrong: 'chat-usage',
  stream_without_usage: 'chat-stream-usage',
  stream_without_done: 'chat-stream-shape',
  length_not_said: 'chat-length',
  abort_ignored: 'abort',
  pause_ignored: 'pause',
  errors_as_text: 'error-envelope',
};

describe('conformance suite', () => {
  let double: EngineDouble;
  beforeAll(async () => {
    double = await startEngineDouble();
  });
  afterAll(() => double.close());

  const run = (): ReturnType<typeof runConformance> =>
    runConformance({ url: double.url, admin: true, tolerance: 1e-12 });

  it('finds nothing to say about the engine double', async () => {
    const results = await run();
    expect(results.filter(({ outcome }) => outcome !== 'pass')).toEqual([]);
    expect(results.length).toBeGreaterThan(20);
  });

  it.each([
    { streamInterval: 4 },
    { incrementalStreaming: true },
    { weightVersion: '7' },
    { unscripted: 'sampled' as const },
  ])('passes the double with %j', async (settings) => {
    const other = await startEngineDouble(settings);
    const results = await runConformance({ url: `${other.url}/v1`, tolerance: 1e-12 });
    await other.close();
    expect(results.filter(({ outcome }) => outcome === 'fail').map(({ name }) => name)).toEqual([]);
  });

  it.each(Object.entries(CAUGHT_BY))('catches an engine with %s by %s alone', async (fault, check) => {
    double.set({ faults: [fault as Fault] });
    const results = await run();
    double.set({ faults: [] });
    expect(results.filter(({ outcome }) => outcome !== 'pass').map(({ name }) => name)).toEqual([check]);
  });

  it('skips what a hosted model does not offer, and passes the rest', async () => {
    const hosted = await startEngineDouble({ dialect: 'openai' });
    const results = await runConformance({ url: hosted.url });
    await hosted.close();
    expect(results.filter(({ outcome }) => outcome === 'fail')).toEqual([]);
    expect(results.filter(({ outcome }) => outcome === 'skip').map(({ name }) => name)).toEqual(
      expect.arrayContaining(['health', 'generate-first-entry-null', 'chat-logprobs', 'chat-ids']),
    );
    expect(results.filter(({ outcome }) => outcome === 'pass').map(({ name }) => name)).toEqual(
      expect.arrayContaining(['chat-shape', 'chat-stream-shape', 'chat-tools']),
    );
  });

  it('fails everything when nobody answers', async () => {
    const gone = await startEngineDouble();
    await gone.close();
    const results = await runConformance({ url: gone.url, admin: true });
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['fail']));
    expect(results[0]?.why).toContain('ECONNREFUSED');
  });
});

describe('npm run conformance', () => {
  const script = join(__dirname, '../../scripts/conformance.mjs');
  const run = (...args: string[]): Promise<{ code: unknown; output: string }> =>
    new Promise((resolve) => {
      execFile(process.execPath, [script, ...args], (error, stdout, stderr) => {
        resolve({ code: error?.code ?? 0, output: stdout + stderr });
      });
    });

  it.each([
    ['an option that is none', ['http://127.0.0.1:1', '--foo'], "'--foo'"],
    ['a tolerance that is no number', ['http://127.0.0.1:1', '--tolerance', 'abc'], '--tolerance is "abc"; allowed:'],
    ['a tolerance below 0', ['http://127.0.0.1:1', '--tolerance=-1'], '--tolerance is "-1"; allowed:'],
    ['no tolerance', ['http://127.0.0.1:1', '--tolerance', ''], '--tolerance is ""; allowed:'],
    ['no URL', [], 'the URL of an engine is needed, such as http://127.0.0.1:30001, got nothing'],
    ['a URL without a scheme', ['localhost:8000'], 'got "localhost:8000"'],
    ['two URLs', ['http://a', 'http://b'], 'one URL is needed, got 2'],
  ])('says of %s what is wrong and how it is called, without a stack', async (_what, args, message) => {
    const { code, output } = await run(...args);
    expect(code).toBe(1);
    expect(output).toContain(message);
    expect(output).toContain('npm run conformance -- URL [--model M]');
    expect(output).not.toMatch(/\n\s+at /);
  });

  it('counts in its last line what passed, failed and was skipped', () => {
    const report = formatReport([
      { name: 'a', outcome: 'pass', why: '' },
      { name: 'b', outcome: 'skip', why: 'not offered' },
      { name: 'c', outcome: 'skip', why: 'not offered' },
    ]);
    expect(report.split('\n').at(-1)).toBe('1 passed, 0 failed, 2 skipped: what was skipped has not been checked');
  });
});
