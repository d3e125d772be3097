import { describeError, errorName, errorPlace } from './error-name';

describe('errorName', () => {
  it.each([
    [new TypeError('what somebody said'), 'TypeError'],
    ['what somebody said', 'string'],
    [undefined, 'undefined'],
  ])('of %p is %s', (error, name) => {
    expect(errorName(error)).toBe(name);
  });
});

describe('describeError', () => {
  it.each([
    [new TypeError('no such engine'), 'TypeError: no such engine'],
    [new SyntaxError('what somebody said'), 'SyntaxError'],
    ['what somebody said', 'string'],
  ])('of %p is %s', (error, description) => {
    expect(describeError(error)).toBe(description);
  });
});

describe('errorPlace', () => {
  it('says where an error came from, and nothing of its message, however many lines it has', () => {
    const place = errorPlace(new TypeError('what somebody said\nand more of it'));
    expect(place).toMatch(/^TypeError\n {4}at .*error-name\.spec/);
    expect(place).not.toMatch(/said|more/);
    expect(errorPlace('what somebody said')).toBe('a thrown string');
  });
});
