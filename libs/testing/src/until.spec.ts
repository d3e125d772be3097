import { ConditionTimeoutError, until } from './until';

describe('until', () => {
  it('returns the first truthy value', async () => {
    let looks = 0;
    await expect(until(() => (++looks === 3 ? 'there' : undefined), { what: 'third look', everyMs: 1 })).resolves.toBe(
      'there',
    );
  });

  it('names what was not reached, with the last error as cause', async () => {
    const cause = new TypeError('not yet');
    const waiting = until(
      () => {
        throw cause;
      },
      { what: 'a verdict', timeoutMs: 5, everyMs: 1 },
    );
    await expect(waiting).rejects.toBeInstanceOf(ConditionTimeoutError);
    await expect(waiting).rejects.toMatchObject({ what: 'a verdict', cause });
  });
});
