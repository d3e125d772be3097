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
  /** Rates the last answer of a session. Never rejects. */
  rate(session: string, feedback: Feedback): Promise<Rated>;
}

/** What has become of a rating: it counts; it is kept and changes nothing; it was not taken. With the reason. */
export type Rated =
  | { readonly fate: 'counts' }
  | { readonly fate: 'kept'; readonly reason: string }
  | { readonly fate: 'refused'; readonly reason: string };

/** An answer of the gateway, as far as this plugin reads it. */
interface Said {
  readonly status?: unknown;
  readonly reason?: unknown;
  readonly error?: { readonly message?: unknown };
}

/** Thrown when the gateway has not done what it was asked for. */
class RefusedError extends Error {
  override readonly name = 'RefusedError';

  constructor(
    message: string,
    readonly isUnknown = false,
  ) {
    super(message);
  }
}

const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);
const reasonOf = (error: unknown): string =>
  error instanceof RefusedError ? error.message : 'the gateway does not answer';

/** The gateway as the provider block names it, with its key. */
export const connectGateway = ({ config, logger }: PluginApi): Gateway => {
  const { baseUrl, apiKey } = config.models?.providers?.[PROVIDER_ID] ?? {};
  const base = typeof baseUrl === 'string' ? baseUrl.replace(/\/+$/, '') : null;
  if (base === null)
    logger.warn(`models.providers.${PROVIDER_ID}.baseUrl is not set: no session is ended, no answer rated`);
  const post = async (path: string, body: unknown, timeoutMs: number): Promise<Said> => {
    if (base === null) throw new RefusedError(`models.providers.${PROVIDER_ID}.baseUrl is not set`);
    const response = await fetch(`${base}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(typeof apiKey === 'string' ? { authorization: `Bearer ${apiKey}` } : {}),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const said = ((await response.json().catch(() => null)) ?? {}) as Said;
    if (response.ok) return said;
    throw new RefusedError(textOr(said.error?.message, `status ${response.status}`), response.status === 404);
  };
  return {
    endSession: async (session) => {
      try {
        await post(`/sessions/${encodeURIComponent(session)}/end`, {}, END_TIMEOUT_MS);
      } catch (error) {
        // A session in which nothing was said has nothing to end.
        if (error instanceof RefusedError && error.isUnknown) return;
        logger.warn(`the gateway was not told of the end of a session: ${reasonOf(error)}`);
      }
    },
    rate: async (session, feedback) => {
      try {
        const { status, reason } = await post('/feedback', { session_id: session, ...feedback }, TIMEOUT_MS);
        return status === 'kept' ? { fate: 'kept', reason: textOr(reason, 'it came too late') } : { fate: 'counts' };
      } catch (error) {
        return { fate: 'refused', reason: reasonOf(error) };
      }
    },
  };
};
