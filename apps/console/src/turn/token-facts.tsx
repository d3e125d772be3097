import type { JSX } from 'preact';
import type { TurnDetail, TurnTokens } from '@app/contracts';
import { signed } from '../data/words';

const percent = (logProb: number): string => {
  const share = Math.exp(logProb) * 100;
  return `${share >= 1 ? share.toFixed(1) : share.toPrecision(2)} %`;
};

/** Everything about one token. */
export const TokenFacts = ({
  sources,
  at,
}: {
  sources: Pick<TurnDetail, 'sample'> & { tokens: TurnTokens };
  at: number | null;
}): JSX.Element => {
  const { tokens, sample } = sources;
  if (at === null) return <p class="faint token-facts">Point at a token, or go there with the arrow keys.</p>;
  const student = tokens.logProbs[at] ?? NaN;
  const teacher = tokens.teacherLogProbs?.[at];
  const advantage = tokens.advantages?.[at];
  const mask = tokens.mask?.[at];
  const facts: readonly (readonly [string, string])[] = [
    ['place', `${at + 1} of ${tokens.logProbs.length}`],
    ...(tokens.ids === null ? [] : ([['id', String(tokens.ids[at])]] as const)),
    ['log-prob', `${signed(student, 3)} (${percent(student)})`],
    ...(teacher === undefined
      ? []
      : ([
          ['teacher', `${signed(teacher, 3)} (${percent(teacher)})`],
          ['teacher − student', signed(teacher - student, 3)],
        ] as const)),
    ...(sample === null ? [] : ([['reward', signed(sample.reward * sample.rewardWeight)]] as const)),
    ...(advantage === undefined ? [] : ([['advantage', signed(advantage, 3)]] as const)),
    ['trained on', mask === undefined ? 'no sample' : mask === 1 ? 'yes' : 'masked'],
    ['version', String(tokens.versions[at] ?? '–')],
  ];
  const text = tokens.texts?.[at];
  return (
    <div class="token-facts" role="status">
      {text !== undefined && (
        <p class="token-name">{text === '' ? '(part of a character)' : JSON.stringify(text).slice(1, -1)}</p>
      )}
      <dl>
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
};
