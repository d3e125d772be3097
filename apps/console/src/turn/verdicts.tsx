import type { JSX } from 'preact';
import type { TurnDetail } from '@app/contracts';
import { nameOfScore } from '../parts/turn-marks';
import { timeOf } from '../data/words';
import { reasonIn } from './reason-in';

const Reason = ({ text }: { text: string | null }): JSX.Element | null =>
  text === null ? null : <p class="said reason">{reasonIn(text)}</p>;

/** What the judge said, vote by vote. */
export const JudgeView = ({ judge }: { judge: NonNullable<TurnDetail['judge']> }): JSX.Element => (
  <section class="card" aria-labelledby="judge-title">
    <h2 id="judge-title">
      Votes <small>{judge.model}</small>
    </h2>
    {judge.detail !== null && <p class="faint">{judge.detail.replaceAll('_', ' ')}</p>}
    <ol class="votes">
      {judge.votes.map(({ score, text, millis }, i) => (
        <li key={i}>
          <i class={`dot ${nameOfScore(score)}`} aria-hidden="true" /> <strong>{nameOfScore(score)}</strong>{' '}
          <span class="faint">{millis} ms</span>
          <Reason text={text} />
        </li>
      ))}
    </ol>
    {judge.votes.length === 0 && <p class="faint">No vote was cast.</p>}
  </section>
);

/** What should have been different, and who says so. */
export const HintView = ({ hint }: { hint: NonNullable<TurnDetail['hint']> }): JSX.Element => (
  <section class="card" aria-labelledby="hint-title">
    <h2 id="hint-title">
      Hint <small>{hint.teacher ?? hint.model}</small>
    </h2>
    {hint.text !== null && <blockquote class="hint said">{hint.text}</blockquote>}
    {hint.reason !== null && <p class="faint">No signal: {hint.reason.replaceAll('_', ' ')}.</p>}
    <details>
      <summary>{hint.votes.length} votes</summary>
      <ol class="votes">
        {hint.votes.map(({ decision, text, hint: proposed }, i) => (
          <li key={i}>
            <strong>
              {decision === 1 ? 'there is something to learn' : decision === -1 ? 'nothing to learn' : 'no vote'}
            </strong>
            {i === hint.selected && ' (taken)'}
            <Reason text={text ?? proposed} />
          </li>
        ))}
      </ol>
    </details>
  </section>
);

export const FeedbackView = ({ feedback }: { feedback: TurnDetail['feedback'] }): JSX.Element => (
  <ul class="votes">
    {feedback.map(({ givenAt, score, text, outcome }, i) => (
      <li key={i}>
        {score !== null && (
          <>
            <i class={`dot person ${nameOfScore(score)}`} aria-hidden="true" /> <strong>{nameOfScore(score)}</strong>
          </>
        )}{' '}
        <span class="faint">{timeOf(givenAt)}</span>
        {outcome !== null && ` session ${outcome}`}
        <Reason text={text} />
      </li>
    ))}
  </ul>
);
