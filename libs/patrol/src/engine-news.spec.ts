import { Logger } from '@nestjs/common';
import { Rotation } from '@app/engines';
import { Telemetry } from '@app/telemetry';
import { EngineNews } from './engine-news';

const A = { name: 'a:1' };
const B = { name: 'b:1' };

describe('EngineNews', () => {
  const lines: string[] = [];
  beforeEach(() => {
    for (const level of ['log', 'warn'] as const) {
      jest.spyOn(Logger.prototype, level).mockImplementation((...said: unknown[]) => {
        lines.push(`${level}: ${String(said[0])}`);
      });
    }
  });
  afterEach(() => {
    jest.restoreAllMocks();
    lines.length = 0;
  });

  const watch = () => {
    const telemetry = new Telemetry();
    const news = new EngineNews('policy', telemetry);
    const rotation = new Rotation([A, B], { failures: 2, restMs: 0, ejects: true }, (state) => {
      news.tell(state);
    });
    const ejections = async (condition: string): Promise<number | undefined> => {
      const { values } = await telemetry.metrics.engineEjections.get();
      return values.find(({ labels }) => labels.condition === condition)?.value;
    };
    return { rotation, ejections };
  };

  it('says which engine came back with other weights, and with which, and when it is right again', async () => {
    const { rotation, ejections } = watch();
    rotation.expect('2-2');
    rotation.noteCheck(A, { passed: true, weights: 'default' }, 0);
    rotation.noteCheck(A, { passed: true, weights: 'default' }, 1);
    rotation.noteCheck(A, { passed: true, weights: '2-2' }, 2);
    expect(lines).toEqual([
      'warn: policy engine a:1 gets no requests: it serves the weights "default", and not "2-2"; load the right weights into it, or let the next update do it',
      'log: policy engine a:1 gets requests again: it is in order',
    ]);
    expect(await ejections('stale')).toBe(1);
  });

  it('says what to do where no engine has the right weights: somebody may have changed them past the door', () => {
    const { rotation } = watch();
    rotation.expect('2-2');
    for (const engine of [A, B]) rotation.noteCheck(engine, { passed: true, weights: 'mine' }, 0);
    expect(lines).toHaveLength(3);
    expect(lines.slice(1)).toEqual([
      expect.stringContaining(
        'engine a:1 gets requests again, since no other is in order: it serves the weights "mine"',
      ),
      expect.stringContaining('engine b:1 is out of order, and is asked where there is no better one: it serves'),
    ]);
    for (const line of lines.slice(1)) {
      expect(line).toMatch(
        /POST \/v1\/policy\/updates.*\{"weights_path": THEIR FOLDER\}.*else commit with \{"engine_version": "mine"\}$/,
      );
    }
  });

  it('says nothing twice', () => {
    const news = new EngineNews('prm', new Telemetry());
    const state = { name: 'a:1', condition: 'sick', inRotation: false, weights: null, expected: null } as const;
    for (let i = 0; i < 2; i += 1) news.tell(state);
    expect(lines).toEqual(['warn: prm engine a:1 gets no requests: its last calls or health checks have failed']);
  });

  it('says that the last ones serve on, whatever they are', async () => {
    const { rotation, ejections } = watch();
    for (const engine of [A, B]) for (const at of [0, 1]) rotation.noteCall(engine, false, at);
    expect(lines).toEqual([
      'warn: policy engine a:1 gets no requests: its last calls or health checks have failed',
      'warn: policy engine a:1 gets requests again, since no other is in order: its last calls or health checks have failed',
      'warn: policy engine b:1 is out of order, and is asked where there is no better one: its last calls or health checks have failed',
    ]);
    expect(await ejections('sick')).toBe(1);
  });
});
