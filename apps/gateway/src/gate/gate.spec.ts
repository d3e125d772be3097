import { INITIAL_POLICY_STATE, type PolicyState, type PolicyWatch } from '@app/pools';
import { OpenAiError } from '../errors/openai-error';
import { Gate } from './gate';

const NOW = Date.parse('2026-11-30T06:31:00Z');

const gateWith = (gate: PolicyState['gate']): Gate => {
  const watch: Pick<PolicyWatch, 'current'> = { current: { ...INITIAL_POLICY_STATE, gate } };
  return new Gate(watch as PolicyWatch);
};

const refusal = (gate: Gate): OpenAiError => {
  try {
    gate.assertOpen();
  } catch (error) {
    if (error instanceof OpenAiError) return error;
    throw error;
  }
  throw new TypeError('the gate was open');
};

describe('Gate', () => {
  beforeEach(() => jest.useFakeTimers({ now: NOW }));
  afterEach(() => jest.useRealTimers());

  it.each([
    ['while weights are served', { state: 'serving' }],
    ['before anybody has closed it', INITIAL_POLICY_STATE.gate],
    ['once the holder’s lease has ended', { state: 'updating', until: NOW }],
    ['long after that', { state: 'draining', until: NOW - 60_000 }],
  ] as const)('is open %s', (_when, state) => {
    const gate = gateWith(state);
    expect(gate.isClosed).toBe(false);
    expect(() => {
      gate.assertOpen();
    }).not.toThrow();
  });

  it.each([
    ['draining', { state: 'draining', until: NOW + 3000 }, '3'],
    ['updating', { state: 'updating', until: NOW + 3000 }, '3'],
    ['updating for long', { state: 'updating', until: NOW + 600_000 }, '10'],
    ['updating for a moment', { state: 'updating', until: NOW + 1 }, '1'],
    ['updating without an end', { state: 'updating' }, '10'],
  ] as const)('refuses while %s, and says when to come again', (_when, state, retryAfter) => {
    const error = refusal(gateWith(state));
    expect(error.status).toBe(503);
    expect(error.headers).toEqual({ 'retry-after': retryAfter });
    expect(error.body).toEqual({
      detail: 'submission paused for weight update',
      error: {
        message: 'the model is being updated, try again shortly',
        type: 'server_error',
        param: null,
        code: 'weight_update',
      },
    });
  });
});
