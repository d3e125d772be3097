import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describeConversation, type ChatMessage, hashAnswer } from '@app/chat';
import {
  scopeOf,
  sessionKey,
  TurnArrived,
  TurnCompleted,
  TurnSettled,
  type EncodedMessage,
  type Exclusion,
} from '@app/contracts';
import { identify } from '../chat/identify';
import { parseChatRequest } from '../chat/parse-request';
import type { RecordedAnswer } from './answer-recorder';
import { judgeCapture } from './judge-capture';
import { arrivedParcel, completedParcels, outcomeOf, type Ending, type Turn } from './turn-messages';

const extendChain = (promptChain: string, response: ChatMessage): string =>
  hashAnswer({ promptChain, promptEnd: null }, response).chain;
const hashResponse = (response: ChatMessage): string =>
  hashAnswer({ promptChain: '', promptEnd: null }, response).response;

const SCOPE = scopeOf({ apiKey: 'k' });
const FIRST: ChatMessage[] = [{ role: 'user', content: 'hello' }];
const NEXT: ChatMessage[] = [...FIRST, { role: 'assistant', content: 'Hi.' }, { role: 'user', content: 'in French' }];

const turnOf = (messages: ChatMessage[], body: Record<string, unknown> = {}): Turn => {
  const request = parseChatRequest(Buffer.from(JSON.stringify({ model: 'm', messages, session_id: 's', ...body })));
  const conversation = describeConversation(request.messages, SCOPE);
  return {
    id: 'turn-1',
    request,
    conversation,
    identity: identify({ 'user-agent': 'test' }, request, conversation, { scope: SCOPE, heartbeatPrompts: [] }),
    model: 'qwen',
    sampling: { temperature: 0.6, topP: null, topK: null },
    arrivedAt: 1000,
    isVersionKnown: true,
    policyVersion: 3,
  };
};

const ANSWER: RecordedAnswer = {
  message: { role: 'assistant', content: 'Bonjour.' },
  finishReason: 'stop',
  promptIds: [1, 2],
  responseIds: [3, 4, 5],
  logProbs: [-0.5, -0.25, 0],
  weightVersions: ['step-7'],
  isStartTold: false,
  spans: [],
  promptTokens: 2,
  completionTokens: 3,
  failed: false,
  isContradictory: false,
};

const endingOf = (answer: RecordedAnswer | null, fields: Partial<Ending> = {}): Ending => ({
  completedAt: 2000,
  policyVersion: 4,
  engineVersions: { start: 'step-6', end: 'step-7' },
  versionSpans: [],
  delivered: answer !== null,
  answer,
  verdict:
    answer === null ? { kind: 'excluded', reason: 'upstream_error', detail: 'status_503' } : judgeCapture(answer),
  route: 'sglext',
  logProbsTempered: true,
  ...fields,
});

const settled = (message: EncodedMessage | undefined): unknown =>
  message === undefined ? undefined : TurnSettled.decode(message).info;

/** What is said of a turn: its stored form, its outcome, and the short forms of both. */
const tell = (turn: Turn, ending: Ending) => {
  const stored: (Exclusion | null)[] = [];
  const onStored = (exclusion: Exclusion | null): number => stored.push(exclusion);
  // The turn is said last, in full as in short: after it nobody asks for an outcome any more.
  const [completed, outcome] = completedParcels(turn, ending, outcomeOf(turn, ending), onStored).toReversed();
  if (completed === undefined) throw new TypeError('nothing was said');
  const [short, shortOutcome] = completed.ifTooLarge().toReversed();
  completed.onFate?.('whole');
  completed.onFate?.('too_large');
  return {
    completed: TurnCompleted.decode(completed.message),
    outcome: settled(outcome?.message),
    short: TurnCompleted.decode(short!),
    shortOutcome: settled(shortOutcome),
    /** What is counted of it where it is stored whole, and where it is too large. */
    counted: stored,
  };
};

describe('arrivedParcel', () => {
  it('carries the next state of the turn that is continued, and who speaks in it', () => {
    const { message, ifTooLarge } = arrivedParcel(turnOf(NEXT));
    const { info, body } = TurnArrived.decode(message);
    expect(message.subject).toBe('rl.turn.arrived.v1.turn-1');
    expect(info).toMatchObject({
      turnId: 'turn-1',
      scope: SCOPE,
      arrivedAt: 1000,
      policyVersion: 3,
      kind: 'main',
      namedSession: sessionKey(SCOPE, 's'),
      nextStateRole: 'user',
      parentExchange: turnOf(NEXT).conversation.parentExchange,
    });
    expect(body.head.nextState).toEqual([{ role: 'user', content: 'in French' }]);

    const short = TurnArrived.decode(ifTooLarge()[0]!);
    expect(short.body.head.nextState).toEqual([]);
    expect(short.info).not.toHaveProperty('nextStateRole');
  });

  it('carries all parallel tool results, in order', () => {
    const calls = ['c1', 'c2'].map((id) => ({ id, type: 'function', function: { name: 'exec', arguments: '{}' } }));
    const results = ['denied', 'done'].map((content, i) => ({ role: 'tool', content, tool_call_id: `c${i + 1}` }));
    const turn = turnOf([...FIRST, { role: 'assistant', content: null, tool_calls: calls }, ...results]);
    const { info, body } = TurnArrived.decode(arrivedParcel(turn).message);
    expect(info.nextStateRole).toBe('tool');
    expect(body.head.nextState).toEqual(results);
  });

  it('leaves a trailing system note out of the next state', () => {
    const turn = turnOf([...NEXT, { role: 'system', content: 'a reminder' }]);
    expect(TurnArrived.decode(arrivedParcel(turn).message).body.head.nextState).toEqual([
      { role: 'user', content: 'in French' },
    ]);
  });

  it.each([
    ['a first request', turnOf(FIRST)],
    ['a side turn', turnOf(NEXT, { turn_type: 'side' })],
  ])('carries none for %s', (_what, turn) => {
    const { info, body } = TurnArrived.decode(arrivedParcel(turn).message);
    expect(info).not.toHaveProperty('nextStateRole');
    expect(body.head.nextState).toEqual([]);
  });

  it('keeps the client’s own words out of the info', () => {
    const info = arrivedParcel(turnOf(NEXT, { session_id: 'secret-room', user: 'ada' })).message.info;
    expect(info).not.toMatch(/secret|ada|French|hello/);
  });
});

describe('completedParcels', () => {
  it('says whose tokens are whose where the weights changed in the middle', () => {
    const spans = [
      { version: 3, tokens: 1 },
      { version: 4, tokens: 2 },
    ];
    const told = (fields: Partial<RecordedAnswer>, ending: Partial<Ending>) =>
      tell(turnOf(NEXT), endingOf({ ...ANSWER, ...fields }, ending)).completed.body.head;
    expect(told({}, { versionSpans: spans }).policyVersion).toEqual({ start: 3, end: 4, spans });
    const before = told({}, { versionSpans: [{ version: 3, tokens: 3 }], policyVersion: 3 });
    expect(before.policyVersion).toEqual({ start: 3, end: 3 });
    expect(before.weightVersions).toEqual(['step-7']);
    const late = [{ version: 4, tokens: 3 }];
    expect(told({}, { versionSpans: late }).policyVersion).toEqual({ start: 3, end: 4, spans: late });
    // The engine's word may come before the gate's.
    expect(told({}, { versionSpans: late, policyVersion: 3 }).policyVersion).toEqual({ start: 3, end: 4, spans: late });
  });

  it.each<[string, Partial<RecordedAnswer>, Partial<Ending>, string[]]>([
    ['a stream told from its first piece on', { weightVersions: ['a', 'b'], isStartTold: true }, {}, ['a', 'b']],
    ['the same weights all along', { weightVersions: ['a'], isStartTold: true }, {}, ['a']],
    ['only its end told', { weightVersions: ['b'] }, {}, ['step-6', 'b']],
    ['only its end told, with no update since', { weightVersions: ['b'] }, { policyVersion: 3 }, ['b']],
    ['nothing told', { weightVersions: [] }, {}, ['step-6', 'step-7']],
    ['nothing known', { weightVersions: [] }, { engineVersions: { start: null, end: null } }, []],
  ])('names the weights of the start and the end: %s', (_what, answer, ending, names) => {
    const { body } = tell(turnOf(NEXT), endingOf({ ...ANSWER, ...answer }, ending)).completed;
    expect(body.head.weightVersions).toEqual(names);
  });

  it('stores the whole turn and leaves its outcome to its next state', () => {
    const turn = turnOf(NEXT, { tools: [{ type: 'function' }] });
    const { completed, outcome } = tell(turn, endingOf(ANSWER));
    expect(outcome).toBeUndefined();
    expect(completed.info).toMatchObject({
      turnId: 'turn-1',
      completedAt: 2000,
      chain: extendChain(turn.conversation.promptChain, ANSWER.message),
      response: hashResponse(ANSWER.message),
    });
    expect(completed.info).not.toHaveProperty('exclusion');
    expect(completed.body.head).toEqual({
      sessionId: 's',
      model: 'qwen',
      messages: NEXT,
      tools: [{ type: 'function' }],
      response: ANSWER.message,
      finishReason: 'stop',
      sampling: { temperature: 0.6, topP: null, topK: null },
      logProbsTempered: true,
      route: 'sglext',
      weightVersions: ['step-6', 'step-7'],
      policyVersion: { start: 3, end: 4 },
    });
    expect(completed.body.arrays).toEqual({
      promptIds: Int32Array.of(1, 2),
      responseIds: Int32Array.of(3, 4, 5),
      logProbs: Float64Array.of(-0.5, -0.25, 0),
    });
  });

  it('gives an answer the chain that the request which continues it looks for', () => {
    const { completed } = tell(turnOf(FIRST), endingOf({ ...ANSWER, message: { role: 'assistant', content: 'Hi.' } }));
    expect(completed.info.chain).toBe(turnOf(NEXT).identity.info.parentChain);
    expect(completed.info.exchange).toBe(turnOf(NEXT).identity.info.parentExchange);
  });

  it.each<[string, Turn, Ending, { reason: Exclusion; detail?: string }]>([
    ['a side turn', turnOf(FIRST, { turn_type: 'side' }), endingOf(ANSWER), { reason: 'side_turn' }],
    ['a side turn that failed', turnOf(FIRST, { turn_type: 'side' }), endingOf(null), { reason: 'side_turn' }],
    ['a client that went away', turnOf(FIRST), endingOf(ANSWER, { delivered: false }), { reason: 'undelivered' }],
    [
      'a client that went away in a broken answer',
      turnOf(FIRST),
      endingOf({ ...ANSWER, failed: true }, { delivered: false }),
      { reason: 'undelivered' },
    ],
    [
      'a client that went away before the answer',
      turnOf(FIRST),
      endingOf(null, { verdict: { kind: 'excluded', reason: 'undelivered', detail: 'client_gone' } }),
      { reason: 'undelivered', detail: 'client_gone' },
    ],
    [
      'an upstream that did not answer',
      turnOf(FIRST),
      endingOf(null),
      { reason: 'upstream_error', detail: 'status_503' },
    ],
    ['an upstream that broke off', turnOf(FIRST), endingOf({ ...ANSWER, failed: true }), { reason: 'upstream_error' }],
    [
      'an aborted answer',
      turnOf(FIRST),
      endingOf({ ...ANSWER, finishReason: 'abort' }),
      { reason: 'incomplete', detail: 'aborted' },
    ],
    [
      'a hole in the log-probs',
      turnOf(FIRST),
      endingOf({ ...ANSWER, logProbs: [-1, null, -1] }),
      { reason: 'incomplete', detail: 'bad_log_prob' },
    ],
  ])('settles %s at once', (_what, turn, ending, expected) => {
    const { completed, outcome, short, shortOutcome, counted } = tell(turn, ending);
    expect(completed.info.exclusion).toBe(expected.reason);
    expect(completed.body.head.detail).toBe(expected.detail);
    expect(outcome).toEqual({
      turnId: 'turn-1',
      session: sessionKey(SCOPE, 's'),
      kind: 'reason',
      ...expected,
      policyVersion: 3,
      settledAt: 2000,
    });
    // However large the turn is, it has one outcome.
    expect(short.info.exclusion).toBe(expected.reason);
    expect(shortOutcome).toBeUndefined();
    expect(counted).toEqual([expected.reason, expected.reason]);
  });

  it('leaves a turn without token ids to its next state: it is judged, and not trained on', () => {
    const { completed, outcome } = tell(turnOf(FIRST), endingOf({ ...ANSWER, promptIds: null, responseIds: null }));
    expect(completed.info.exclusion).toBe('no_token_ids');
    expect(completed.body.head).toMatchObject({ route: 'sglext', response: ANSWER.message });
    expect(outcome).toBeUndefined();
  });

  it('keeps the ids of a side turn and of no other excluded one', () => {
    const side = tell(turnOf(FIRST, { turn_type: 'side' }), endingOf(ANSWER)).completed.body;
    expect(side.head.route).toBe('sglext');
    expect(side.arrays.responseIds).toHaveLength(3);

    const lost = tell(turnOf(FIRST), endingOf(ANSWER, { delivered: false })).completed.body;
    expect(lost.head.route).toBe('sglext');
    for (const name of ['promptIds', 'responseIds', 'logProbs']) expect(lost.arrays[name]).toHaveLength(0);
  });

  it.each([
    ['nobody received', endingOf(ANSWER, { delivered: false })],
    ['never came', endingOf(null)],
  ])('has no chain for an answer that %s', (_what, ending) => {
    const { info } = tell(turnOf(FIRST), ending).completed;
    expect(info).not.toHaveProperty('chain');
    expect(info).not.toHaveProperty('exchange');
    expect(info).not.toHaveProperty('response');
  });

  it.each([
    ['trainable', ANSWER],
    ['without ids', { ...ANSWER, responseIds: null }],
  ])('says of a %s turn that the bus does not take that it was too large, and settles it', (_what, answer) => {
    const turn = turnOf(NEXT, { tools: [{ type: 'function' }] });
    const { completed, short, shortOutcome, counted } = tell(turn, endingOf(answer));
    expect(short.info).toEqual({ ...completed.info, exclusion: 'turn_too_large', tokens: 0 });
    expect(short.body.head).toMatchObject({ messages: [], tools: [], response: null, route: 'sglext' });
    expect(counted).toEqual([completed.info.exclusion ?? null, 'turn_too_large']);
    expect(shortOutcome).toMatchObject({ kind: 'reason', reason: 'turn_too_large', turnId: 'turn-1' });
  });

  it('settles a turn of a session without a name', () => {
    const turn = turnOf(FIRST, { session_id: undefined, turn_type: 'side' });
    expect(tell(turn, endingOf(ANSWER)).outcome).not.toHaveProperty('session');
  });
});

describe('a parcel that waits', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;

  /** Parcels of a turn, and its request and answer as long as somebody holds them. */
  const wait = (answer: RecordedAnswer | null) => {
    const turn = turnOf(NEXT);
    const ending = endingOf(answer === null ? null : { ...answer });
    const parcels = [arrivedParcel(turn), ...completedParcels(turn, ending, outcomeOf(turn, ending), () => undefined)];
    const held = [turn, turn.request, turn.request.messages, turn.conversation, ending].map(
      (part) => new WeakRef(part),
    );
    return { parcels, held };
  };

  it.each([
    ['answered', ANSWER],
    ['failed', null],
  ])('holds its bytes alone, of a turn that was %s', async (_how, answer) => {
    const { parcels, held } = wait(answer);
    // A WeakRef holds what it was made of until the job is over.
    await new Promise(setImmediate);
    collect();
    expect(held.map((part) => part.deref())).toEqual([undefined, undefined, undefined, undefined, undefined]);
    expect(parcels.flatMap(({ ifTooLarge }) => ifTooLarge()).length).toBeGreaterThan(0);
  });
});
