import { randomUUID } from 'node:crypto';
import axios, { type AxiosRequestConfig } from 'axios';
import type { HeldOutAnswer } from '@app/contracts';
import { parseSampleJson, type Sample } from '@app/sample';
import type { Tracer } from '@app/tracing';

const PATIENCE_MS = 30_000;

/** Any status is an answer, and an answer is text: what it means is decided here. The door is never behind a proxy. */
const PLAIN: AxiosRequestConfig = {
  validateStatus: () => true,
  responseType: 'text',
  transformResponse: (text: unknown) => text,
  maxRedirects: 0,
  proxy: false,
};

/** Thrown when the door refuses a request, or does not answer. */
export class DoorError extends Error {
  override readonly name = 'DoorError';

  constructor(
    message: string,
    readonly status: number | null,
    readonly code: string | null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Samples that this trainer holds. */
export interface Lease {
  readonly id: string;
  readonly samples: readonly Sample[];
}

export interface LeaseWish {
  /** Number of samples; there is no lease with fewer. */
  readonly count: number;
  readonly waitMs: number;
  readonly leaseMs: number;
}

/** What serves. */
export interface ServedPolicy {
  readonly version: number;
  /** Where its weights were loaded from; null before the first update, or if no trainer has named it. */
  readonly weightsPath: string | null;
}

/** How new weights are named in a commit. */
export type CommittedWeights = { readonly engineVersion: string } | { readonly weightsPath: string };

type Json = Readonly<Record<string, unknown>>;

interface LeaseReply {
  readonly lease_id: string | null;
  readonly samples: readonly unknown[];
}

/** The trainer's door as one trainer uses it. Every method throws DoorError. */
export class DoorClient {
  constructor(
    private readonly options: {
      readonly url: string;
      readonly apiKey: string | null;
      readonly trainer: string;
      readonly tracer?: Pick<Tracer, 'traceparent'>;
    },
  ) {}

  async policy(): Promise<ServedPolicy> {
    const reply = (await this.send('/v1/policy')) as { policy_version: number; weights_path: string | null };
    return { version: reply.policy_version, weightsPath: reply.weights_path };
  }

  /** A batch, or null if there are not enough samples. */
  async lease({ count, waitMs, leaseMs }: LeaseWish, signal: AbortSignal): Promise<Lease | null> {
    const body = { max: count, min: count, wait_ms: waitMs, lease_ms: leaseMs, trainer: this.options.trainer };
    const reply = (await this.post('/v1/samples/lease', body, {
      signal,
      patienceMs: waitMs + PATIENCE_MS,
    })) as LeaseReply;
    if (reply.lease_id === null) return null;
    return { id: reply.lease_id, samples: reply.samples.map(parseSampleJson) };
  }

  async acknowledge(leaseId: string): Promise<void> {
    await this.post(`/v1/samples/leases/${encodeURIComponent(leaseId)}/ack`, {});
  }

  async giveBack(leaseId: string): Promise<void> {
    await this.post(`/v1/samples/leases/${encodeURIComponent(leaseId)}/nack`, {});
  }

  async extend(leaseId: string, leaseMs: number): Promise<void> {
    await this.post(`/v1/samples/leases/${encodeURIComponent(leaseId)}/extend`, { lease_ms: leaseMs });
  }

  /** Closes the gate for new weights that are trained on these leases. Resolves once the engines stand. */
  async beginUpdate(leaseIds: readonly string[], leaseMs: number): Promise<{ token: string; version: number }> {
    const body = { lease_ids: leaseIds, lease_ms: leaseMs, trainer: this.options.trainer };
    return (await this.post('/v1/policy/updates', body, { patienceMs: leaseMs + PATIENCE_MS })) as {
      token: string;
      version: number;
    };
  }

  async extendUpdate(token: string, leaseMs: number): Promise<void> {
    await this.send(`/v1/policy/updates/${token}/extend`, { lease_ms: leaseMs });
  }

  async commitUpdate(
    token: string,
    weights: CommittedWeights,
    metrics: Readonly<Record<string, number>>,
  ): Promise<void> {
    const named =
      'engineVersion' in weights ? { engine_version: weights.engineVersion } : { weights_path: weights.weightsPath };
    // As long as the engines load: the door's own limit ends it.
    await this.send(`/v1/policy/updates/${token}/commit`, { ...named, metrics }, { patienceMs: null });
  }

  async reportAnswers(version: number, answers: readonly HeldOutAnswer[]): Promise<void> {
    await this.send('/v1/policy/answers', { version, answers });
  }

  async abortUpdate(token: string, reason: string): Promise<void> {
    await this.send(`/v1/policy/updates/${token}/abort`, { reason });
  }

  private post(path: string, body: Json, options?: SendOptions): Promise<unknown> {
    return this.send(path, { request_id: randomUUID(), ...body }, options);
  }

  /** Without a body: asks. */
  private async send(
    path: string,
    body: Json | null = null,
    { signal, patienceMs = PATIENCE_MS }: SendOptions = {},
  ): Promise<unknown> {
    const { url, apiKey, tracer } = this.options;
    const limits = [signal, patienceMs === null ? undefined : AbortSignal.timeout(patienceMs)];
    const { status, data } = await axios
      .request<string>({
        ...PLAIN,
        url: `${url}${path}`,
        ...(body === null ? { method: 'GET' } : { method: 'POST', data: body }),
        headers: {
          ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
          ...(tracer?.traceparent === undefined ? {} : { traceparent: tracer.traceparent }),
        },
        signal: AbortSignal.any(limits.flatMap((each) => each ?? [])),
      })
      .catch((cause: unknown) => {
        throw new DoorError(`the trainer's door at ${url} does not answer`, null, null, { cause });
      });
    if (status === 200) return JSON.parse(data);
    const { message, code } = refusalIn(data);
    throw new DoorError(`${path}: ${message}`, status, code);
  }
}

interface SendOptions {
  readonly signal?: AbortSignal;
  /** null: no limit. */
  readonly patienceMs?: number | null;
}

const refusalIn = (text: string): { message: string; code: string | null } => {
  try {
    const { error } = JSON.parse(text) as { error: { message: string; code: string } };
    return { message: error.message, code: error.code };
  } catch {
    return { message: 'an answer that is no answer of the door', code: null };
  }
};
