import { reasonIn } from './reason-in';

describe('reasonIn', () => {
  it.each([
    ['{"reason":"The user corrects the response.","score":-1}', 'The user corrects the response.'],
    ['The user says thanks. \\boxed{1}', 'The user says thanks. \\boxed{1}'],
    ['{"score":1}', '{"score":1}'],
    ['{"reason":" ","score":1}', '{"reason":" ","score":1}'],
    ['{"reason":7}', '{"reason":7}'],
    ['null', 'null'],
  ])('reads %s', (text, reason) => {
    expect(reasonIn(text)).toBe(reason);
  });
});
