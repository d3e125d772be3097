import type { JSX } from 'preact';
import type { TurnRow } from '@app/contracts';
import { agoOf, shortId, timeOf } from '../data/words';
import { Fate, Hint, Votes } from './turn-marks';

/** Turns, one a line; the whole line leads to the turn. */
export const TurnTable = ({ rows, now }: { rows: readonly TurnRow[]; now: number }): JSX.Element => (
  <div class="scroll" tabIndex={0} role="region" aria-label="Turns">
    <table class="stacks">
      <thead>
        <tr>
          <th scope="col">Turn</th>
          <th scope="col">Session</th>
          <th scope="col">Kind</th>
          <th scope="col">Route</th>
          <th scope="col" class="number">
            Tokens
          </th>
          <th scope="col" class="number">
            Version
          </th>
          <th scope="col">Votes</th>
          <th scope="col">Hint</th>
          <th scope="col">Fate</th>
          <th scope="col">Arrived</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.turnId} data-turn={row.turnId}>
            <th scope="row">
              <a class="cover" href={`#/turns/${row.turnId}`}>
                {shortId(row.turnId)}
              </a>
            </th>
            <td data-name="session">{row.session === null ? <span class="faint">–</span> : shortId(row.session)}</td>
            <td class={row.kind === 'side' ? 'faint' : ''}>{row.kind}</td>
            <td data-name="route">{row.route ?? '–'}</td>
            <td data-name="tokens" class="number">
              {row.completedAt === null ? '…' : (row.tokens ?? '–')}
            </td>
            <td data-name="version" class="number">
              {row.policyVersion}
            </td>
            <td>
              <Votes row={row} />
            </td>
            <td data-name="hint">
              <Hint row={row} />
            </td>
            <td>
              <Fate row={row} />
            </td>
            <td data-name="arrived" title={timeOf(row.arrivedAt)}>
              {agoOf(row.arrivedAt, now)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
    {rows.length === 0 && <p class="empty">No turns yet. Talk to the model: every answer shows up here.</p>}
  </div>
);
