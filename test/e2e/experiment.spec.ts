import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(__dirname, '../..');
const execute = promisify(execFile);

interface Run {
  readonly scores: readonly { readonly score: number; readonly right: number; readonly entropy: number }[];
  readonly updates: readonly { readonly log_prob_difference: number }[];
}

describe('the noisy judge', () => {
  const HINT = { response_format: { type: 'json_schema', json_schema: { name: 'hint' } } };
  const questions = [
    { path: '/v1/chat/completions', body: { messages: [{ role: 'user', content: 'Was it as wanted?' }] } },
    { path: '/v1/chat/completions', body: { messages: [{ role: 'user', content: 'What was wanted?' }], ...HINT } },
    { path: '/generate', body: { input_ids: [1] } },
  ];
  let server: Server;
  beforeAll(async () => {
    const content = 'The user accepts it. \\boxed{1}';
    const answer = JSON.stringify({ choices: [{ message: { role: 'assistant', content } }] });
    server = createServer((_, response) => response.end(answer)).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  /** What the engine behind a judge of this noise says to each question. */
  const answers = async (noise: number): Promise<string[]> => {
    const script = `
      const { startNoisyJudge } = await import('./scripts/experiment/noisy-judge.mjs');
      const [engine, noise, questions] = JSON.parse(process.argv[1]);
      const judge = await startNoisyJudge(engine, { noise, seed: 1 });
      const ask = ({ path, body }) => fetch(judge.url + path, { method: 'POST', body: JSON.stringify(body) });
      const answers = await Promise.all(questions.map(async (each) => (await (await ask(each)).json()).choices[0].message.content));
      console.log(JSON.stringify(answers));
      judge.close();`;
    const engine = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const args = ['--input-type=module', '-e', script, JSON.stringify([engine, noise, questions])];
    return JSON.parse((await execute(process.execPath, args, { cwd: ROOT })).stdout) as string[];
  };

  it('turns scores round, and nothing else', async () => {
    const [good, bad] = [1, -1].map((score) => `The user accepts it. \\boxed{${score}}`);
    expect(await answers(1)).toEqual([bad, good, good]);
    expect(await answers(0)).toEqual([good, good, good]);
  });
});

describe('npm run experiment', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'experiment-test-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const experiment = async (...options: string[]): Promise<string> => {
    const where = ['--runs', join(folder, 'runs'), '--out', join(folder, 'out'), '--updates', '1', '--seeds', '7'];
    return (await execute(process.execPath, ['scripts/experiment.mjs', ...where, ...options], { cwd: ROOT })).stdout;
  };
  const runOf = (name: string): Run => JSON.parse(readFileSync(join(folder, 'runs', `${name}.json`), 'utf8')) as Run;
  const written = (name: string): string => readFileSync(join(folder, 'out', name), 'utf8');

  it('runs methods, noises and controls through the stack, keeps what is finished, and writes what came out', async () => {
    const options = ['--methods', 'binary', '--noise', '0,1', '--controls', 'late-policy'];
    await experiment(...options);
    const [clear, misread, late] = [
      'binary_noise-0_seed-7',
      'binary_noise-100_seed-7',
      'opd_noise-4_late-policy_seed-7',
    ].map(runOf) as [Run, Run, Run];

    for (const { scores } of [clear, misread, late]) {
      expect(scores).toHaveLength(2);
      for (const { right, entropy } of scores) {
        expect(right).toBeGreaterThan(0.8);
        expect(entropy).toBeGreaterThan(0.05);
      }
    }
    // The same exam is answered in the same way before anything is learnt.
    expect(clear.scores[0]).toEqual(misread.scores[0]);
    expect(clear.updates[0]!.log_prob_difference).toBeLessThan(1e-4);
    expect(late.updates[0]!.log_prob_difference).toBeGreaterThan(0.05);

    const runs = readdirSync(join(folder, 'runs')).map((name) => join(folder, 'runs', name));
    const before = runs.map((file) => statSync(file).mtimeMs);
    expect(await experiment(...options)).not.toContain('update');
    expect(runs.map((file) => statSync(file).mtimeMs)).toEqual(before);

    expect(written('experiment.md')).toContain('| 100 %       | binary |');
    expect(written('experiment.svg').match(/<polyline/g)).toHaveLength(3);
    expect(JSON.parse(written('experiment.json'))).toHaveLength(3);
  }, 280_000);

  it.each([
    [['--methods', 'ppo'], '--methods has "ppo"; allowed: binary, opd, hybrid'],
    [['--people', '0'], '--people is "0"; allowed: a whole number from 1 to 1000000'],
    [['--noise', '4'], '--noise is "4"; allowed: numbers from 0 to 1'],
  ])('refuses %j', async (options, message) => {
    await expect(experiment(...options)).rejects.toMatchObject({ stderr: expect.stringContaining(message) });
  });

  it('repeats no run of another setting', async () => {
    const options = ['--methods', 'binary', '--noise', '0', '--controls', 'none', '--updates', '2'];
    await expect(experiment(...options)).rejects.toMatchObject({ stderr: expect.stringContaining('another setting') });
  });
});
