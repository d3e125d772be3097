import type { RunOptions } from './run';

/** What turns a run into one with both signals: two hint teachers, and the temperature at which the policy's double serves. */
export const HYBRID = {
  expects: 'hybrid',
  stack: {
    replicas: { 'opd-teacher': 2 },
    env: { OPENCLAW_RL_RL_ALGORITHM: 'hybrid', OPENCLAW_RL_OPD_STUDENT_TEMPERATURE: '1' },
  },
} as const satisfies Pick<RunOptions, 'expects'> & { readonly stack: Partial<RunOptions['stack']> };
