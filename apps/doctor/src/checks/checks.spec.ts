import { Settings } from '@app/config';
import { judgeReach } from '../network/judge-reach';
import { judgeClocks } from './clock';
import { judgeDisk } from './disk';
import { CHECKS } from './index';
import { judgeTempering } from './log-probs';
import { judgeVersion } from './nats';
import { judgeNode } from './node';
import { judgeQueues } from './workers';

const GIB = 1024 ** 3;

describe('checks', () => {
  it('stand behind what they need, and have names of their own', () => {
    const ids = CHECKS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    CHECKS.forEach(({ needs }, i) => {
      expect(ids.slice(0, i)).toEqual(expect.arrayContaining([...needs]));
    });
  });

  it.each([
    ['20.19.0', 'ok'],
    ['24.21.0', 'ok'],
    ['20.18.3', 'failed'],
    ['18.20.1', 'failed'],
  ])('Node %s: %s', (version, status) => {
    expect(judgeNode(version).status).toBe(status);
  });

  it.each([
    ['2.9.10', 1, 'ok'],
    ['2.9.9', 1, 'failed'],
    ['2.8.4', 3, 'failed'],
    ['2.10.0', 1, 'ok'],
    ['2.10.29', 3, 'warning'],
    ['2.11.0', 3, 'ok'],
    ['2.11.0-RC.1', 3, 'ok'],
    ['3.0.0', 3, 'ok'],
    ['0', 1, 'failed'],
  ])('takes nats-server %s with %d copies for %s', (version, copies, status) => {
    const found = judgeVersion(version, copies);
    expect(found.status).toBe(status);
    expect(found.seen).toContain(`nats-server ${version}`);
  });

  it.each([
    [0.5 * GIB, 0, 'failed'],
    [4 * GIB, 5 * GIB, 'warning'],
    [6 * GIB, 5 * GIB, 'ok'],
  ])('%d bytes free, %d to grow: %s', (free, growth, status) => {
    expect(judgeDisk('/store', free, growth).status).toBe(status);
  });

  it('forgives the seconds that a header cannot tell, and no clock of the last century', () => {
    const now = Date.UTC(2027, 0, 1);
    expect(judgeClocks([{ host: 'a', aheadS: -3 }], now).status).toBe('ok');
    expect(
      judgeClocks(
        [
          { host: 'a', aheadS: 1 },
          { host: 'b', aheadS: 90.4 },
        ],
        now,
      ),
    ).toMatchObject({
      status: 'failed',
      seen: 'b is 90 s ahead of this machine',
    });
    expect(judgeClocks([], 0).status).toBe('failed');
  });

  it('knows a host of which only one address answers', () => {
    const tried = [
      { address: '::1', code: 'ECONNREFUSED' },
      { address: '127.0.0.1', code: null },
    ];
    const place = { what: 'the policy', setting: 'server.base_url', isContainer: false };
    expect(judgeReach({ host: 'localhost', port: 8000, tried, elsewhere: [] }, place)).toMatchObject({
      status: 'warning',
      seen: 'the policy: localhost is ::1 and 127.0.0.1 here, and only 127.0.0.1 answers on port 8000',
      remedy: expect.stringContaining('write 127.0.0.1:8000 in server.base_url'),
    });
  });

  it('warns of a queue that is far behind', () => {
    const seen = judgeQueues([{ app: 'prm-judge', isServed: true, pending: 5000 }], 0);
    expect(seen).toMatchObject({ status: 'warning', seen: 'prm-judge is 5000 messages behind' });
  });

  it('minds the temperature of log-probs only where a teacher is compared with', () => {
    expect(judgeTempering(true, new Settings()).status).toBe('ok');
    expect(judgeTempering(null, new Settings()).status).toBe('ok');
  });
});
