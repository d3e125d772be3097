import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

/** Asks for a key; it stays in this tab only. `refusal`: why the one that was given, or none, opens nothing. */
export const KeyPage = (props: { refusal: string; wasGiven: boolean; onKey: (key: string) => void }): JSX.Element => {
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
        {wasGiven ? (
          <p class="problem" role="alert">
            {refusal}
          </p>
        ) : (
          <p class="faint">{refusal}</p>
        )}
      </form>
    </main>
  );
};

/** Nobody could say what the key may. */
export const TroublePage = ({ trouble }: { trouble: string }): JSX.Element => (
  <main class="key-page">
    <section class="card">
      <h1>OpenClaw-RL</h1>
      <p class="problem" role="alert">
        {trouble}
      </p>
      <button
        type="button"
        onClick={() => {
          location.reload();
        }}
      >
        Try again
      </button>
    </section>
  </main>
);
