import { isRecord } from '@app/chat';
import type { ControlCall } from './control-call';
import type { EngineControl } from './control-types';
import { EngineAnswerError, EngineLoadError, EngineStatusError } from './engine-errors';

const SHORT_MS = 10_000;
/** How an SGLang answers that has no such route, or does not know the mode. */
const CANNOT = new Set([400, 404, 405, 422]);

const textAt = (value: unknown, key: string): string | null => {
  const text = isRecord(value) ? value[key] : null;
  return typeof text === 'string' ? text : null;
};

/** SGLang's control API. While it is paused new requests wait inside it. */
export const sglangControl = (call: ControlCall): EngineControl => {
  const post = async (path: string, body: Readonly<Record<string, unknown>>): Promise<void> => {
    const { status } = await call('POST', path, { body, timeoutMs: SHORT_MS });
    if (status !== 200) throw new EngineStatusError(status);
  };
  return {
    kind: 'sglang',
    readVersion: async () => {
      const { status, data } = await call('GET', '/model_info', { timeoutMs: SHORT_MS });
      if (status !== 200) throw new EngineStatusError(status);
      return textAt(data, 'weight_version');
    },
    stand: async (mode) => {
      const { status } = await call('POST', '/pause_generation', { body: { mode }, timeoutMs: SHORT_MS });
      if (status === 200) return true;
      if (CANNOT.has(status)) return false;
      throw new EngineStatusError(status);
    },
    stop: async () => {
      const { status } = await call('POST', '/pause_generation', { body: { mode: 'abort' }, timeoutMs: SHORT_MS });
      // An old one without the route goes on, and its update waits for what runs.
      if (status !== 200 && !CANNOT.has(status)) throw new EngineStatusError(status);
    },
    resume: () => post('/continue_generation', {}).catch(ignoreUnknownRoute),
    load: async ({ path, version, keepsAnswers, timeoutMs }) => {
      const { status, data } = await call('POST', '/update_weights_from_disk', {
        // A flush of the cache fails while answers stand that go on from it.
        body: { model_path: path, weight_version: version, flush_cache: !keepsAnswers, keep_pause: true },
        timeoutMs,
      });
      const succeeded = isRecord(data) && data.success;
      if (status === 200 && succeeded === true) return;
      if (status === 200) throw new EngineAnswerError('the engine did not say whether it took the weights');
      throw new EngineLoadError(`the engine did not take the weights of ${path} (status ${status})`);
    },
  };
};

const ignoreUnknownRoute = (error: unknown): void => {
  if (!(error instanceof EngineStatusError && CANNOT.has(error.status))) throw error;
};
