/** What an engine says of itself. */
export interface EngineReport {
  /** Whether it can be reached and does not call itself sick. */
  readonly passed: boolean;
  /** Its name of the weights that it serves; null where it has none to tell. */
  readonly weights: string | null;
}

/** Reads one of an engine's own routes. Rejects where it cannot be reached. */
export type EngineGet = (path: string) => Promise<{ readonly status: number; readonly text: string }>;

const OK = 200;

const weightsIn = (text: string): string | null => {
  try {
    const { weight_version: weights } = JSON.parse(text) as { weight_version?: unknown };
    return typeof weights === 'string' ? weights : null;
  } catch {
    return null;
  }
};

/** Looks at an engine from outside, changing nothing. Never rejects. */
export const lookAtEngine = async (get: EngineGet): Promise<EngineReport> => {
  try {
    const health = await get('/health');
    if (health.status >= 500) return { passed: false, weights: null };
    const info = await get('/model_info');
    return { passed: true, weights: info.status === OK ? weightsIn(info.text) : null };
  } catch {
    return { passed: false, weights: null };
  }
};
