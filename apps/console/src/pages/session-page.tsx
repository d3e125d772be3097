import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { TurnRow } from '@app/contracts';
import { useAnswer, useConsole, useLive } from '../data/context';
import { focusContent } from '../data/route';
import { mergeRows } from '../data/store';
import { timeOf } from '../data/words';
import { Fate, Hint, Votes } from '../parts/turn-marks';

/** The session that goes by this name: by its key, or by what its client calls it. Clients may call theirs alike. */
export const SessionPage = ({ name }: { name: string }): JSX.Element => {
  const { api } = useConsole();
  const { rows, gone } = useLive();
  const { value, error } = useAnswer(() => api.sessionsCalled(name), [api, name, rows[0]?.turnId, gone]);
  const [deleted, setDeleted] = useState<string | null>(null);
  const sessions = value?.sessions ?? [];
  const [only] = sessions;
  return (
    <>
      <h1>Session</h1>
      <p class="faint mono">{name}</p>
      {error !== null && <p class="problem">{error}</p>}
      {deleted !== null && (
        <p class="empty" role="status">
          {deleted}
        </p>
      )}
      {deleted === null && value !== null && sessions.length === 0 && (
        <p class="empty">Nothing is kept of this session.</p>
      )}
      {deleted === null && only !== undefined && sessions.length === 1 && (
        <Timeline session={only.session} onDeleted={setDeleted} />
      )}
      {sessions.length > 1 && <Namesakes sessions={sessions.map(({ session }) => session)} />}
    </>
  );
};

const Namesakes = ({ sessions }: { sessions: readonly string[] }): JSX.Element => (
  <>
    <p>Several clients have a session that they call so:</p>
    <ul class="plain-list">
      {sessions.map((session) => (
        <li key={session}>
          <a class="mono" href={`#/sessions/${session}`}>
            {session}
          </a>
        </li>
      ))}
    </ul>
  </>
);

/** One session as it went, turn by turn; an operator may remove it for good. */
const Timeline = (props: { session: string; onDeleted: (said: string) => void }): JSX.Element => {
  const { session, onDeleted } = props;
  const { api, role, store } = useConsole();
  const { rows, gone } = useLive();
  const query = new URLSearchParams({ session, limit: '500' });
  const { value, error } = useAnswer(() => api.turns(query), [api, session]);
  const live = rows.filter((row) => row.session === session);
  const turns = mergeRows(value?.turns ?? [], live, Infinity)
    .filter(({ turnId }) => !gone.has(turnId))
    .reverse();
  const onDone = (said: string): void => {
    store.forget(turns.map(({ turnId }) => turnId));
    onDeleted(said);
    focusContent();
  };
  return (
    <>
      {error !== null && <p class="problem">{error}</p>}
      <ol class="timeline">
        {turns.map((row, i) => (
          <Step key={row.turnId} row={row} before={turns[i - 1]} />
        ))}
      </ol>
      {value !== null && turns.length === 0 && <p class="empty">Nothing is kept of this session.</p>}
      {role === 'operator' && turns.length > 0 && <Erase session={session} onDone={onDone} />}
    </>
  );
};

const pauseOf = (row: TurnRow, before: TurnRow | undefined): string | null => {
  if (before === undefined) return null;
  const seconds = Math.round((row.arrivedAt - (before.completedAt ?? before.arrivedAt)) / 1000);
  return seconds < 60 ? null : `${Math.round(seconds / 60)} min later`;
};

const Step = ({ row, before }: { row: TurnRow; before: TurnRow | undefined }): JSX.Element => {
  const pause = pauseOf(row, before);
  const seconds = row.completedAt === null ? null : (row.completedAt - row.arrivedAt) / 1000;
  return (
    <li class={row.kind === 'side' ? 'is-side' : ''}>
      {pause !== null && <span class="pause">{pause}</span>}
      <a href={`#/turns/${row.turnId}`}>{timeOf(row.arrivedAt)}</a>
      <span class="faint">
        {row.kind} · version {row.policyVersion} · {row.tokens ?? '–'} tokens
        {seconds !== null && ` · ${seconds.toFixed(1)} s`}
      </span>
      <Votes row={row} />
      <Hint row={row} />
      <Fate row={row} />
    </li>
  );
};

const Erase = ({ session, onDone }: { session: string; onDone: (said: string) => void }): JSX.Element => {
  const { api } = useConsole();
  const dialog = useRef<HTMLDialogElement>(null);
  const [error, setError] = useState<string | null>(null);
  const erase = async (): Promise<void> => {
    try {
      const { deleted } = await api.erase(session);
      dialog.current?.close();
      onDone(
        `Deleted: ${deleted.messages} messages and ${deleted.records} records. Samples that a trainer holds stay with it.`,
      );
    } catch (failure) {
      setError(failure instanceof Error ? failure.message : String(failure));
    }
  };
  return (
    <>
      <button type="button" class="danger" onClick={() => dialog.current?.showModal()}>
        Delete this session’s data …
      </button>
      <dialog ref={dialog} aria-labelledby="erase-title">
        <h2 id="erase-title">Delete this session’s data?</h2>
        <p>Its messages go from every stream, and its records from the disk. There is no way back.</p>
        {error !== null && (
          <p class="problem" role="alert">
            {error}
          </p>
        )}
        <p class="row">
          <button type="button" class="danger" onClick={() => void erase()}>
            Delete
          </button>
          <button type="button" class="quiet" autofocus onClick={() => dialog.current?.close()}>
            Keep
          </button>
        </p>
      </dialog>
    </>
  );
};
