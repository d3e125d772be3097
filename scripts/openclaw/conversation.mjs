// What the clients say and what the engine double answers. Both clients begin with the same words at the same time, and get
// the same answers: if their turns were ever taken for one another's, praise and complaint would change places.

/** What the tool of every first turn answers. */
export const PRINTED = 'it works';
const FIRST = `Run \`echo ${PRINTED}\` and show me what it prints.`;
const LAST = 'And what day is it today?';

const CLIENTS = [
  {
    name: 'one',
    says: [FIRST, 'Great, thanks. Which shell ran it?', 'That is wrong, look again.', LAST],
    answers: ['I think it was fish.', 'Sorry, it was sh.', 'It is Monday.'],
    scores: [1, 1, -1, 0],
  },
  {
    name: 'two',
    says: [FIRST, 'No, that is not what I asked for.', 'Perfect, thank you.', LAST],
    answers: ['Then here it is once more: it works.', 'You are welcome.', 'It is Monday.'],
    scores: [1, -1, 1, 0],
  },
];

/** The first `count` clients: `session` id, what each `says`, and the `scores` of its main-line turns but the last. */
export function chooseClients(count) {
  return CLIENTS.slice(0, count).map((client) => ({ ...client, session: `try-${client.name}` }));
}

/** What stands in the prompt of a compaction. */
export const COMPACTED = '<conversation>';

/** What each client is compacted after, so that it makes a call that is no turn of the conversation. */
export const COMPACT_AFTER = 3;

/**
 * The engine double's script: the first entry that fits a request is used, once. Texts contain one another (a summary holds
 * everything, the first message what the command prints), so the entries of all clients go by kind.
 */
export function scriptFor(clients) {
  return [
    ...clients.map(() => ({ when: COMPACTED, content: SUMMARY })),
    ...clients.map(() => ({ when: FIRST, toolCalls: [ECHO] })),
    ...clients.flatMap(({ says, answers }) => answers.map((content, index) => ({ when: says[index + 1], content }))),
    ...clients.map(() => ({ when: PRINTED, content: `It prints: ${PRINTED}.` })),
  ];
}

const ECHO = { id: 'call_echo', name: 'exec', arguments: { command: `echo ${PRINTED}` } };
const SUMMARY = 'The user had a command run, which printed "it works", and asked which shell ran it.';
