import { extractLogProbs } from './extract-log-probs';
import choices from './fixtures/choices.json';

describe('extractLogProbs', () => {
  it.each(choices as readonly { name: string; choice: unknown; logProbs: (number | null)[] }[])(
    '$name',
    ({ choice, logProbs }) => {
      expect(extractLogProbs(choice)).toEqual(logProbs);
    },
  );

  it.each([null, undefined, 'choice', 3])('finds none in %p', (choice) => {
    expect(extractLogProbs(choice)).toEqual([]);
  });

  it.each(['', ' ', 'NaN', 'Infinity', 'x', true, {}])('takes the value %p as missing, not as 0', (logprob) => {
    expect(extractLogProbs({ logprobs: { content: [{ logprob }, { logprob: -1 }] } })).toEqual([null, -1]);
  });
});
