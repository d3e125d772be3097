import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useConsole } from '../data/context';

/** A thumb; the other one is the same, turned over. */
const Thumb = (): JSX.Element => (
  <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
    <path d="M2 10h4v11H2zM8 10l4-8c1.7 0 2.6 1.2 2.3 2.8L13.6 9H20c1.4 0 2.3 1.2 2 2.5l-1.7 7.500c-.3 1.2-1.2 2-2.4 2H8z" />
  </svg>
);

/**
 * Thumbs and a text. What is said counts as a person's word: the score stands in for the judge's votes. With `onLeft` it was
 * opened for somebody, who is taken there, and leaves it by Escape.
 */
export const Rating = (props: { turnId: string; onGiven?: () => void; onLeft?: () => void }): JSX.Element => {
  const { turnId, onGiven, onLeft } = props;
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (onLeft !== undefined) form.current?.querySelector('button')?.focus();
  }, []);
  const { api, role } = useConsole();
  const [score, setScore] = useState<1 | -1 | null>(null);
  const [text, setText] = useState('');
  const [said, setSaid] = useState<string | null>(null);
  if (role !== 'operator') return <p class="faint">A viewer may look, and say nothing.</p>;
  const give = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      const rating = { ...(score === null ? {} : { score }), ...(text.trim() === '' ? {} : { text }) };
      const { reason } = await api.rate(turnId, rating);
      setSaid(reason === undefined ? 'Taken, and it counts.' : `Kept, and nothing is trained by it: ${reason}.`);
      setScore(null);
      setText('');
      onGiven?.();
    } catch (error) {
      setSaid(error instanceof Error ? error.message : String(error));
    }
  };
  const thumb = (value: 1 | -1, name: string): JSX.Element => (
    <button
      type="button"
      class={`thumb ${value === 1 ? 'up' : 'down'}`}
      aria-pressed={score === value}
      aria-label={name}
      onClick={() => {
        setScore(score === value ? null : value);
      }}
    >
      <Thumb />
    </button>
  );
  return (
    <form
      ref={form}
      class="rating"
      onSubmit={(event) => void give(event)}
      onKeyDown={({ key }) => {
        if (key === 'Escape') onLeft?.();
      }}
    >
      {thumb(1, 'Good answer')}
      {thumb(-1, 'Bad answer')}
      <textarea
        aria-label="What you would say of this answer"
        placeholder="What should have been different?"
        rows={2}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
        }}
      />
      <button type="submit" disabled={score === null && text.trim() === ''}>
        Say it
      </button>
      <span role="status">{said}</span>
    </form>
  );
};
