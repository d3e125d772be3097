import { errorName } from './error-name';

describe('errorName', () => {
  it.each([
    [new TypeError('what somebody said'), 'TypeError'],
    ['what somebody said', 'string'],
    [undefined, 'undefined'],
  ])('of %p is %s', (error, name) => {
    expect(errorName(error)).toBe(name);
  });
});
