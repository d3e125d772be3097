import { Type, type Static } from '@sinclair/typebox';
import { NO_HINT_REASONS } from './hint';
import { HeldOutAnswer } from './policy';
import { SETTLE_REASONS } from './reasons';
import { defineRpc } from './rpc';
import { CAPTURE_ROUTES, Sampling } from './turn';

const Id = Type.String({ pattern: '^[-\\w]{1,64}$' });
const Millis = Type.Integer({ minimum: 0 });
const Score = Type.Union([Type.Literal(1), Type.Literal(-1), Type.Literal(0)]);
const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema) =>
  Type.Union([schema, Type.Null()]);
const Numbers = Type.Array(Type.Number());

/** What has become of a turn: nothing yet, a sample, or the reason why not. */
export const TURN_FATES = ['open', 'sample', ...SETTLE_REASONS] as const;
const Fate = Type.Union(TURN_FATES.map((fate) => Type.Literal(fate)));
const Kind = Type.Union([Type.Literal('main'), Type.Literal('side')]);
const Route = Type.Union(CAPTURE_ROUTES.map((route) => Type.Literal(route)));

/** A turn as the console lists it: out of message infos alone, so that it holds no text. */
export const TurnRow = Type.Object({
  turnId: Id,
  /** null while nobody knows it. */
  session: orNull(Id),
  kind: Kind,
  arrivedAt: Millis,
  /** null: still being answered, or lost. */
  completedAt: orNull(Millis),
  policyVersion: Type.Integer({ minimum: 0 }),
  /** null: not known, the turn is older than this field. */
  route: orNull(Route),
  /** Tokens of the answer; null where they are not known. */
  tokens: orNull(Type.Integer({ minimum: 0 })),
  followed: Type.Boolean(),
  /** The judge's votes, null for one without a verdict; null: nobody has voted yet. */
  votes: orNull(Type.Array(orNull(Score))),
  /** What the votes come to; null: not judged. */
  score: orNull(Score),
  judgedAt: orNull(Millis),
  hint: orNull(Type.Union([Type.Literal('accepted'), ...NO_HINT_REASONS.map((reason) => Type.Literal(reason))])),
  /** The newest score of a person. */
  feedback: orNull(Score),
  fate: Fate,
  /** Why in particular: our own words. */
  detail: orNull(Type.String()),
  /** What a sample trains on. */
  signal: orNull(Type.Union([Type.Literal('reward'), Type.Literal('teacher'), Type.Literal('both')])),
  /** The score that settled it, votes' or a person's. */
  settledScore: orNull(Score),
  settledAt: orNull(Millis),
});

/** A page of turns, newest first. Filters that are left out let everything pass. */
export const ListTurns = defineRpc({
  subject: 'rl.rpc.console.turns.v1',
  request: Type.Object({
    limit: Type.Integer({ minimum: 1, maximum: 500 }),
    /** The last turn of the page before. */
    after: Type.Optional(Id),
    session: Type.Optional(Id),
    kind: Type.Optional(Kind),
    route: Type.Optional(Route),
    fate: Type.Optional(Fate),
  }),
  reply: Type.Object({
    turns: Type.Array(TurnRow),
    /** What to give as `after` for the next page; null: there is none. */
    next: orNull(Id),
  }),
});

/** Whether a reader may have the texts, and what keeps them from him. */
export const TEXT_ACCESS = ['shown', 'role', 'not_recorded'] as const;

const Message = Type.Object({ role: Type.String() }, { additionalProperties: true });

/** The answer's tokens, one entry each in every list. Without the right to text there are neither ids nor texts. */
export const TurnTokens = Type.Object({
  ids: orNull(Type.Array(Type.Integer())),
  /** What each token adds to the text; null without the model's vocabulary. */
  texts: orNull(Type.Array(Type.String())),
  logProbs: Numbers,
  teacherLogProbs: orNull(Numbers),
  /** As a trainer would get them; null for a turn that is no sample. */
  advantages: orNull(Numbers),
  mask: orNull(Type.Array(Type.Integer())),
  /** Policy version of each token. */
  versions: Type.Array(Type.Integer()),
});

export const TurnDetail = Type.Object({
  row: TurnRow,
  text: Type.Union(TEXT_ACCESS.map((access) => Type.Literal(access))),
  sessionId: orNull(Type.String()),
  model: orNull(Type.String()),
  finishReason: orNull(Type.String()),
  sampling: orNull(Sampling),
  weightVersions: Type.Array(Type.String()),
  /** The newest messages of the request. */
  messages: orNull(Type.Array(Message)),
  /** Older messages that are left out. */
  leftOut: Type.Integer({ minimum: 0 }),
  response: orNull(Message),
  /** What came after the answer. */
  nextState: orNull(Type.Array(Message)),
  judge: orNull(
    Type.Object({
      model: Type.String(),
      votes: Type.Array(Type.Object({ score: orNull(Score), text: orNull(Type.String()), millis: Type.Integer() })),
      detail: orNull(Type.String()),
    }),
  ),
  hint: orNull(
    Type.Object({
      model: Type.String(),
      teacher: orNull(Type.String()),
      reason: orNull(Type.String()),
      text: orNull(Type.String()),
      selected: orNull(Type.Integer()),
      votes: Type.Array(
        Type.Object({
          decision: orNull(Type.Union([Type.Literal(1), Type.Literal(-1)])),
          hint: orNull(Type.String()),
          text: orNull(Type.String()),
          millis: Type.Integer(),
        }),
      ),
    }),
  ),
  feedback: Type.Array(
    Type.Object({
      givenAt: Millis,
      score: orNull(Score),
      text: orNull(Type.String()),
      outcome: orNull(Type.Number()),
    }),
  ),
  sample: orNull(Type.Object({ reward: Type.Number(), rewardWeight: Type.Number(), teacherWeight: Type.Number() })),
  tokens: orNull(TurnTokens),
});

/** Everything about one turn. `withText`: the reader's role may have it. */
export const ReadTurn = defineRpc({
  subject: 'rl.rpc.console.turn.v1',
  request: Type.Object({ turnId: Id, withText: Type.Boolean() }),
  /** null: nothing is kept of it. */
  reply: Type.Object({ turn: orNull(TurnDetail) }),
});

export const SessionRow = Type.Object({
  session: Id,
  firstAt: Millis,
  lastAt: Millis,
  turns: Type.Integer({ minimum: 0 }),
  samples: Type.Integer({ minimum: 0 }),
  good: Type.Integer({ minimum: 0 }),
  bad: Type.Integer({ minimum: 0 }),
  /** How it ended last; null: it is open. */
  ended: orNull(Type.Union([Type.Literal('idle'), Type.Literal('done'), Type.Literal('closed')])),
  endedAt: orNull(Millis),
  outcome: orNull(Type.Number()),
});

/** The newest sessions; with a name those that go by it: by their key, or by what their client calls them. */
export const ListSessions = defineRpc({
  subject: 'rl.rpc.console.sessions.v1',
  request: Type.Object({
    limit: Type.Integer({ minimum: 1, maximum: 500 }),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
  }),
  reply: Type.Object({ sessions: Type.Array(SessionRow) }),
});

export const VersionRow = Type.Object({
  version: Type.Integer({ minimum: 0 }),
  turns: Type.Integer({ minimum: 0 }),
  judged: Type.Integer({ minimum: 0 }),
  /** Mean of the judge's scores; null: none is judged. */
  meanScore: orNull(Type.Number()),
  samples: Type.Integer({ minimum: 0 }),
  /** Mean of the scores that samples train with. */
  meanReward: orNull(Type.Number()),
  /** Mean of how many versions behind its samples were when they were settled. */
  staleness: orNull(Type.Number()),
});

export const UpdateRow = Type.Object({
  version: Type.Integer({ minimum: 1 }),
  trainer: Type.String(),
  outcome: Type.Union([Type.Literal('committed'), Type.Literal('recovered')]),
  startedAt: Millis,
  endedAt: Millis,
  samples: Type.Integer({ minimum: 0 }),
  metrics: Type.Record(Type.String(), Type.Number()),
});

/** Answers to held-out prompts before and after the update that made a version. */
export const VersionAnswers = Type.Object({
  version: Type.Integer({ minimum: 1 }),
  answeredAt: Millis,
  answers: Type.Array(HeldOutAnswer),
});

/**
 * How training goes: turns by the policy version that served them, and what trainers have said of their updates. `withText`: the
 * reader's role may have it.
 */
export const ReadLearning = defineRpc({
  subject: 'rl.rpc.console.learning.v1',
  request: Type.Object({ withText: Type.Boolean() }),
  reply: Type.Object({
    versions: Type.Array(VersionRow),
    updates: Type.Array(UpdateRow),
    /** Oldest version first; null without the right to text. */
    heldOut: orNull(Type.Array(VersionAnswers)),
  }),
});

/** Removes every answer to held-out prompts, for good. */
export const ForgetAnswers = defineRpc({
  subject: 'rl.rpc.console.forget.v1',
  request: Type.Object({}),
  reply: Type.Object({ versions: Type.Integer({ minimum: 0 }) }),
});

export const ConsoleProblem = Type.Object({ what: Type.String(), remedy: Type.String() });

/** How everything stands at this moment. */
export const ReadNow = defineRpc({
  subject: 'rl.rpc.console.now.v1',
  request: Type.Object({}),
  reply: Type.Object({
    at: Millis,
    policyVersion: Type.Integer({ minimum: 0 }),
    gate: Type.Object({ state: Type.String(), closed: Type.Boolean() }),
    method: Type.String(),
    recording: Type.Boolean(),
    /** Samples that wait for the next update, of as many as it takes. */
    batch: Type.Object({ waiting: Type.Integer({ minimum: 0 }), size: Type.Integer({ minimum: 1 }) }),
    leased: Type.Integer({ minimum: 0 }),
    trained: Type.Integer({ minimum: 0 }),
    outcomes: Type.Record(Type.String(), Type.Integer()),
    /** Votes in each of the last minutes, oldest first. */
    votesByMinute: Type.Array(Type.Integer({ minimum: 0 })),
    /** Scores of the newest settled turns that have one, oldest first. */
    rewards: Type.Array(Score),
    problems: Type.Array(ConsoleProblem),
  }),
});

/** What only a gateway knows: this replica's own requests and surroundings. */
export const GatewayNow = Type.Object({
  running: Type.Integer({ minimum: 0 }),
  /** Requests that wait for the update gate. */
  held: Type.Integer({ minimum: 0 }),
  problems: Type.Array(ConsoleProblem),
});

/** Core NATS, stored nowhere: rows that have changed, told while somebody looks. */
export const LIVE_SUBJECT = 'rl.live.console.v1';

/** What is told on `LIVE_SUBJECT`. `gone`: turns that were removed; absent: none. */
export const LiveRows = Type.Object({ turns: Type.Array(TurnRow), gone: Type.Optional(Type.Array(Id)) });

export type TurnFate = (typeof TURN_FATES)[number];
export type TurnRow = Static<typeof TurnRow>;
export type TurnsRequest = ReturnType<(typeof ListTurns)['decodeRequest']>;
export type TurnsPage = ReturnType<(typeof ListTurns)['decodeReply']>;
export type TextAccess = (typeof TEXT_ACCESS)[number];
export type TurnTokens = Static<typeof TurnTokens>;
export type TurnDetail = Static<typeof TurnDetail>;
export type SessionRow = Static<typeof SessionRow>;
export type VersionRow = Static<typeof VersionRow>;
export type VersionAnswers = Static<typeof VersionAnswers>;
export type UpdateRow = Static<typeof UpdateRow>;
export type Learning = ReturnType<(typeof ReadLearning)['decodeReply']>;
export type ConsoleProblem = Static<typeof ConsoleProblem>;
export type Now = ReturnType<(typeof ReadNow)['decodeReply']>;
export type GatewayNow = Static<typeof GatewayNow>;
export type LiveRows = Static<typeof LiveRows>;
