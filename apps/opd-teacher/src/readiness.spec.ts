import { readinessCheck } from './readiness';

describe('readinessCheck', () => {
  it.each([
    [true, 'up', true, 'ok'],
    [true, 'paused', true, 'degraded'],
    [true, 'none', true, 'degraded'],
    [false, 'up', false, 'unavailable'],
    [false, 'none', false, 'unavailable'],
  ] as const)('with the bus up %s and the teacher %s: ready %s, %s', async (isUp, state, ready, status) => {
    const report = await readinessCheck({ isUp }, { isPaused: false, isGated: false }, { state })();
    expect(report).toMatchObject({ ready, status, detail: { teacher: state } });
  });
});
