import { NO_TRACER } from './tracer';

describe('NO_TRACER', () => {
  it('does the work and nothing else', async () => {
    await expect(NO_TRACER.span('a', {}, () => Promise.resolve(1))).resolves.toBe(1);
    await expect(NO_TRACER.turn('t', { name: 'a' }, () => Promise.resolve(2))).resolves.toBe(2);
    expect(NO_TRACER.keep()(() => 3)).toBe(3);
    expect(NO_TRACER.isRunning).toBe(false);
    expect(NO_TRACER.traceparent).toBeUndefined();
    const failed = new TypeError('x');
    await expect(NO_TRACER.span('a', {}, () => Promise.reject(failed))).rejects.toBe(failed);
  });
});
