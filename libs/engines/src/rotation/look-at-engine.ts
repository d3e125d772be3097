import type { UpstreamClient } from '../upstream-client';

const OK = 200;

/** What an engine says of itself. */
export interface EngineReport {
  /** Whether it can be reached and does not call itself sick. */
  readonly passed: boolean;
  /** Its name of the weights that it serves; null where it has none to tell. */
  readonly weights: string | null;
}

const weightsIn = (text: string): string | null => {
  try {
    const { weight_version: weights } = JSON.parse(text) as { weight_version?: unknown };
    return typeof weights === 'string' ? weights : null;
  } catch {
    return null;
  }
};

/** Looks at an engine from outside, changing nothing. Never rejects. */
export const lookAtEngine = async (client: UpstreamClient, signal: AbortSignal): Promise<EngineReport> => {
  try {
    const health = await client.request('GET', '/health', { api: 'engine', signal });
    await health.body.dump();
    if (health.status >= 500) return { passed: false, weights: null };
    const info = await client.request('GET', '/model_info', { api: 'engine', signal });
    const text = await info.body.text();
    return { passed: true, weights: info.status === OK ? weightsIn(text) : null };
  } catch {
    return { passed: false, weights: null };
  }
};
