/** What `/readyz` answers: whether the app can do its work, and what is missing in words. */
export interface Readiness {
  readonly ready: boolean;
  readonly status: 'ok' | 'degraded' | 'unavailable';
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Each app says for itself when it is ready; provided under this token. */
export const READINESS = Symbol('READINESS');

/** Which app it is whose metrics are asked for; provided under this token. */
export const APP_NAME = Symbol('APP_NAME');

export type ReadinessCheck = () => Readiness | Promise<Readiness>;
