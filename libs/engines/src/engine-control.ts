import { isRecord } from '@app/chat';
import { controlCallTo, type ControlAddress, type ControlCall } from './control-call';
import { EngineLoadError, EngineStatusError } from './engine-errors';
import type { EngineControl } from './control-types';
import { sglangControl } from './sglang-control';
import { vllmControl } from './vllm-control';

/** Time for calls that an engine answers at once. */
const SHORT_MS = 10_000;

/** A hosted model, or a server without a control API: it is drained, and others change what it serves. */
const otherControl = (): EngineControl => ({
  kind: 'other',
  readVersion: () => Promise.resolve(null),
  stand: () => Promise.resolve(false),
  stop: () => Promise.resolve(),
  resume: () => Promise.resolve(),
  load: () =>
    Promise.reject(
      new EngineLoadError('this server has no API to load weights: load them by its own means, and commit'),
    ),
});

const hasText = (value: unknown, key: string): boolean => isRecord(value) && typeof value[key] === 'string';

/** A server that does not let us in could be anything. */
const CLOSED_TO_US = new Set([401, 403]);

const kindOf = async (call: ControlCall): Promise<EngineControl['kind']> => {
  const info = await call('GET', '/model_info', { timeoutMs: SHORT_MS });
  if (CLOSED_TO_US.has(info.status)) throw new EngineStatusError(info.status);
  if (info.status === 200 && hasText(info.data, 'model_path')) return 'sglang';
  const version = await call('GET', '/version', { timeoutMs: SHORT_MS });
  return version.status === 200 && hasText(version.data, 'version') ? 'vllm' : 'other';
};

/** Finds out what an engine is. @throws EngineUnreachableError, EngineTimeoutError; EngineStatusError without a valid key */
export const openEngineControl = async (address: ControlAddress): Promise<EngineControl> => {
  const call = controlCallTo(address);
  switch (await kindOf(call)) {
    case 'sglang':
      return sglangControl(call);
    case 'vllm':
      return vllmControl(call);
    case 'other':
      return otherControl();
  }
};
