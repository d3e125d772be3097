import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ApiError } from '../data/api';

/** Asks for a key; it stays in this tab only. */
export const KeyPage = (props: { refusal: ApiError; wasGiven: boolean; onKey: (key: string) => void }): JSX.Element => {
  const { refusal, wasGiven, onKey } = props;
  const [key, setKey] = useState('');
  const submit = (event: Event): void => {
    event.preventDefault();
    if (key.trim() !== '') onKey(key.trim());
  };
  return (
    <main class="key-page">
      <form class="card" onSubmit={submit}>
        <h1>OpenClaw-RL</h1>
        {refusal.status === 401 ? (
          <>
            <label for="key">Your key of the console</label>
            <input
              id="key"
              type="password"
              autocomplete="off"
              autofocus
              value={key}
              onInput={(event) => {
                setKey(event.currentTarget.value);
              }}
            />
            <button type="submit">Enter</button>
            <p class="faint">It is kept in this tab, and forgotten with it.</p>
          </>
        ) : null}
        {(wasGiven || refusal.status !== 401) && (
          <p class="problem" role="alert">
            {refusal.message}
          </p>
        )}
        {!wasGiven && refusal.status === 401 && <p class="faint">{refusal.message}</p>}
      </form>
    </main>
  );
};
