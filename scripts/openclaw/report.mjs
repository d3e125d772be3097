import { mainTurns, textAfter } from './expectations.mjs';

const STAMP = /^\[[^\]]*UTC\] /;
const LONGEST_TEXT = 34;

/** The turns of each client as a table: what followed, votes, reward, tokens, response. Reward and tokens are the sample's. */
export function table({ records, samples }, clients) {
  const sampleOf = new Map(samples.map((sample) => [sample.metadata.turn_id, sample]));
  return clients.flatMap((client) => {
    const rows = mainTurns(records, client).map((turn, index) => toRow(turn, sampleOf.get(turn.turn_id), index + 1));
    return ['', `Session ${client.session}`, ...align([HEADINGS, ...rows])];
  });
}

const HEADINGS = ['turn', 'response', 'followed by', 'votes', 'reward', 'tokens'];

function toRow(turn, sample, number) {
  return [
    String(number),
    shorten(responseText(turn)),
    followerText(turn),
    (turn.judge?.votes ?? []).map(({ score }) => signed(score)).join(' '),
    sample === undefined ? `none: ${turn.reason}` : signed(sample.reward.score),
    sample === undefined ? '' : `${sample.tokens.length - sample.response_length} + ${sample.response_length}`,
  ];
}

function responseText({ response }) {
  const call = response?.tool_calls?.[0]?.function;
  return call === undefined ? (response?.content ?? '') : `${call.name} ${call.arguments}`;
}

function followerText(turn) {
  const role = turn.next_state?.messages?.at(-1)?.role;
  return role === undefined ? 'nothing' : `${role}: ${shorten(textAfter(turn).replace(STAMP, ''))}`;
}

const signed = (score) => (score > 0 ? `+${score}` : String(score));

function shorten(text) {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST_TEXT ? `${line.slice(0, LONGEST_TEXT - 1)}…` : line;
}

function align(rows) {
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  );
}
