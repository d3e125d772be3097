import { COMPACT_AFTER, COMPACTED } from './conversation.mjs';
import { until } from './until.mjs';

/** What is said once the session has been begun anew, and what the judge makes of it. */
const ANEW = { says: ['Hello again.', 'Great, thank you.'], scores: [1] };
/** What is said in another session. */
const ELSEWHERE = 'Hello from elsewhere.';

const RATING = '/rate bad It is Tuesday.';
const REMINDER = 'Was this answer any good?';
const CHAT = '/v1/chat/completions';
/** How OpenClaw's own wakes begin. */
const HEARTBEAT = 'Follow the heartbeat monitor scratch context';

/**
 * Does what only the plugin tells the gateway of: a wake in between, a rating of the last answer, a session that is begun anew
 * (this OpenClaw keeps its id) and one that takes its place. Returns the sessions as they then have to be: this one with its two
 * conversations, and the other.
 */
export async function usePlugin(openclaw, tap, client) {
  const { name, session, scores } = client;
  const ends = () => tap.calls.filter(({ path }) => path === `/v1/sessions/${session}/end`).length;
  console.log(`  ${name}: (wakes)`);
  await openclaw.wake();
  await tap.until('a heartbeat', (call) => call.words.includes(HEARTBEAT));
  await chat(openclaw, tap, name, RATING);
  console.log(`  ${name}: /new`);
  await openclaw.say('/new');
  await until('the end of a session', tap.signal, () => ends() === 1);
  for (const message of ANEW.says) await chat(openclaw, tap, name, message);
  console.log(`  ${name}: (begins another session)`);
  const other = await openclaw.beginAnother();
  await until('the end of a session that another follows', tap.signal, () => ends() === 2);
  await chat(other, tap, name, ELSEWHERE);
  const conversations = [{ scores, rating: -1 }, ANEW];
  return [
    { ...client, conversations },
    { name: `${name}, elsewhere`, session: other.session, says: [ELSEWHERE], scores: [] },
  ];
}

/** Types something; resolves once the gateway was asked for it and its reply has gone out. */
async function chat(openclaw, tap, name, message) {
  console.log(`  ${name}: ${message}`);
  const replies = openclaw.replies.length;
  await openclaw.type(message);
  if (message === RATING) await tap.until('a rating', ({ path }) => path === '/v1/feedback');
  else await tap.until(message, (call) => call.words.includes(message));
  await until(`a reply to ${message}`, tap.signal, () => openclaw.replies.length > replies);
}

/** The rules that the requests of a client with the plugin had to meet, as `checkResults` returns its own. */
export function checkHeaders({ calls }, replies, [{ says, session }, elsewhere]) {
  const chats = calls.filter(({ path }) => path === CHAT);
  const isHeartbeat = ({ words }) => words.includes(HEARTBEAT);
  const isElsewhere = ({ words }) => words.includes(ELSEWHERE);
  const turns = chats.filter((call) => call.tools > 0 && !isHeartbeat(call));
  const main = turns.filter((call) => !isElsewhere(call));
  const others = turns.filter(isElsewhere);
  const without = chats.filter(({ tools }) => tools === 0);
  const compactions = without.filter(({ words }) => words.includes(COMPACTED));
  const rule = (text, complaint) => ({ rule: text, complaint });
  const wrong = (found, type, name) =>
    found.find((call) => call.type !== type || (name !== undefined && call.session !== name));
  const complain = (what, found, call) => {
    if (found.length === 0) return `no ${what} was seen`;
    return call === undefined ? null : `a ${what} said session ${call.session}, type ${call.type}`;
  };
  return [
    rule(
      'the plugin calls every answer in the conversation main, in its session, also after /new',
      // The first message has a tool call, which makes two of it.
      main.length < says.length + 1 + ANEW.says.length
        ? `${main.length} turns of the conversation were seen`
        : complain('turn', main, wrong(main, 'main', session)),
    ),
    rule(
      `and the compaction after message ${COMPACT_AFTER} side, in the same session`,
      complain('compaction', compactions, wrong(compactions, 'side', session)),
    ),
    rule(
      'and every other call without tools side: a title, a name',
      without.every(({ type }) => type === 'side') ? null : 'one of them was not',
    ),
    rule(
      'and a heartbeat side',
      complain('heartbeat', chats.filter(isHeartbeat), wrong(chats.filter(isHeartbeat), 'side')),
    ),
    rule(
      'and what is said in a new session main, in that one',
      elsewhere.session === session
        ? 'the new session has the old name'
        : complain('turn of a new session', others, wrong(others, 'main', elsewhere.session)),
    ),
    rule(
      'it tells the gateway of a rating, of /new, and of a session that another follows',
      calls.some(({ path }) => path === '/v1/feedback') &&
        calls.filter(({ path }) => path.endsWith('/end')).length === 2
        ? null
        : 'not all of them were told',
    ),
    rule('it encourages a word of feedback below every other answer, and below nothing else', checkReminders(replies)),
  ];
}

/** Three answers were typed for, in two conversations: the second one of the first is the only one to have a reminder. */
function checkReminders(replies) {
  const reminded = replies.filter((text) => text.includes(REMINDER));
  const isRight = reminded.length === 1 && reminded[0].includes(ANEW.says[1]);
  return isRight ? null : `replies with a reminder: ${JSON.stringify(reminded)}`;
}
