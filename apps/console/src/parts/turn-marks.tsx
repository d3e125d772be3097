import type { JSX } from 'preact';
import type { TurnRow } from '@app/contracts';
import { FATES, FATE_REASONS } from '../data/words';

type Mark = 1 | -1 | 0 | null;
const NAMES = new Map<Mark, string>([
  [1, 'good'],
  [-1, 'bad'],
  [0, 'neutral'],
  [null, 'none'],
]);

export const nameOfScore = (score: Mark): string => NAMES.get(score) ?? 'none';

/** One dot a vote; a person's word is a ring around its own. */
export const Votes = ({ row }: { row: TurnRow }): JSX.Element => {
  const { votes, score, judgedAt, feedback } = row;
  const cast: readonly Mark[] = votes ?? (judgedAt === null ? [] : [score]);
  const said = [
    ...(cast.length === 0 ? [] : [`votes: ${cast.map(nameOfScore).join(', ')}`]),
    ...(feedback === null ? [] : [`a person: ${nameOfScore(feedback)}`]),
  ].join('; ');
  if (said === '') return <span class="faint">–</span>;
  return (
    <span class="dots" role="img" aria-label={said} title={said}>
      {cast.map((vote, i) => (
        <i key={i} class={`dot ${nameOfScore(vote)}`} />
      ))}
      {feedback !== null && <i class={`dot person ${nameOfScore(feedback)}`} />}
    </span>
  );
};

export const Fate = ({ row }: { row: TurnRow }): JSX.Element => (
  <span
    class={`fate ${row.fate === 'sample' ? 'is-sample' : row.fate === 'open' ? 'is-open' : ''}`}
    title={FATE_REASONS[row.fate]}
  >
    {FATES[row.fate]}
    {row.fate === 'sample' && row.signal !== null && <small>{row.signal}</small>}
    {row.detail !== null && row.detail !== '' && <small>{row.detail.replaceAll('_', ' ')}</small>}
  </span>
);

export const Hint = ({ row }: { row: TurnRow }): JSX.Element => {
  if (row.hint === null) return <span class="faint">–</span>;
  return row.hint === 'accepted' ? (
    <span class="hint-yes">hint</span>
  ) : (
    <span class="faint">{row.hint.replaceAll('_', ' ')}</span>
  );
};
