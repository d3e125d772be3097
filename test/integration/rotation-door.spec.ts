import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { INestApplication } from '@nestjs/common';
import type { Bus } from '@app/bus';
import { PolicyStore } from '@app/pools';
import { freePort, startNatsServer, until, type NatsServer } from '@app/testing';
import { DoorClient } from '../../apps/trainer/src/door/door-client';
import { Opened } from '../support/opened';
import { connectBus, publishTurn, settledOf, startSubmitter, type Submitter } from './submitter-harness';
import { startTrainer } from './trainer-harness';

const BATCH = 2;

describe("a key of the trainer's door that is replaced", () => {
  let opened: Opened;
  let dir: string;
  let nats: NatsServer;
  let bus: Bus;
  let port: number;
  let door: Submitter | undefined;
  let trainer: INestApplication | undefined;
  let names = 0;

  const startDoor = async (keys: string): Promise<void> => {
    await door?.close();
    const place = { OPENCLAW_RL_DOOR_PORT: String(port), OPENCLAW_RL_DOOR_API_KEYS: keys };
    door = await startSubmitter(nats.url, place);
  };
  const startTrainerWith = async (key: string): Promise<void> => {
    await trainer?.close();
    trainer = await startTrainer({
      ...{ OPENCLAW_RL_TRAINER_DOOR_URL: `http://127.0.0.1:${port}`, OPENCLAW_RL_DOOR_API_KEYS: key },
      ...{ OPENCLAW_RL_TRAINER_DIR: dir, OPENCLAW_RL_RL_ROLLOUT_STEPS: String(BATCH) },
    });
  };
  const client = (apiKey: string): DoorClient =>
    new DoorClient({ url: `http://127.0.0.1:${port}`, apiKey, trainer: 'test' });
  const leaseBy = (apiKey: string) =>
    client(apiKey).lease({ count: BATCH, waitMs: 5000, leaseMs: 60_000 }, new AbortController().signal);
  const publish = async (): Promise<string[]> => {
    const turns = Array.from({ length: BATCH }, () => `t${(names += 1)}`);
    for (const turn of turns) await publishTurn(bus, turn);
    for (const turn of turns) await until(() => settledOf(bus, turn), { what: `${turn} is settled` });
    return turns;
  };
  const untilTrained = (count: number) =>
    until(async () => (await new PolicyStore(bus).read()).acknowledged === count, {
      what: `${count} samples are acknowledged`,
      timeoutMs: 30_000,
    });

  beforeEach(async () => {
    opened = new Opened();
    dir = mkdtempSync(join(tmpdir(), 'rotation-door-'));
    nats = opened.add(await startNatsServer());
    bus = opened.add(await connectBus(nats.url));
    port = await freePort();
  });
  afterEach(async () => {
    await trainer?.close();
    await door?.close();
    await opened.close();
    rmSync(dir, { recursive: true, force: true });
  });

  it('is taken beside the new one, and every sample is trained on once, those that a trainer holds meanwhile included', async () => {
    await startDoor('k-old');
    await publish();
    const held = (await leaseBy('k-old'))!;
    await startTrainerWith('k-old');
    const written = await publish();
    await untilTrained(2);

    await startDoor('k-old,k-new');
    await client('k-old').acknowledge(held.id);
    written.push(...(await publish()));
    await untilTrained(6);

    await startTrainerWith('k-new');
    written.push(...(await publish()));
    await untilTrained(8);

    await startDoor('k-new');
    written.push(...(await publish()));
    await untilTrained(10);
    await expect(leaseBy('k-old')).rejects.toMatchObject({ status: 401, code: 'invalid_api_key' });
    const { batches } = JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8')) as {
      batches: { turn_ids: string[] }[];
    };
    expect(batches.flatMap(({ turn_ids: turns }) => turns).sort()).toEqual(written.sort());
  }, 120_000);
});
