import type { TurnFate } from '@app/contracts';

/** Every fate in a few words, for people. */
export const FATES: Readonly<Record<TurnFate, string>> = {
  open: 'waiting',
  sample: 'sample',
  side_turn: 'side turn',
  undelivered: 'not delivered',
  upstream_error: 'model failed',
  incomplete: 'incomplete',
  no_token_ids: 'no token ids',
  turn_too_large: 'too large',
  no_next_state: 'nothing followed',
  gateway_lost: 'gateway died',
  turn_lost: 'turn lost',
  not_judged: 'not judged',
  neutral: 'neutral',
  no_outcome: 'no outcome',
  no_hint: 'no hint',
  no_teacher: 'no teacher',
  temperature_mismatch: 'temperatures differ',
  evaluated: 'for evaluation',
  queue_full: 'queue full',
  dead_letter: 'dead letter',
};

/** Why, in a sentence, and what to do where something can be done. */
export const FATE_REASONS: Readonly<Record<TurnFate, string>> = {
  open: 'Nothing has been decided yet: it waits for what follows it, for the judge or for the teacher.',
  sample: 'It became a training sample.',
  side_turn: 'It is not of the conversation itself: a title, a heartbeat, a compaction. Those are never trained on.',
  undelivered: 'The client went before it had the whole answer.',
  upstream_error: 'The model failed, before or in its answer.',
  incomplete: 'Token ids, log-probs, usage or finish do not fit together; what does not fit is not patched.',
  no_token_ids: 'The engine gave no token ids, and text that is tokenised again is not what was sampled.',
  turn_too_large: 'It is larger than the bus takes (max_payload of nats-server).',
  no_next_state: 'The session ended and nothing had followed this answer.',
  gateway_lost: 'It arrived and never completed: its gateway died.',
  turn_lost: 'The stored turn was removed by a limit before its time came.',
  not_judged: 'The judge answered without a verdict.',
  neutral: 'The score is 0: there is nothing to push up or down.',
  no_outcome: 'Nobody said in time how the session went.',
  no_hint: 'Hints alone train here, and nobody found one.',
  no_teacher: 'A hint was found, and the teacher’s scores of the answer were not whole.',
  temperature_mismatch: 'The policy’s log-probs are not those of the teacher’s temperature.',
  evaluated: 'Votes were for evaluation only.',
  queue_full: 'Too many samples waited for a trainer.',
  dead_letter: 'A message about it could not be handled.',
};

const units: readonly [number, string][] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
];

/** "3 min ago". */
export const agoOf = (at: number, now: number): string => {
  const passed = Math.max(0, now - at);
  const unit = units.find(([millis]) => passed >= millis);
  return unit === undefined ? 'now' : `${Math.floor(passed / unit[0])} ${unit[1]} ago`;
};

export const timeOf = (at: number): string =>
  new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** With a sign and a true minus. */
export const signed = (value: number, digits = 2): string => {
  const text = value.toFixed(digits);
  // What rounds to nothing has no sign.
  if (Number(text) === 0) return text.replace('-', '');
  return `${value > 0 ? '+' : ''}${text}`.replace('-', '−');
};

export const shortId = (id: string): string => id.slice(0, 8);
