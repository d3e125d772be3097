import { Injectable } from '@nestjs/common';
import { Settings } from '@app/config';
import type { NoHintReason } from '@app/contracts';
import { Telemetry } from '@app/telemetry';
import type { PollOptions, ReadableTurn } from '@app/voting';
import { TeacherPass, type AnsweredTurn } from '../teaching/teacher-pass';
import type { HintResult } from './hint-publisher';
import { HintVotesService, type HintDecision } from './hint-votes.service';
import { isComparable } from './temperature';

/** Decisions that are kept while their turns wait for the teacher, so that nobody is asked to vote again. */
const KEPT_DECISIONS = 256;

/** From a followed turn to the teacher's log-probs of its tokens, or to the reason why there are none. */
@Injectable()
export class HintService {
  private readonly decisions = new Map<string, HintDecision>();

  constructor(
    private readonly hintVotes: HintVotesService,
    private readonly teacherPass: TeacherPass,
    private readonly settings: Settings,
    private readonly telemetry: Telemetry,
  ) {}

  /** @throws OutageError while judge or teacher are out of order: the turn has to come again later */
  async hint(read: ReadableTurn, options: PollOptions): Promise<HintResult> {
    const answered = answeredTurn(read);
    if (answered === null) return this.without('no_token_ids');
    // What could not be subtracted is not asked for.
    const { head } = read.stored.body;
    if (!isComparable(head, this.settings.opd.studentTemperature)) return this.without('temperature_mismatch');
    const decision = await this.decide(read, options);
    const vote = decision.selected === null ? undefined : decision.votes[decision.selected];
    if (vote === undefined) return this.without(decision.reason ?? 'no_hint', decision);
    return this.teach(answered, { decision, hint: vote.hint }, options);
  }

  private async decide({ turn, stored }: ReadableTurn, options: PollOptions): Promise<HintDecision> {
    const { turnId } = stored.info;
    const decision = this.decisions.get(turnId) ?? (await this.hintVotes.decide(turn, options));
    this.decisions.set(turnId, decision);
    const [oldest] = this.decisions.keys();
    if (this.decisions.size > KEPT_DECISIONS && oldest !== undefined) this.decisions.delete(oldest);
    return decision;
  }

  private async teach(
    turn: AnsweredTurn,
    { decision, hint }: { readonly decision: HintDecision; readonly hint: string },
    options: PollOptions,
  ): Promise<HintResult> {
    const cut = await this.teacherPass.cut(hint, options);
    const result = { judgeModel: this.hintVotes.model, decision, hint: cut, teacherModel: this.teacherPass.model };
    const score = () => this.teacherPass.score(turn, cut, options);
    const passed = await this.telemetry.tracer.span('score with the hint', { kind: 'client' }, score);
    if ('scores' in passed) return { ...result, scores: passed.scores, reason: null };
    return { ...result, ...passed, scores: null };
  }

  private without(reason: NoHintReason, decision: HintDecision = { votes: [], selected: null, reason }): HintResult {
    return { judgeModel: this.hintVotes.model, decision, hint: null, teacherModel: null, scores: null, reason };
  }
}

/** The turn's tokens; null where the engine gave none that can be trained on. */
const answeredTurn = ({ stored }: ReadableTurn): AnsweredTurn | null => {
  const { head, arrays } = stored.body;
  const { promptIds, responseIds } = arrays;
  if (stored.info.exclusion !== undefined) return null;
  if (!(promptIds instanceof Int32Array) || !(responseIds instanceof Int32Array)) return null;
  if (promptIds.length === 0 || responseIds.length === 0) return null;
  return { messages: head.messages, tools: head.tools, promptIds, responseIds };
};
