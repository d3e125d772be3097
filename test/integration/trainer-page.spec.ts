import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compileFunction } from 'node:vm';
import { transform } from '@swc/core';
import type { Bus } from '@app/bus';
import { PolicyUpdated } from '@app/contracts';
import { PolicyStore } from '@app/pools';
import * as sample from '@app/sample';
import { startEngineDouble, startNatsServer, until, type EngineDouble, type NatsServer } from '@app/testing';
import { DoorClient } from '../../apps/trainer/src/door/door-client';
import { TrainLoop } from '../../apps/trainer/src/training/train-loop';
import type { TrainerBackend } from '../../apps/trainer/src/training/trainer-backend';
import { connectBus, publishTurn, settledOf, startSubmitter, type Submitter } from './submitter-harness';

const run = promisify(execFile);
const builtin = createRequire(__filename);
const PAGE = readFileSync(join(__dirname, '../../docs/trainers.md'), 'utf8');

/** The example in a language. */
const exampleIn = (language: string): string => {
  const [, text] = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(PAGE) ?? [];
  if (text === undefined) throw new TypeError(`docs/trainers.md has no example in ${language}`);
  return text;
};

/** A module in TypeScript as what it exports. */
const load = async (source: string): Promise<Record<string, unknown>> => {
  const { code } = await transform(source, {
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    module: { type: 'commonjs' },
  });
  const exported = {};
  const find = (name: string): unknown => (name === '@app/sample' ? sample : builtin(name));
  (compileFunction(code, ['require', 'exports']) as (...given: unknown[]) => void)(find, exported);
  return exported;
};

describe('docs/trainers.md', () => {
  let nats: NatsServer;
  let bus: Bus;
  let engine: EngineDouble;
  let door: Submitter;
  let dir: string;

  const publish = async (...turnIds: string[]): Promise<void> => {
    for (const turnId of turnIds) await publishTurn(bus, turnId, 1);
    for (const turnId of turnIds) await until(() => settledOf(bus, turnId), { what: `${turnId} is settled` });
  };
  const state = () => new PolicyStore(bus).read();

  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'trainer-page-'));
    nats = await startNatsServer();
    bus = await connectBus(nats.url);
    engine = await startEngineDouble();
    door = await startSubmitter(nats.url, {
      OPENCLAW_RL_SERVER_BASE_URL: engine.url,
      OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
    });
  });
  afterEach(async () => {
    await door.close();
    await bus.close();
    await engine.close();
    await nats.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  it('has a trainer that leases a batch, puts new weights in, and so acknowledges it', async () => {
    const path = join(dir, 'my-trainer.mjs');
    writeFileSync(path, exampleIn('js'));
    await publish('a', 'b');
    const { stdout } = await run(process.execPath, [path], { env: { ...process.env, DOOR_URL: door.url } });
    expect(stdout).toBe('version 1 serves, from 2 samples\n');
    expect(await state()).toMatchObject({ version: 1, acknowledged: 2, weightsPath: '/models/step-1' });
    expect((await bus.read(PolicyUpdated, '1'))?.body.head.metrics.tokens).toBeGreaterThan(0);
  });

  it('has a backend that the loop trains with, and that goes on from what serves', async () => {
    const program = join(dir, 'train.js');
    const report = `JSON.stringify({ samples: JSON.parse(require('fs').readFileSync(batch)).length, steps: base.length })`;
    writeFileSync(program, `#!${process.execPath}\nconst [, , batch, base] = process.argv;\nconsole.log(${report});\n`);
    chmodSync(program, 0o755);
    const client = new DoorClient({ url: door.url, apiKey: null, trainer: 'page' });
    const { ProgramBackend } = (await load(exampleIn('ts'))) as {
      ProgramBackend: new (options: object) => TrainerBackend;
    };
    const options = { program, dir, base: '/base', served: () => client.policy() };
    const rounds: unknown[] = [];
    const ending = new AbortController();
    const loop = new TrainLoop(client, new ProgramBackend(options), {
      batchSize: 2,
      batchesPerUpdate: 1,
      leaseMs: 10_000,
      gateLeaseMs: 5000,
      waitMs: 200,
      againMs: 10,
      sharesGpus: false,
      onRound: (...[, found]) => rounds.push(found),
      onIdle: () => undefined,
    });
    const running = loop.run(ending.signal);
    try {
      await publish('a', 'b');
      await until(() => rounds.length === 1, { what: 'the first update' });
      await publish('c', 'd');
      await until(() => rounds.length === 2, { what: 'the second update' });
    } finally {
      ending.abort();
      await running;
    }
    const first = join(dir, 'step-1');
    expect(rounds).toMatchObject([
      { samples: 2, steps: '/base'.length },
      { samples: 2, steps: first.length },
    ]);
    expect(await state()).toMatchObject({ version: 2, acknowledged: 4, weightsPath: join(dir, 'step-2') });
  });
});
