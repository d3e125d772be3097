import { isComparable } from './temperature';

describe('isComparable', () => {
  it.each([
    ['before the temperature, served at 0.6', false, 0.6, null, true],
    ['before the temperature, served at nobody knows what', false, null, null, true],
    ['after the temperature, served at 0.6', true, 0.6, null, false],
    ['after the temperature, served at 1', true, 1, null, true],
    ['after the temperature, at nobody knows what', true, null, null, false],
    ['after the temperature, at what the configuration says the engine does', true, null, 1, true],
    ['after the temperature, at 0.6, whatever the configuration says', true, 0.6, 1, false],
    ['nobody knows how, served at 0.6', null, 0.6, null, false],
    ['nobody knows how, served at 1', null, 1, null, true],
    ['nobody knows how, served at nobody knows what', null, null, null, false],
  ])('log-probs taken %s', (...[, logProbsTempered, temperature, assumed, comparable]) => {
    expect(isComparable({ sampling: { temperature }, logProbsTempered }, assumed)).toBe(comparable);
  });
});
