import { loadSettings } from '@app/config';
import { restingReadiness, votingReadiness } from './readiness';

describe('votingReadiness', () => {
  it.each([
    [true, false, true, 'ok'],
    [true, true, true, 'degraded'],
    [false, false, false, 'unavailable'],
    [false, true, false, 'unavailable'],
  ])('with the bus up %s and the judge paused %s: ready %s, %s', async (isUp, isPaused, ready, status) => {
    await expect(Promise.resolve(votingReadiness({ isUp }, { isPaused, isGated: false })())).resolves.toMatchObject({
      ready,
      status,
    });
  });

  it('says that the judge waits for a weight update, which is no fault', async () => {
    const report = await votingReadiness({ isUp: true }, { isPaused: false, isGated: true })();
    expect(report).toMatchObject({ ready: true, status: 'ok', detail: { judge: 'waits for a weight update' } });
  });
});

describe('restingReadiness', () => {
  it.each([
    [true, 'ok'],
    [false, 'unavailable'],
  ])('with the bus up %s: %s, and says why nobody is asked', async (isUp, status) => {
    const report = await restingReadiness({ rl: loadSettings({}, () => null).rl }, { isUp })();
    expect(report).toMatchObject({ ready: isUp, status, detail: { judge: 'not asked with rl.algorithm binary' } });
  });
});
