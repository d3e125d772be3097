import {
  FeedbackGiven,
  SessionClosed,
  TurnArrived,
  TurnCompleted,
  type EncodedMessage,
  type Exclusion,
  type FeedbackGivenInfo,
  type TurnArrivedInfo,
  type TurnCompletedBody,
  type TurnCompletedInfo,
} from '@app/contracts';

/** A message as it stands in a stream. */
export type Event = EncodedMessage;

/** Thrown when a script continues a turn that it has not made. */
export class UnknownParentError extends Error {
  override readonly name = 'UnknownParentError';
}

/** What a gateway publishes about one turn. */
export interface TurnEvents {
  readonly arrived: Event;
  readonly completed: Event;
  readonly both: readonly [Event, Event];
}

/** One turn of a conversation, as far as it matters to the tracker. */
export interface TurnShape {
  /** The turn whose answer this request continues. */
  after?: string;
  role?: 'user' | 'tool' | null;
  session?: string;
  runtime?: string;
  narrow?: string;
  kind?: 'main' | 'side';
  tools?: boolean;
  client?: string;
  done?: boolean;
  exclusion?: Exclusion;
  at?: number;
  /** What the chain hash stands for; the id unless the conversation is somebody else's too. */
  chain?: string;
  /** What the client did to its history, so that the chain does not lead to `after`. */
  history?: 'compacted' | 'pruned' | 'question edited' | 'answer edited';
  /** What is asked, and the answer's text, where they matter. */
  asked?: string;
  answer?: string;
}

/** What hashes of a turn stand for. */
interface Said {
  readonly chain: string;
  readonly asked: string;
  readonly answer: string;
}

const SCOPE = 'scope';
const exchangeOf = ({ asked, answer }: Said): string => `${asked}--${answer}`;

const BODY: TurnCompletedBody['head'] = {
  sessionId: null,
  model: 'policy',
  messages: [],
  response: null,
  finishReason: 'stop',
  sampling: { temperature: 1, topP: 1, topK: null },
  logProbsTempered: null,
  route: 'sglext',
  weightVersions: [],
  policyVersion: { start: 0, end: 0 },
};

/** Makes turns of conversations: what a gateway would publish for them. */
export class Script {
  private clock = 1000;
  private readonly chains = new Map<string, Said>();

  turn(id: string, shape: TurnShape = {}): TurnEvents {
    const { after, role = 'user', exclusion } = shape;
    const parent = after === undefined ? undefined : this.parent(after);
    const own: Said = {
      chain: shape.chain ?? `chain-${id}`,
      asked: shape.asked ?? `asked-${id}`,
      answer: shape.answer ?? `answer-${id}`,
    };
    this.chains.set(id, own);
    this.clock += 10;
    const kind = shape.kind ?? 'main';
    const placed = {
      turnId: id,
      scope: SCOPE,
      arrivedAt: shape.at ?? this.clock,
      kind,
      namedSession: shape.session,
      runtimeSession: shape.runtime,
      parentChain: parent && (shape.history === undefined ? parent.chain : `other-${id}`),
      parentExchange:
        parent &&
        (shape.history === undefined || shape.history === 'pruned' ? exchangeOf(parent) : `other-exchange-${id}`),
      parentResponse: shape.history === 'compacted' ? parent?.answer : undefined,
      narrow: shape.narrow,
      client: shape.client ?? 'client',
      hasTools: shape.tools ?? true,
      sessionDone: shape.done ?? false,
      policyVersion: 0,
    };
    const feedbackRole = parent !== undefined && kind === 'main' ? (role ?? undefined) : undefined;
    const arrived: TurnArrivedInfo = { ...placed, nextStateRole: feedbackRole };
    const completed: TurnCompletedInfo = {
      ...placed,
      completedAt: placed.arrivedAt + 5,
      chain: own.chain,
      exchange: exchangeOf(own),
      response: own.answer,
      exclusion: kind === 'side' ? 'side_turn' : exclusion,
    };
    const both: [Event, Event] = [
      TurnArrived.encode([id], arrived, { nextState: [] }),
      TurnCompleted.encode([id], completed, BODY),
    ];
    return { arrived: both[0], completed: both[1], both };
  }

  /** The client's end request. */
  close(requestId: string, session: string, outcome?: number): Event {
    this.clock += 10;
    return SessionClosed.encode([requestId], { scope: SCOPE, session, closedAt: this.clock, outcome }, {});
  }

  /** What a person says about an answer. */
  feedback(feedbackId: string, turnId: string, given: Partial<FeedbackGivenInfo>): Event {
    const info = { turnId, feedbackId, scope: SCOPE, givenAt: this.clock, hasText: false, ...given };
    return FeedbackGiven.encode([turnId, feedbackId], info, {});
  }

  private parent(id: string): Said {
    const parent = this.chains.get(id);
    if (parent === undefined) throw new UnknownParentError(`make turn ${id} before the turns that continue it`);
    return parent;
  }
}
