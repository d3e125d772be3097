import { readinessCheck } from './readiness';

const check = (state: {
  reachable: boolean;
  busUp: boolean;
  gateClosed?: boolean;
  refuses?: boolean;
  capture?: object;
  engines?: object[];
}) => {
  const parts = [
    { isUp: state.busUp },
    {
      isReachable: () => Promise.resolve(state.reachable),
      refusesAdditions: state.refuses ?? false,
      states: state.engines ?? [],
      ...state.capture,
    },
    { isClosed: state.gateClosed ?? false },
  ] as unknown as Parameters<typeof readinessCheck>;
  return readinessCheck(...parts)();
};

describe('readinessCheck', () => {
  it('is ok with policy and bus', async () => {
    const capture = { route: 'sglext', routeReason: '' };
    await expect(check({ reachable: true, busUp: true, capture })).resolves.toEqual({
      ready: true,
      status: 'ok',
      detail: { policy: 'reachable', bus: 'up', gate: 'open', route: 'sglext', route_reason: '' },
    });
  });

  it('is ready, degraded, without the bus', async () => {
    await expect(check({ reachable: true, busUp: false })).resolves.toMatchObject({
      ready: true,
      status: 'degraded',
      detail: { bus: 'down' },
    });
  });

  it.each([true, false])('is not ready without a policy, bus %p', async (busUp) => {
    await expect(check({ reachable: false, busUp })).resolves.toMatchObject({ ready: false, status: 'unavailable' });
  });

  it('stays ready while the gate is closed: clients are told to wait', async () => {
    const readiness = await check({ reachable: true, busUp: true, gateClosed: true });
    expect(readiness).toMatchObject({ ready: true, status: 'ok', detail: { gate: 'closed' } });
  });

  it('says where a policy server refuses what capture needs', async () => {
    const readiness = await check({ reachable: true, busUp: true, refuses: true });
    expect(readiness).toMatchObject({
      ready: true,
      detail: { route: 'text', route_reason: expect.stringContaining('refuses') },
    });
  });

  it('says that it does not know its route yet', async () => {
    const capture = { route: 'sglext', routeReason: null };
    const readiness = await check({ reachable: true, busUp: true, capture });
    expect(readiness.detail).toMatchObject({
      route: 'unknown',
      route_reason: 'the policy server has not been asked yet',
    });
  });

  it('is degraded while an engine is not in order, and says which and how', async () => {
    const engines = [
      { name: 'a:1', condition: 'ok', inRotation: true, weights: '1-1', expected: '1-1' },
      { name: 'b:1', condition: 'stale', inRotation: false, weights: 'default', expected: '1-1' },
    ];
    const readiness = await check({ reachable: true, busUp: true, engines });
    expect(readiness).toMatchObject({
      ready: true,
      status: 'degraded',
      detail: {
        engines: [
          { engine: 'a:1', condition: 'ok', in_rotation: true },
          {
            engine: 'b:1',
            condition: 'stale',
            in_rotation: false,
            weights: 'default',
            expected_weights: '1-1',
          },
        ],
      },
    });
  });
});
