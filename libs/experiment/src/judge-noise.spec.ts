import { flipScore, isMisread } from './judge-noise';

describe('isMisread', () => {
  const questions = Array.from({ length: 5000 }, (_, at) => `Was answer ${at} what the user wanted?`);
  const misread = (share: number, seed = 1): string[] => questions.filter((each) => isMisread(each, { share, seed }));

  it.each([0, 0.04, 0.2, 1])('is so for a share of %d', (share) => {
    expect(Math.abs(misread(share).length / questions.length - share)).toBeLessThan(0.015);
  });

  it('says the same whenever a question is asked, and something else for another seed', () => {
    expect(misread(0.2)).toEqual(misread(0.2));
    expect(misread(0.2)).not.toEqual(misread(0.2, 2));
  });
});

describe('flipScore', () => {
  it.each([
    ['The user accepts it. \\boxed{1}', 'The user accepts it. \\boxed{-1}'],
    ['The user corrects it. \\boxed{-1}', 'The user corrects it. \\boxed{1}'],
    ['It says nothing. \\boxed{0}', 'It says nothing. \\boxed{0}'],
    ['{"reason":"accepts","score":1}', '{"reason":"accepts","score":-1}'],
    ['{"reason":"corrects","score":-1}', '{"reason":"corrects","score":1}'],
    ['{"reason":"nothing","score":0}', '{"reason":"nothing","score":0}'],
  ])('%s', (answer, flipped) => {
    expect(flipScore(answer)).toBe(flipped);
  });
});
