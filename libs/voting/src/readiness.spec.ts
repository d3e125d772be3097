import { votingReadiness } from './readiness';

describe('votingReadiness', () => {
  it.each([
    [true, false, true, 'ok'],
    [true, true, true, 'degraded'],
    [false, false, false, 'unavailable'],
    [false, true, false, 'unavailable'],
  ])('with the bus up %s and the judge paused %s: ready %s, %s', async (isUp, isPaused, ready, status) => {
    await expect(Promise.resolve(votingReadiness({ isUp }, { isPaused })())).resolves.toMatchObject({ ready, status });
  });
});
