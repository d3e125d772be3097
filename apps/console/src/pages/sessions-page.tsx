import type { JSX } from 'preact';
import { useAnswer, useConsole, useLive } from '../data/context';
import { agoOf, shortId, timeOf } from '../data/words';

/** The newest sessions. */
export const SessionsPage = (): JSX.Element => {
  const { api } = useConsole();
  const { rows, now, gone } = useLive();
  const { value, error } = useAnswer(api.sessions, [api, rows.length, rows[0]?.turnId, gone]);
  const at = now?.at ?? Date.now();
  return (
    <>
      <h1>Sessions</h1>
      {error !== null && <p class="problem">{error}</p>}
      <div class="scroll" tabIndex={0} role="region" aria-label="Sessions">
        <table class="stacks">
          <thead>
            <tr>
              <th scope="col">Session</th>
              <th scope="col" class="number">
                Turns
              </th>
              <th scope="col" class="number">
                Samples
              </th>
              <th scope="col">Judged</th>
              <th scope="col">Begun</th>
              <th scope="col">Last turn</th>
              <th scope="col">End</th>
              <th scope="col" class="number">
                Outcome
              </th>
            </tr>
          </thead>
          <tbody>
            {(value?.sessions ?? []).map((row) => (
              <tr key={row.session}>
                <th scope="row">
                  <a class="cover" href={`#/sessions/${row.session}`}>
                    {shortId(row.session)}
                  </a>
                </th>
                <td data-name="turns" class="number">
                  {row.turns}
                </td>
                <td data-name="samples" class="number">
                  {row.samples}
                </td>
                <td>
                  {row.good + row.bad === 0 ? (
                    <span class="faint">–</span>
                  ) : (
                    <>
                      <span class="good-text">{row.good} good</span> <span class="bad-text">{row.bad} bad</span>
                    </>
                  )}
                </td>
                <td data-name="begun" title={timeOf(row.firstAt)}>
                  {agoOf(row.firstAt, at)}
                </td>
                <td data-name="last turn" title={timeOf(row.lastAt)}>
                  {agoOf(row.lastAt, at)}
                </td>
                <td>{row.ended ?? 'open'}</td>
                <td data-name="outcome" class="number">
                  {row.outcome ?? '–'}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {value?.sessions.length === 0 && <p class="empty">No session yet.</p>}
      </div>
    </>
  );
};
