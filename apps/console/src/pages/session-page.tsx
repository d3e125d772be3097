import type { JSX } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { TurnRow } from '@app/contracts';
import { useAnswer, useConsole, useLive } from '../data/context';
import { mergeRows } from '../data/store';
import { timeOf } from '../data/words';
import { Fate, Hint, Votes } from '../parts/turn-marks';

/** One session as it went, turn by turn; an operator may remove it for good. */
export const SessionPage = ({ session }: { session: string }): JSX.Element => {
  const { api, role } = useConsole();
  const live = useLive().rows.filter((row) => row.session === session);
  const query = new URLSearchParams({ session, limit: '500' });
  const { value, error } = useAnswer(() => api.turns(query), [api, session]);
  const [deleted, setDeleted] = useState<string | null>(null);
  const turns = mergeRows(value?.turns ?? [], live, Infinity).reverse();
  if (deleted !== null)
    return (
      <p class="empty" role="status">
        {deleted}
      </p>
    );
  return (
    <>
      <h1>Session</h1>
      <p class="faint mono">{session}</p>
      {error !== null && <p class="problem">{error}</p>}
      <ol class="timeline">
        {turns.map((row, i) => (
          <Step key={row.turnId} row={row} before={turns[i - 1]} />
        ))}
      </ol>
      {value !== null && turns.length === 0 && <p class="empty">Nothing is kept of this session.</p>}
      {role === 'operator' && turns.length > 0 && <Erase session={session} onDone={setDeleted} />}
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
          <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
            Keep
          </button>
        </p>
      </dialog>
    </>
  );
};
