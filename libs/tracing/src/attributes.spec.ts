import { errorType } from './attributes';

class CodedError extends Error {
  override readonly name = 'CodedError';

  constructor(readonly code: unknown) {
    super('what somebody said');
  }
}

describe('errorType', () => {
  it.each([
    [new TypeError('what somebody said'), 'TypeError'],
    [new CodedError('ECONNREFUSED'), 'ECONNREFUSED'],
    [new CodedError(400), '400'],
    [new CodedError('what somebody said'), 'CodedError'],
    [new CodedError(null), 'CodedError'],
    ['what somebody said', 'string'],
  ])('of %p is %s, never its message', (error, type) => {
    expect(errorType(error)).toBe(type);
  });
});
