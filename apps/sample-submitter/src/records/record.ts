import type {
  Body,
  FrameArrays,
  TurnCompletedBody,
  TurnCompletedInfo,
  TurnHintedBody,
  TurnHintedInfo,
  TurnJudgedInfo,
  TurnSettledInfo,
  Vote,
} from '@app/contracts';

/** What the judge said about a turn. */
export interface Judgement {
  readonly info: TurnJudgedInfo;
  readonly body: Body<{ judgeModel: string; votes: Vote[]; detail?: string }>;
}

/** What the hint teacher said of a turn. */
export interface Hinted {
  readonly info: TurnHintedInfo;
  readonly body: TurnHintedBody;
}

/** What followed a turn: messages of the next request, or the text of a person's feedback. */
export type NextState =
  | { readonly source: 'request'; readonly turnId: string; readonly messages: readonly unknown[] }
  | { readonly source: 'feedback'; readonly feedbackId: string; readonly text: string | null };

/** Everything that is known of a settled turn; null where it is not stored, or not any more. */
export interface RecordParts {
  readonly session: string;
  readonly settled: TurnSettledInfo;
  readonly turn: { readonly info: TurnCompletedInfo; readonly body: TurnCompletedBody } | null;
  readonly judgement: Judgement | null;
  readonly hinted: Hinted | null;
  readonly nextState: NextState | null;
}

const hintsOf = ({ info, body: { head } }: Hinted): Readonly<Record<string, unknown>> => ({
  model: head.judgeModel,
  teacher_model: head.teacherModel,
  votes: head.votes,
  selected: head.selected,
  hint: head.hint,
  reason: info.reason ?? null,
  detail: head.detail ?? null,
});

/** How many tokens there are; null where their ids were not kept. */
const countOf = (ids: FrameArrays[string] | undefined): number | null =>
  ids === undefined || ids.length === 0 ? null : ids.length;

/** One line of the records: a turn from its prompt to its fate, as plain JSON. */
export const toRecord = (parts: RecordParts): Readonly<Record<string, unknown>> => {
  const { settled, turn, judgement, hinted, nextState } = parts;
  const head = turn?.body.head;
  return {
    turn_id: settled.turnId,
    session_key: parts.session,
    session_id: head?.sessionId ?? null,
    // That a program sends tools elsewhere, so that this is side work of it, only its session tells: the last word has it.
    kind: settled.reason === 'side_turn' ? 'side' : (turn?.info.kind ?? null),
    arrived_at: turn?.info.arrivedAt ?? null,
    completed_at: turn?.info.completedAt ?? null,
    settled_at: settled.settledAt,
    policy_version: head?.policyVersion ?? null,
    model: head?.model ?? null,
    route: head?.route ?? null,
    finish_reason: head?.finishReason ?? null,
    prompt_tokens: countOf(turn?.body.arrays.promptIds),
    response_tokens: countOf(turn?.body.arrays.responseIds),
    messages: head?.messages ?? null,
    tools: head?.tools ?? null,
    response: head?.response ?? null,
    tool_calls: head?.response?.tool_calls ?? null,
    next_state: nextState,
    judge:
      judgement === null
        ? null
        : {
            model: judgement.body.head.judgeModel,
            score: judgement.info.score,
            votes: judgement.body.head.votes,
            detail: judgement.body.head.detail ?? null,
          },
    hints: hinted === null ? null : hintsOf(hinted),
    score: settled.score ?? null,
    source: settled.source ?? null,
    session_outcome: settled.outcome ?? null,
    outcome: settled.kind,
    signal: settled.signal ?? null,
    reason: settled.reason ?? null,
    detail: settled.detail ?? null,
  };
};
