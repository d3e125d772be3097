import { JetStreamApiError } from '@nats-io/jetstream';
import type { Check } from '../check';
import { failed, ok, warning, type Finding } from '../finding';
import type { Visit } from '../visit';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;
/** As deploy/nats.conf has it: a turn of 32,000 tokens with its text fits. */
const WANTED_PAYLOAD = 8 * MIB;

/** What a server says of JetStream. */
export interface Limits {
  /** Bytes that the account may store; -1: no limit. */
  readonly maxStorage: number;
  readonly usedStorage: number;
  /** Largest message in bytes. */
  readonly maxPayload: number;
  readonly isCluster: boolean;
}

export interface Wanted {
  readonly storeGb: number;
  readonly replicas: number;
}

export const judgeLimits = ({ maxStorage, usedStorage, maxPayload, isCluster }: Limits, wanted: Wanted): Finding => {
  if (maxStorage >= 0 && maxStorage < wanted.storeGb * GIB) {
    return failed(
      `the account may store ${(maxStorage / GIB).toFixed(1)} GB, and nats.store_gb is ${wanted.storeGb}`,
      "lower nats.store_gb, or raise the account's max_file in the server's configuration",
    );
  }
  if (wanted.replicas > 1 && !isCluster) {
    return failed(
      `nats.replicas is ${wanted.replicas}, and the server stands alone`,
      'set nats.replicas = 1, or run a cluster of three servers',
    );
  }
  if (maxPayload < WANTED_PAYLOAD) {
    return warning(
      `the server takes messages up to ${(maxPayload / MIB).toFixed(1)} MiB: longer turns are not trained on (turn_too_large)`,
      "set max_payload: 8MB in the server's configuration, as deploy/nats.conf does",
    );
  }
  return ok(`${(usedStorage / GIB).toFixed(2)} GB stored; messages up to ${(maxPayload / MIB).toFixed(0)} MiB`);
};

/** Codes by which a server says that it has no JetStream: for this account, at all. */
const DISABLED = new Set([10_039, 10_076]);

const isDisabled = (error: unknown): boolean =>
  (error instanceof JetStreamApiError && DISABLED.has(error.code)) ||
  (error instanceof Error && /jetstream.*(not enabled|disabled)|no responders/i.test(`${error.name} ${error.message}`));

const look = async ({ bus, settings }: Visit): Promise<Finding> => {
  const { jsm, nc } = await bus.session();
  try {
    const { limits, storage } = await jsm.getAccountInfo();
    return judgeLimits(
      {
        maxStorage: limits.max_storage,
        usedStorage: storage,
        maxPayload: nc.info?.max_payload ?? 0,
        isCluster: nc.info?.cluster !== undefined,
      },
      settings.nats,
    );
  } catch (error) {
    if (!isDisabled(error)) throw error;
    return failed(
      'JetStream is not switched on',
      'start nats-server with JetStream (-js, or a jetstream block as in deploy/nats.conf)',
    );
  }
};

export const jetStreamCheck: Check = { id: 'jetstream', title: 'JetStream', needs: ['nats'], look };
