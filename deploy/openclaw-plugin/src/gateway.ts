import { PROVIDER_ID, type PluginApi } from './host';

const TIMEOUT_MS = 5000;
/** All sessions together have two seconds when OpenClaw stops. */
const END_TIMEOUT_MS = 1500;

/** What a person says of an answer. */
export interface Feedback {
  readonly score?: 1 | -1 | 0;
  readonly text?: string;
}

/** The gateway's routes beside the chat. */
export interface Gateway {
  /** Says that a session is over. Never rejects: it is idle some time later anyway. */
  endSession(session: string): Promise<void>;
  /** Rates the last answer of a session. Resolves with what stands against it; null: it is rated. */
  rate(session: string, feedback: Feedback): Promise<string | null>;
}

const messageIn = async (response: Response): Promise<string> => {
  const body = (await response.json().catch(() => null)) as { error?: { message?: unknown } } | null;
  const message = body?.error?.message;
  return typeof message === 'string' ? message : `status ${response.status}`;
};

/** The gateway as the provider block names it, with its key. */
export const connectGateway = ({ config, logger }: PluginApi): Gateway => {
  const { baseUrl, apiKey } = config.models?.providers?.[PROVIDER_ID] ?? {};
  const base = typeof baseUrl === 'string' ? baseUrl.replace(/\/+$/, '') : null;
  if (base === null)
    logger.warn(`models.providers.${PROVIDER_ID}.baseUrl is not set: no session is ended, no answer rated`);
  const post = async (path: string, body: unknown, timeoutMs: number): Promise<string | null> => {
    if (base === null) return `models.providers.${PROVIDER_ID}.baseUrl is not set`;
    try {
      const response = await fetch(`${base}${path}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(typeof apiKey === 'string' ? { authorization: `Bearer ${apiKey}` } : {}),
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      });
      return response.ok ? null : await messageIn(response);
    } catch {
      return 'the gateway does not answer';
    }
  };
  return {
    endSession: async (session) => {
      const problem = await post(`/sessions/${encodeURIComponent(session)}/end`, {}, END_TIMEOUT_MS);
      if (problem !== null) logger.warn(`the gateway was not told of the end of a session: ${problem}`);
    },
    rate: (session, feedback) => post('/feedback', { session_id: session, ...feedback }, TIMEOUT_MS),
  };
};
