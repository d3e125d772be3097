import type { ControlCall } from './control-call';
import type { EngineControl } from './control-types';
import { EngineLoadError, EngineStatusError } from './engine-errors';

const SHORT_MS = 10_000;
const NO_ROUTE = new Set([404, 405]);

/**
 * vLLM's routes for training, which it has with VLLM_SERVER_DEV_MODE=1: `/pause?mode=keep` freezes running answers, `/resume`
 * lets them go on. It has no name for its weights.
 */
export const vllmControl = (call: ControlCall): EngineControl => {
  /** false: it runs without these routes. */
  const pause = async (mode: 'keep' | 'abort', clearsCache: boolean): Promise<boolean> => {
    const path = `/pause?mode=${mode}&clear_cache=${clearsCache}`;
    const { status } = await call('POST', path, { timeoutMs: SHORT_MS });
    if (NO_ROUTE.has(status)) return false;
    if (status !== 200) throw new EngineStatusError(status);
    return true;
  };
  return {
    kind: 'vllm',
    readVersion: () => Promise.resolve(null),
    stand: (mode) => pause('keep', mode === 'retract'),
    stop: async () => {
      await pause('abort', true);
    },
    resume: async () => {
      const { status } = await call('POST', '/resume', { timeoutMs: SHORT_MS });
      if (status !== 200 && !NO_ROUTE.has(status)) throw new EngineStatusError(status);
    },
    load: async ({ path, timeoutMs }) => {
      const body = { method: 'reload_weights', kwargs: { weights_path: path } };
      const { status } = await call('POST', '/collective_rpc', { body, timeoutMs });
      if (status === 200) return;
      throw new EngineLoadError(`the engine did not take the weights of ${path} (status ${status})`);
    },
  };
};
