import { splitStamp } from './user-text';

/**
 * OpenClaw sends a failed call again under another prompt: a request to go on, with the unanswered text before it.
 * The user said nothing new, so it is not feedback.
 */
const QUEUED =
  '[Queued user message from a previous active turn; preserved as context only. Continue with the active prompt below.]\n';
const CONTINUE = 'Continue the current task from the existing transcript';
const RESUME = '[System] Your previous turn was interrupted';

/** A user's text as it was before OpenClaw rewrote it for a retry; null when there is nothing of the user's in it. */
export interface Unwrapped {
  readonly isRetry: boolean;
  readonly original: string | null;
}

/**
 * Takes a retry's wrapping off. A queued message with a new text of the user's behind it is no retry: it says something new.
 *
 * @param text user text, carriers and `Runtime:` line already cut
 */
export const unwrapRetry = (text: string): Unwrapped => {
  const { stamp, spoken } = splitStamp(text);
  if (spoken.startsWith(CONTINUE) || spoken.startsWith(RESUME)) return { isRetry: true, original: null };
  if (!spoken.startsWith(QUEUED)) return { isRetry: false, original: text };
  const end = spoken.lastIndexOf(`\n\n${CONTINUE}`);
  if (end === -1) return { isRetry: false, original: text };
  return { isRetry: true, original: stamp + spoken.slice(QUEUED.length, end) };
};
