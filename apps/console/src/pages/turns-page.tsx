import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { TurnRow } from '@app/contracts';
import { useAnswer, useConsole, useLive } from '../data/context';
import { mergeRows } from '../data/store';
import { FATES } from '../data/words';
import { TurnTable } from '../parts/turn-table';

const ROUTES = ['sglext', 'token_ids', 'generate', 'text'] as const satisfies readonly NonNullable<TurnRow['route']>[];
const FILTERS = ['kind', 'route', 'fate', 'session'] as const;

const passes = (row: TurnRow, query: URLSearchParams): boolean =>
  FILTERS.every((name) => {
    const wanted = query.get(name);
    return wanted === null || row[name] === wanted;
  });

/** Changes one filter in the address. */
const filter = (query: URLSearchParams, name: string, value: string): void => {
  const next = new URLSearchParams(query);
  if (value === '') next.delete(name);
  else next.set(name, value);
  location.hash = `#/turns?${next.toString()}`;
};

/** Turns as they come, by what is asked for. */
export const TurnsPage = ({ query }: { query: URLSearchParams }): JSX.Element => {
  const { api } = useConsole();
  const { rows: live, now, gone } = useLive();
  const asked = query.toString();
  const [older, setOlder] = useState<readonly TurnRow[]>([]);
  const [next, setNext] = useState<string | null>(null);
  const first = useAnswer(() => api.turns(query), [api, asked]);
  useEffect(() => {
    setOlder([]);
    setNext(first.value?.next ?? null);
  }, [first.value]);
  const more = async (): Promise<void> => {
    const page = await api.turns(new URLSearchParams([...query, ['after', next ?? '']]));
    setOlder([...older, ...page.turns]);
    setNext(page.next);
  };
  const known = mergeRows([...(first.value?.turns ?? []), ...older], live, Infinity);
  const oldest = Math.min(...[...(first.value?.turns ?? []), ...older].map(({ arrivedAt }) => arrivedAt));
  // What is live and older than this page belongs to a later one.
  const isShown = (row: TurnRow): boolean =>
    passes(row, query) && !gone.has(row.turnId) && (next === null || row.arrivedAt >= oldest);
  const rows = known.filter(isShown);
  return (
    <>
      <h1>Turns</h1>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
        }}
      >
        <Choice
          name="kind"
          label="Kind"
          query={query}
          options={[
            ['main', 'main'],
            ['side', 'side'],
          ]}
        />
        <Choice name="route" label="Route" query={query} options={ROUTES.map((route) => [route, route])} />
        <Choice name="fate" label="Fate" query={query} options={Object.entries(FATES)} />
        {query.get('session') !== null && (
          <button
            type="button"
            class="quiet"
            onClick={() => {
              filter(query, 'session', '');
            }}
          >
            one session ✕
          </button>
        )}
      </form>
      {first.error !== null && <p class="problem">{first.error}</p>}
      <TurnTable rows={rows} now={now?.at ?? Date.now()} />
      {next !== null && (
        <button type="button" onClick={() => void more()}>
          Older turns
        </button>
      )}
    </>
  );
};

const Choice = (props: {
  name: string;
  label: string;
  query: URLSearchParams;
  options: readonly (readonly [string, string])[];
}): JSX.Element => {
  const { name, label, query, options } = props;
  return (
    <label>
      {label}
      <select
        value={query.get(name) ?? ''}
        onChange={(event) => {
          filter(query, name, event.currentTarget.value);
        }}
      >
        <option value="">all</option>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
};
