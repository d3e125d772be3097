import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { TurnDetail } from '@app/contracts';
import { useAnswer, useConsole, useLive } from '../data/context';
import { FATE_REASONS, shortId, signed, timeOf } from '../data/words';
import { Rating } from '../parts/rating';
import { Fate, Votes } from '../parts/turn-marks';
import { MessageView } from '../turn/conversation';
import { TokenView } from '../turn/token-view';
import { FeedbackView, HintView, JudgeView } from '../turn/verdicts';

const WITHHELD = {
  role: 'A viewer sees every number and no text. An operator’s key shows it.',
  not_recorded: 'Text is shown only where records are on: records.enabled = true.',
} as const;

/** Everything about one turn; anew whenever something is told of it. */
export const TurnPage = ({ id }: { id: string }): JSX.Element => {
  const { api } = useConsole();
  const { rows } = useLive();
  const [count, setCount] = useState(0);
  const told = JSON.stringify(rows.find(({ turnId }) => turnId === id) ?? null);
  const { value, error } = useAnswer(() => api.turn(id), [api, id, told, count]);
  if (error !== null) return <p class="problem">{error}</p>;
  if (value === null) return <p class="empty">Asking …</p>;
  if (value.turn === null)
    return <p class="empty">Nothing is kept of this turn: it was deleted, or is older than what is kept.</p>;
  return (
    <Whole
      turn={value.turn}
      onRated={() => {
        setCount(count + 1);
      }}
    />
  );
};

const Whole = ({ turn, onRated }: { turn: TurnDetail; onRated: () => void }): JSX.Element => {
  const { row, tokens, sample } = turn;
  const sources = useMemo(
    () => (tokens === null ? null : { tokens, sample }),
    [JSON.stringify([tokens?.ids, tokens?.advantages, tokens?.teacherLogProbs])],
  );
  return (
    <>
      <h1>
        Turn <span class="mono">{shortId(row.turnId)}</span>
      </h1>
      <Facts turn={turn} />
      {turn.text !== 'shown' && <p class="note">{WITHHELD[turn.text]}</p>}
      {turn.messages !== null && (
        <section class="conversation" aria-label="Conversation">
          {turn.leftOut > 0 && <p class="faint">{turn.leftOut} older messages are left out.</p>}
          {turn.messages.map((message, i) => (
            <MessageView key={i} message={message} />
          ))}
          {turn.response !== null && sources === null && <MessageView message={turn.response} />}
        </section>
      )}
      {sources === null ? (
        <p class="note">No token ids and log-probs are kept of this answer.</p>
      ) : (
        <TokenView sources={sources} />
      )}
      {turn.response !== null && sources !== null && tokens?.texts === null && (
        <section class="conversation" aria-label="Answer">
          <MessageView message={turn.response} />
        </section>
      )}
      {turn.nextState !== null && (
        <section class="conversation next-state" aria-label="What followed">
          {turn.nextState.map((message, i) => (
            <MessageView key={i} message={message} name={`then: ${message.role}`} />
          ))}
        </section>
      )}
      <div class="verdicts">
        {turn.judge !== null && <JudgeView judge={turn.judge} />}
        {turn.hint !== null && <HintView hint={turn.hint} />}
        <section class="card" aria-labelledby="people-title">
          <h2 id="people-title">People</h2>
          {turn.feedback.length > 0 && <FeedbackView feedback={turn.feedback} />}
          <Rating turnId={row.turnId} onGiven={onRated} />
        </section>
      </div>
    </>
  );
};

const Facts = ({ turn }: { turn: TurnDetail }): JSX.Element => {
  const { row, sample } = turn;
  const seconds = row.completedAt === null ? null : (row.completedAt - row.arrivedAt) / 1000;
  return (
    <section class="card turn-facts" aria-label="In short">
      <p class="row">
        <Fate row={row} /> <Votes row={row} />
        {sample !== null && <span>reward {signed(sample.reward)}</span>}
      </p>
      <p>{FATE_REASONS[row.fate]}</p>
      <dl class="facts">
        <div>
          <dt>arrived</dt>
          <dd>{timeOf(row.arrivedAt)}</dd>
        </div>
        <div>
          <dt>took</dt>
          <dd>{seconds === null ? '…' : `${seconds.toFixed(2)} s`}</dd>
        </div>
        <div>
          <dt>session</dt>
          <dd>
            {row.session === null ? (
              '–'
            ) : (
              <a href={`#/sessions/${row.session}`}>{turn.sessionId ?? shortId(row.session)}</a>
            )}
          </dd>
        </div>
        <div>
          <dt>kind</dt>
          <dd>{row.kind}</dd>
        </div>
        <div>
          <dt>model</dt>
          <dd>{turn.model ?? '–'}</dd>
        </div>
        <div>
          <dt>policy version</dt>
          <dd>{row.policyVersion}</dd>
        </div>
        <div>
          <dt>route</dt>
          <dd>{row.route ?? '–'}</dd>
        </div>
        <div>
          <dt>temperature</dt>
          <dd>{turn.sampling?.temperature ?? 'the engine’s own'}</dd>
        </div>
        <div>
          <dt>finish</dt>
          <dd>{turn.finishReason ?? '–'}</dd>
        </div>
      </dl>
    </section>
  );
};
