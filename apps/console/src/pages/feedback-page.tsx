import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { TurnRow } from '@app/contracts';
import { useConsole, useLive } from '../data/context';
import { agoOf, shortId } from '../data/words';
import { Rating } from '../parts/rating';
import { Said } from '../parts/said';
import { Fate, Votes } from '../parts/turn-marks';

const SHOWN = 30;

/** Answers of the conversation itself that nobody has rated yet first, then those that somebody has. */
export const FeedbackPage = (): JSX.Element => {
  const { rows, now } = useLive();
  const { role } = useConsole();
  const [chosen, setChosen] = useState<string | null>(null);
  const answers = rows.filter(({ kind, completedAt }) => kind === 'main' && completedAt !== null);
  const open = answers.filter(({ feedback }) => feedback === null).slice(0, SHOWN);
  const rated = answers.filter(({ feedback }) => feedback !== null).slice(0, SHOWN);
  const show = (row: TurnRow): JSX.Element => (
    <li key={row.turnId} class="card">
      <p class="row">
        <a href={`#/turns/${row.turnId}`}>{shortId(row.turnId)}</a>
        <span class="faint">{agoOf(row.arrivedAt, now?.at ?? Date.now())}</span>
        <Votes row={row} />
        <Fate row={row} />
        {role === 'operator' && (
          <button
            type="button"
            class="quiet at-end"
            aria-label={`Rate ${shortId(row.turnId)}`}
            aria-expanded={chosen === row.turnId}
            onClick={() => {
              setChosen(chosen === row.turnId ? null : row.turnId);
            }}
          >
            Rate
          </button>
        )}
      </p>
      {chosen === row.turnId && <Said turnId={row.turnId} />}
      {chosen === row.turnId && (
        <Rating
          turnId={row.turnId}
          onLeft={() => {
            setChosen(null);
            document.querySelector<HTMLElement>('button[aria-expanded="true"]')?.focus();
          }}
        />
      )}
    </li>
  );
  return (
    <>
      <h1>Feedback</h1>
      <p class="faint">
        A thumb stands in for the judge’s votes; a word says how the answer should have been. Before its turn is
        decided, both are learnt from.
      </p>
      <h2>Not rated yet</h2>
      {open.length === 0 ? <p class="empty">Nothing to rate.</p> : <ul class="plain-list">{open.map(show)}</ul>}
      {rated.length > 0 && (
        <>
          <h2>Rated</h2>
          <ul class="plain-list">{rated.map(show)}</ul>
        </>
      )}
    </>
  );
};
