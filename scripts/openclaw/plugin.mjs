import { setTimeout as wait } from 'node:timers/promises';
import { COMPACT_AFTER } from './conversation.mjs';
import { Problem } from '../lib/problem.mjs';

/** What is said in the session once it has been begun anew, and what the judge says of the first answer there. */
const ANEW = { says: ['Hello again.', 'Great, thank you.'], scores: [1] };

const RATING = '/rate bad It is Tuesday.';
const RATED = 'Thank you, noted.';
const REMINDER = 'Was this answer any good?';
const CHAT = '/v1/chat/completions';
/** How OpenClaw's own wakes begin. */
const HEARTBEAT = 'Follow the heartbeat monitor scratch context';
const REPLY_MS = 60_000;
const LOOK_EVERY_MS = 100;

/**
 * Does what only the plugin tells the gateway of: a wake in between, a rating of the last answer, a session that is begun anew.
 * Returns the session that comes then, as a client of its own.
 */
export async function usePlugin(openclaw, tap, { name, session }) {
  console.log(`  ${name}: (wakes)`);
  await openclaw.wake();
  await tap.until('a heartbeat', (call) => call.words.includes(HEARTBEAT));
  console.log(`  ${name}: ${RATING}`);
  await openclaw.type(RATING);
  await tap.until('a rating', ({ path }) => path === '/v1/feedback');
  await untilReplied(openclaw, 'to a rating', (text) => text.includes(RATED));
  console.log(`  ${name}: /new`);
  await openclaw.type('/new');
  await tap.until('the end of a session', ({ path }) => path === `/v1/sessions/${session}/end`);
  let anew = null;
  for (const message of ANEW.says) {
    console.log(`  ${name}: ${message}`);
    const replies = openclaw.replies.length;
    await openclaw.type(message);
    anew = await tap.until(message, (call) => call.tools > 0 && call.words.includes(message));
    await untilReplied(openclaw, `to ${message}`, () => openclaw.replies.length > replies);
  }
  return { ...ANEW, name: `${name} anew`, session: anew.session };
}

async function untilReplied(openclaw, what, isIt) {
  const deadline = Date.now() + REPLY_MS;
  while (!openclaw.replies.some(isIt)) {
    if (Date.now() > deadline) throw new Problem(`No reply ${what} went out within ${REPLY_MS / 1000} s.`);
    await wait(LOOK_EVERY_MS);
  }
}

/**
 * The rules that the requests of a client with the plugin had to meet, as `checkResults` returns its own.
 *
 * @param anew the session that came after /new
 */
export function checkHeaders({ calls }, replies, { says, session }, anew) {
  const chats = calls.filter(({ path }) => path === CHAT);
  const isHeartbeat = ({ words }) => words.includes(HEARTBEAT);
  const isAnew = ({ words }) => words.includes(ANEW.says[0]);
  const turns = chats.filter((call) => call.tools > 0 && !isHeartbeat(call));
  const main = turns.filter((call) => !isAnew(call));
  const later = turns.filter(isAnew);
  const compactions = chats.filter(({ tools }) => tools === 0);
  const rule = (text, complaint) => ({ rule: text, complaint });
  const wrong = (found, type, name) =>
    found.find((call) => call.type !== type || (name !== undefined && call.session !== name));
  const complain = (what, found, call) => {
    if (found.length === 0) return `no ${what} was seen`;
    return call === undefined ? null : `a ${what} said session ${call.session}, type ${call.type}`;
  };
  return [
    rule(
      'the plugin calls every answer in the conversation main, in its session',
      // The first message has a tool call, which makes two of it.
      main.length < says.length + 1
        ? `${main.length} turns of the conversation were seen`
        : complain('turn', main, wrong(main, 'main', session)),
    ),
    rule(
      `and the compaction after message ${COMPACT_AFTER} side, in the same session`,
      complain('compaction', compactions, wrong(compactions, 'side', session)),
    ),
    rule(
      'and a heartbeat side',
      complain('heartbeat', chats.filter(isHeartbeat), wrong(chats.filter(isHeartbeat), 'side')),
    ),
    rule(
      'and what is said after /new main, in a session of another name',
      later.length < anew.says.length
        ? `${later.length} turns after /new were seen`
        : anew.session === session
          ? `after /new the session is still ${session}`
          : complain('turn after /new', later, wrong(later, 'main', anew.session)),
    ),
    rule('it encourages a word of feedback below every other answer', checkReminders(replies)),
    rule(
      'it tells the gateway of a rating, and of the end of a session',
      calls.some(({ path }) => path === '/v1/feedback') && calls.some(({ path }) => path.endsWith('/end'))
        ? null
        : 'one of the two was not told',
    ),
  ];
}

/** Answers of the model are counted, what the plugin itself says is not. */
function checkReminders(replies) {
  const answers = replies.filter((text) => !text.includes(RATED));
  const reminded = answers.filter((text) => text.includes(REMINDER)).length;
  if (replies.some((text) => text.includes(RATED) && text.includes(REMINDER)))
    return 'people were reminded below a thank-you';
  return reminded === Math.floor(answers.length / 2) ? null : `${reminded} of ${answers.length} replies had a reminder`;
}
