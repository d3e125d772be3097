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
    const news = new EngineNews(telemetry);
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
      'warn: policy engine a:1 gets no requests: it serves the weights "default", and not "2-2"',
      'log: policy engine a:1 gets requests again: it is in order',
    ]);
    expect(await ejections('stale')).toBe(1);
  });

  it('says that the last ones serve on, whatever they are', async () => {
    const { rotation, ejections } = watch();
    for (const engine of [A, B]) for (const at of [0, 1]) rotation.noteCall(engine, false, at);
    expect(lines).toEqual([
      'warn: policy engine a:1 gets no requests: it fails again and again',
      'warn: policy engine a:1 gets requests all the same: it fails again and again',
      'warn: policy engine b:1 gets requests all the same: it fails again and again',
    ]);
    expect(await ejections('sick')).toBe(1);
  });
});
