import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const root = resolve(__dirname, '../..');
const METRICS = [
  'openclaw_rl_turns_total{kind="main",route="sglext",exclusion="none"} 2',
  'openclaw_rl_turns_total{kind="side",route="sglext",exclusion="side_turn"} 1',
].join('\n');

let folder: string;
let server: Server;
/** What the door answers when it is asked how the turns ended, one after the other. */
let outcomes: Record<string, number>[];

const writeRecords = (count: number): void => {
  const lines = Array.from({ length: count }, (_, index) => JSON.stringify({ turn_id: index, arrived_at: index }));
  writeFileSync(join(folder, 'v0', 'session.jsonl'), lines.join('\n'));
};

const answerTo = (path: string): string => {
  if (path === '/metrics') return METRICS;
  if (path === '/v1/samples/lease') return JSON.stringify({ samples: [] });
  const [now = {}] = outcomes.length > 1 ? outcomes.splice(0, 1) : outcomes;
  writeRecords(Object.values(now).reduce((sum, count) => sum + count, 0));
  return JSON.stringify({ outcomes: now });
};

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'openclaw-results-'));
  mkdirSync(join(folder, 'v0'));
  server = createServer((request, response) => response.end(answerTo(request.url ?? '')));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
});

afterEach(async () => {
  await new Promise((closed) => server.close(closed));
  rmSync(folder, { recursive: true });
});

async function collect(): Promise<{ outcomes: Record<string, number>; records: unknown[] }> {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const stack = { gatewayUrl: url, doorUrl: url, recordsDir: folder };
  const script = `
    import { collectResults } from ${JSON.stringify(join(root, 'scripts/openclaw/results.mjs'))};
    const signal = AbortSignal.timeout(20_000);
    console.log(JSON.stringify(await collectResults(${JSON.stringify(stack)}, { signal })));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  return JSON.parse(stdout) as { outcomes: Record<string, number>; records: unknown[] };
}

test('a turn that still waits for its judge is waited for, though the turns behind it are settled', async () => {
  const whole = { no_next_state: 1, side_turn: 1, neutral: 1 };
  outcomes = [{ side_turn: 1 }, { side_turn: 1, no_next_state: 1 }, whole];
  const results = await collect();
  expect(results.outcomes).toEqual(whole);
  expect(results.records).toHaveLength(3);
});
