import { isDeepStrictEqual } from 'node:util';
import { COMPACT_AFTER, PRINTED } from './conversation.mjs';

/** The rules that the turns had to meet: `{ rule, complaint }` each, `complaint` null where it was met. */
export function checkResults({ records, samples }, { clients, sendsHeaders }) {
  const side = records.filter((record) => record.kind === 'side');
  const perClient = clients.map((client) => ({ client, turns: mainTurns(records, client) }));
  // Those of the script: what else is said has its own rules.
  const talking = perClient.filter(({ client }) => client.answers !== undefined);
  return [
    check('all main-line turns but the last of a session are judged', [
      checkStrays(records, perClient),
      ...perClient.map(checkJudged),
    ]),
    check('votes make rewards, neutral ones and the last turn make reasons', perClient.map(checkScores)),
    check('side calls (a compaction) are not judged', [checkSide(side, clients)]),
    check('every sample can be leased, with its tokens and a log-prob for each of the response', [
      checkLeased(samples, records),
      ...samples.map((sample) => checkSample(sample, records)),
    ]),
    ...(talking.length > 1 ? [check('the clients never mix', talking.map(checkOwnWords))] : []),
    ...(sendsHeaders ? [check('the session is the one that the headers name', [checkNamed(side, clients)])] : []),
  ];
}

/** A client's turns of the conversation, in order. */
export function mainTurns(records, { session }) {
  return records.filter((record) => record.kind === 'main' && record.session_id === session);
}

function check(rule, complaints) {
  return { rule, complaint: complaints.find((complaint) => complaint !== null) ?? null };
}

function checkStrays(records, perClient) {
  const known = new Set(perClient.flatMap(({ turns }) => turns));
  const stray = records.find((record) => record.kind === 'main' && !known.has(record));
  return stray === undefined ? null : `turn ${stray.turn_id} is in session ${stray.session_id}, which is no client's`;
}

/** A session may hold several conversations, one after the other: the last turn of each has no next state. */
const conversationsOf = (client) => client.conversations ?? [client];

function checkJudged({ client, turns }) {
  const expected = conversationsOf(client).flatMap(({ scores }) => [...scores.map(() => true), false]);
  const judged = turns.map((turn) => turn.judge !== null && turn.judge.score !== null);
  return differs(`turns of ${client.name} that are judged`, judged, expected);
}

/** A last answer that a person has rated has a score. */
function checkScores({ client, turns }) {
  const expected = conversationsOf(client).flatMap(({ scores, rating = 'no_next_state' }) => [
    ...scores.map((score) => (score === 0 ? 'neutral' : score)),
    rating,
  ]);
  const found = turns.map((turn) => (turn.outcome === 'sample' ? turn.score : turn.reason));
  return differs(`outcomes of ${client.name}`, found, expected);
}

function checkSide(side, clients) {
  const compacted = clients.filter(({ says }) => says.length >= COMPACT_AFTER).length;
  if (side.length < compacted) return `${side.length} side calls were seen, expected ${compacted} or more`;
  const wrong = side.find((turn) => turn.judge !== null || turn.reason !== 'side_turn');
  if (wrong === undefined) return null;
  return `side call ${wrong.turn_id} is ${wrong.judge === null ? (wrong.reason ?? wrong.outcome) : 'judged'}`;
}

function checkLeased(samples, records) {
  const recorded = records.filter((record) => record.outcome === 'sample').map((record) => record.turn_id);
  const leased = samples.map((sample) => sample.metadata.turn_id);
  return differs('turns whose samples were leased', leased.sort(), recorded.sort());
}

function checkSample(sample, records) {
  const id = sample.metadata.turn_id;
  const record = records.find((each) => each.turn_id === id);
  const { response_length: length } = sample;
  if (record?.outcome !== 'sample' || record.score !== sample.reward.score) return `sample ${id} is not as recorded`;
  const found = [sample.tokens.length, sample.loss_mask.length, sample.rollout_log_probs.length];
  return differs(`lengths of sample ${id}`, found, [record.prompt_tokens + length, length, length]);
}

/** Each turn is followed by what its own client said, a tool call by the tool. */
function checkOwnWords({ client, turns }) {
  const followers = [PRINTED, ...client.says.slice(1)];
  const wrong = followers.findIndex((words, index) => !textAfter(turns[index]).includes(words));
  return wrong === -1 ? null : `turn ${wrong + 1} of ${client.name} was not followed by ${client.name}'s own words`;
}

/** A compaction names no session but by its headers. */
function checkNamed(side, clients) {
  const sessions = new Set(side.map((turn) => turn.session_id));
  const missing = clients.find(({ session }) => !sessions.has(session));
  return missing === undefined ? null : `no side call after turn ${COMPACT_AFTER} was in session ${missing.session}`;
}

/** What followed a turn, as text; '' where nothing did. */
export function textAfter(turn) {
  const messages = turn?.next_state?.messages ?? [];
  return messages.map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content))).join('\n');
}

function differs(what, found, expected) {
  if (isDeepStrictEqual(found, expected)) return null;
  return `${what} are ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`;
}
