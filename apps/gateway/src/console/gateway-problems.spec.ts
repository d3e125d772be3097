import type { EngineState } from '@app/engines';
import { gatewayProblems } from './gateway-problems';

const engine = (condition: EngineState['condition']): EngineState => ({
  name: 'e1',
  condition,
  inRotation: true,
  weights: 'old',
  expected: 'new',
});
const FINE = { busIsUp: true, engines: [engine('ok')], route: 'sglext', routeReason: '' };

test('nothing is wrong with a gateway that has all it needs', () => {
  expect(gatewayProblems(FINE)).toEqual([]);
  expect(gatewayProblems({ ...FINE, route: 'text', routeReason: null })).toEqual([]);
});

test.each([
  ['no bus', { busIsUp: false }, /NATS/],
  ['a sick engine', { engines: [engine('sick')] }, /e1 fails/],
  ['an engine with old weights', { engines: [engine('stale')] }, /other weights/],
  ['an engine without ids', { route: 'text', routeReason: 'it gives no ids' }, /cannot be trained on: it gives no ids/],
])('tells of %s, and what to do', (_, more, what) => {
  const [problem, ...others] = gatewayProblems({ ...FINE, ...more });
  expect(problem!.what).toMatch(what);
  expect(problem!.remedy).not.toBe('');
  expect(others).toEqual([]);
});
