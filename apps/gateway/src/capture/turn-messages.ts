import type { ChatMessage, Conversation } from '@app/chat';
import { hashAnswer } from '@app/chat';
import {
  TurnArrived,
  TurnCompleted,
  TurnSettled,
  type CaptureRoute,
  type EncodedMessage,
  type Exclusion,
  type FrameArrays,
  type Sampling,
  type TurnInfo,
} from '@app/contracts';
import { valueOf } from '../chat/edit-json';
import type { ChatRequest } from '../chat/parse-request';
import type { Identity } from '../chat/identify';
import type { RecordedAnswer } from './answer-recorder';
import type { CaptureVerdict } from './judge-capture';
import type { VersionSpan } from './version-spans';
import type { Parcel } from './outbox';

/** One turn while it is being served. */
export interface Turn {
  readonly id: string;
  readonly request: ChatRequest;
  readonly conversation: Conversation;
  readonly identity: Identity;
  readonly model: string;
  readonly sampling: Sampling;
  readonly arrivedAt: number;
  readonly policyVersion: number;
  /** false: served before this replica has read the version, so that the turn cannot say what made it. */
  readonly isVersionKnown: boolean;
}

/** How a turn ended. */
export interface Ending {
  readonly completedAt: number;
  readonly policyVersion: number;
  /** The engines' own names of the weights at the start and the end, where they are known. */
  readonly engineVersions: { readonly start: string | null; readonly end: string | null };
  /** Whose tokens are whose, oldest first; empty where that is not known. */
  readonly versionSpans: readonly VersionSpan[];
  readonly delivered: boolean;
  /** null: the upstream never answered. */
  readonly answer: RecordedAnswer | null;
  readonly verdict: CaptureVerdict;
  /** The route that was tried, whatever came of it. */
  readonly route: CaptureRoute;
  readonly logProbsTempered: boolean | null;
}

/** What a finished turn is, in words that are counted. */
export interface Outcome {
  readonly exclusion: Exclusion | null;
  readonly detail: string | null;
}

const SETTLED_HERE: ReadonlySet<Exclusion> = new Set([
  'side_turn',
  'undelivered',
  'upstream_error',
  'incomplete',
  'turn_too_large',
]);

/** Whether the gateway settles a turn itself; the others wait for their next state. */
export const isSettledHere = (exclusion: Exclusion | null): exclusion is Exclusion =>
  exclusion !== null && SETTLED_HERE.has(exclusion);

const infoOf = (turn: Turn): TurnInfo => ({
  ...turn.identity.info,
  turnId: turn.id,
  arrivedAt: turn.arrivedAt,
  policyVersion: turn.policyVersion,
});

const settledMessage = (
  info: TurnInfo,
  reason: Exclusion,
  settledAt: number,
  detail: string | null,
): EncodedMessage => {
  const { turnId, policyVersion, namedSession, runtimeSession } = info;
  const session = namedSession ?? runtimeSession;
  return TurnSettled.encode(
    [turnId],
    {
      turnId,
      ...(session === undefined ? {} : { session }),
      kind: 'reason',
      reason,
      ...(detail === null ? {} : { detail }),
      policyVersion,
      settledAt,
    },
    {},
  );
};

/** `turn.arrived`, with the next-state messages if the request is feedback for the turn it continues. */
export const arrivedParcel = (turn: Turn): Parcel => {
  const { nextStateRole } = turn.identity;
  const info = infoOf(turn);
  const nextState: ChatMessage[] = nextStateRole === null ? [] : turn.conversation.nextState;
  return {
    message: TurnArrived.encode([turn.id], nextStateRole === null ? info : { ...info, nextStateRole }, { nextState }),
    ifTooLarge: () => [TurnArrived.encode([info.turnId], info, { nextState: [] })],
  };
};

/** Why a turn is not trained on, most telling reason first. */
export const outcomeOf = (turn: Turn, ending: Ending): Outcome => {
  if (turn.identity.info.kind === 'side') return { exclusion: 'side_turn', detail: null };
  if (!ending.delivered && ending.answer !== null) return { exclusion: 'undelivered', detail: null };
  if (ending.verdict.kind === 'excluded') {
    return { exclusion: ending.verdict.reason, detail: ending.verdict.detail ?? null };
  }
  return { exclusion: null, detail: null };
};

const NO_ARRAYS: FrameArrays = {
  promptIds: new Int32Array(),
  responseIds: new Int32Array(),
  logProbs: new Float64Array(),
};

const arraysOf = (verdict: CaptureVerdict): FrameArrays =>
  verdict.kind === 'exact'
    ? { promptIds: verdict.promptIds, responseIds: verdict.responseIds, logProbs: verdict.logProbs }
    : NO_ARRAYS;

/** The policy versions of an answer; tokens are told apart where it lived through an update. */
const versionsOf = (turn: Turn, { policyVersion, versionSpans: spans, verdict }: Ending) => {
  const end = Math.max(policyVersion, ...spans.map(({ version }) => version));
  const isMixed = verdict.kind === 'exact' && spans.some(({ version }) => version !== turn.policyVersion);
  return { start: turn.policyVersion, end, ...(isMixed ? { spans: [...spans] } : {}) };
};

/** The engines' own names of the weights that made the answer, oldest first. */
const weightVersionsOf = (turn: Turn, { policyVersion, engineVersions, answer }: Ending): string[] => {
  const told = answer?.weightVersions ?? [];
  const last = told.length > 0 ? told : [engineVersions.end];
  const hasStart = answer?.isStartTold === true || policyVersion === turn.policyVersion;
  const names = hasStart ? last : [engineVersions.start, ...last];
  return [...new Set(names.flatMap((name) => name ?? []))];
};

const hashesOf = (conversation: Conversation, response: ChatMessage) => {
  const { exchange, ...hashes } = hashAnswer(conversation, response);
  return exchange === null ? hashes : { ...hashes, exchange };
};

/** What the client printed already, often most of the message. */
const printedOf = ({ members, tools }: ChatRequest): Record<string, Buffer> =>
  Object.fromEntries(
    (tools.length === 0 ? ['messages'] : ['messages', 'tools']).flatMap((name) => {
      const value = valueOf(members, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );

/**
 * `turn.completed`, the stored turn, and `turn.settled` where the gateway already knows that there will be no sample.
 * `onStored` is told once what excludes the turn in the form in which it is stored: only the bus knows what is too large for it.
 */
export const completedParcels = (
  turn: Turn,
  ending: Ending,
  outcome: Outcome,
  onStored: (exclusion: Exclusion | null) => void,
): Parcel[] => {
  const { exclusion, detail } = outcome;
  const { answer, verdict, completedAt } = ending;
  const { conversation, request } = turn;
  const keepsIds = exclusion === null || exclusion === 'side_turn';
  const hashes = answer === null || !ending.delivered ? {} : hashesOf(conversation, answer.message);
  const arrays = keepsIds ? arraysOf(verdict) : NO_ARRAYS;
  const told = { route: ending.route, tokens: arrays.responseIds?.length ?? 0 };
  const info = { ...infoOf(turn), completedAt, ...hashes, ...told };
  const body = {
    sessionId: turn.identity.sessionId,
    model: turn.model,
    messages: [...request.messages],
    ...(request.tools.length === 0 ? {} : { tools: [...request.tools] }),
    response: answer?.message ?? null,
    finishReason: answer?.finishReason ?? null,
    sampling: turn.sampling,
    logProbsTempered: ending.logProbsTempered,
    route: ending.route,
    weightVersions: answer === null ? [] : weightVersionsOf(turn, ending),
    policyVersion: versionsOf(turn, ending),
    ...(detail === null ? {} : { detail }),
  };
  // As text: a short string that was cut out of a long one would keep that in memory.
  const stripped = JSON.stringify({ ...body, messages: [], tools: [], response: null });
  const settledHere = isSettledHere(exclusion);
  const shortExclusion = settledHere ? exclusion : 'turn_too_large';
  const completed: Parcel = {
    message: TurnCompleted.encode([turn.id], exclusion === null ? info : { ...info, exclusion }, body, {
      arrays,
      printed: printedOf(request),
    }),
    ifTooLarge: () => [
      ...(settledHere ? [] : [settledMessage(info, 'turn_too_large', info.completedAt, null)]),
      TurnCompleted.encode(
        [info.turnId],
        { ...info, exclusion: shortExclusion, tokens: 0 },
        JSON.parse(stripped) as typeof body,
      ),
    ],
    onFate: (fate) => {
      onStored(fate === 'whole' ? exclusion : shortExclusion);
    },
  };
  if (!settledHere) return [completed];
  // The outcome goes first: should this process die between the two, nobody else would say it of a completed turn.
  return [{ message: settledMessage(info, exclusion, completedAt, detail), ifTooLarge: () => [] }, completed];
};
