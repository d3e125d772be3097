import { COMPACT_AFTER } from './conversation.mjs';

/** What is said in the session once it has been begun anew. */
export const AGAIN = 'Hello again.';

const RATING = '/rate bad It is Tuesday.';
const CHAT = '/v1/chat/completions';
/** How OpenClaw's own wakes begin. */
const HEARTBEAT = 'Follow the heartbeat monitor scratch context';

/** Does what only the plugin tells the gateway of: a wake in between, a rating of the last answer, a session that is begun anew. */
export async function usePlugin(openclaw, tap, { name, session }) {
  console.log(`  ${name}: (wakes)`);
  await openclaw.wake();
  await tap.until('a heartbeat', (call) => call.words.includes(HEARTBEAT));
  console.log(`  ${name}: ${RATING}`);
  await openclaw.command(RATING);
  await tap.until('a rating', ({ path }) => path === '/v1/feedback');
  console.log(`  ${name}: (begins anew)`);
  await openclaw.beginAnew();
  await tap.until('the end of a session', ({ path }) => path === `/v1/sessions/${session}/end`);
  console.log(`  ${name}: ${AGAIN}`);
  await openclaw.say(AGAIN);
}

/** The rules that the requests of a client with the plugin had to meet, as `checkResults` returns its own. */
export function checkHeaders({ calls }, { says, session }) {
  const chats = calls.filter(({ path }) => path === CHAT);
  const isHeartbeat = ({ words }) => words.includes(HEARTBEAT);
  const main = chats.filter((call) => call.tools > 0 && !isHeartbeat(call));
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
      // The first message has a tool call, which makes two of it; the last one is said in the session that was begun anew.
      main.length < says.length + 2
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
      'it tells the gateway of a rating, and of the end of a session',
      calls.some(({ path }) => path === '/v1/feedback') && calls.some(({ path }) => path.endsWith('/end'))
        ? null
        : 'one of the two was not told',
    ),
  ];
}
