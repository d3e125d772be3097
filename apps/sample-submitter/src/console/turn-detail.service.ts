import { Injectable } from '@nestjs/common';
import { Bus } from '@app/bus';
import { Settings } from '@app/config';
import {
  FeedbackGiven,
  TurnArrived,
  TurnCompleted,
  TurnHinted,
  TurnJudged,
  TurnSettled,
  type TextAccess,
  type TurnDetail,
  type TurnTokens,
} from '@app/contracts';
import { sampleFromFrame, type Sample } from '@app/sample';
import { ConsoleIndex } from './console-index';
import { fitMessages } from './fit-messages';
import { toRow } from './list-rows';
import { TokenTexts } from './token-texts';
import { describeTokens } from './turn-tokens';

type Completed = NonNullable<Awaited<ReturnType<typeof readCompleted>>>;
type Judged = NonNullable<Awaited<ReturnType<typeof readJudged>>>;
type Hinted = NonNullable<Awaited<ReturnType<typeof readHinted>>>;

const readCompleted = (bus: Bus, turnId: string) => bus.read(TurnCompleted, turnId);
const readJudged = (bus: Bus, turnId: string) => bus.read(TurnJudged, turnId);
const readHinted = (bus: Bus, turnId: string) => bus.read(TurnHinted, turnId);

/** Gathers what is stored about one turn. Text is left out for who may not read it, and where nothing is recorded. */
@Injectable()
export class TurnDetailService {
  constructor(
    private readonly bus: Bus,
    private readonly settings: Settings,
    private readonly index: ConsoleIndex,
    private readonly texts: TokenTexts,
  ) {}

  /** null: nothing is kept of it. @throws BusUnavailableError */
  async read(turnId: string, withText: boolean): Promise<TurnDetail | null> {
    await this.index.ready();
    const [turn, judged, hinted, settled] = await Promise.all([
      readCompleted(this.bus, turnId),
      readJudged(this.bus, turnId),
      readHinted(this.bus, turnId),
      this.bus.read(TurnSettled, turnId),
    ]);
    const known = this.index.rows.get(turnId);
    if (known === null) return null;
    await this.index.place([known]);
    const row = this.index.rows.get(turnId) ?? known;
    if (turn === null && settled === null && (await this.bus.read(TurnArrived, turnId)) === null) {
      this.index.forget(turnId);
      return null;
    }
    const access: TextAccess = !withText ? 'role' : this.settings.records.enabled ? 'shown' : 'not_recorded';
    const isShown = access === 'shown';
    const sample = settled?.info.kind === 'sample' ? sampleFromFrame(settled.body) : null;
    const head = turn?.body.head ?? null;
    const { messages, leftOut } = fitMessages(head?.messages ?? []);
    return {
      row: toRow(row),
      text: access,
      sessionId: isShown ? (head?.sessionId ?? null) : null,
      model: head?.model ?? null,
      finishReason: head?.finishReason ?? null,
      sampling: head?.sampling ?? null,
      weightVersions: head?.weightVersions ?? [],
      messages: isShown ? messages : null,
      leftOut: isShown ? leftOut : 0,
      response: isShown ? (head?.response ?? null) : null,
      nextState: isShown ? await this.nextState(judged ?? hinted) : null,
      judge: judged === null ? null : judgeOf(judged, isShown),
      hint: hinted === null ? null : hintOf(hinted, isShown),
      feedback: await this.feedback(turnId, row.feedbackIds, isShown),
      sample: sample === null ? null : sampleOf(sample),
      tokens: turn === null ? null : this.tokens(turn, hinted, { sample, isShown }),
    };
  }

  private tokens(
    { body }: Completed,
    hinted: Hinted | null,
    { sample, isShown }: { readonly sample: Sample | null; readonly isShown: boolean },
  ): TurnTokens | null {
    const { responseIds, logProbs } = body.arrays;
    if (!(responseIds instanceof Int32Array) || !(logProbs instanceof Float64Array) || responseIds.length === 0) {
      return null;
    }
    const teacher = hinted?.body.arrays.teacherLogProbs;
    return describeTokens(
      {
        ids: responseIds,
        logProbs,
        teacherLogProbs: teacher instanceof Float64Array ? teacher : null,
        versions: body.head.policyVersion,
        sample,
      },
      isShown ? (ids) => this.texts.of(ids) : null,
    );
  }

  private async nextState(source: Judged | Hinted | null): Promise<TurnDetail['nextState']> {
    const nextTurnId = source?.info.nextTurnId;
    if (nextTurnId === undefined) return null;
    const next = await this.bus.read(TurnArrived, nextTurnId);
    return next === null ? null : fitMessages(next.body.head.nextState).messages;
  }

  private async feedback(
    turnId: string,
    feedbackIds: readonly string[],
    isShown: boolean,
  ): Promise<TurnDetail['feedback']> {
    const read = await Promise.all(feedbackIds.map((id) => this.bus.read(FeedbackGiven, turnId, id)));
    return read.flatMap((each) => {
      if (each === null) return [];
      const { givenAt, score = null, outcome = null } = each.info;
      return { givenAt, score, outcome, text: isShown ? (each.body.head.text ?? null) : null };
    });
  }
}

const judgeOf = ({ body: { head } }: Judged, isShown: boolean): TurnDetail['judge'] => ({
  model: head.judgeModel,
  detail: head.detail ?? null,
  votes: head.votes.map(({ score, text, millis }) => ({ score, millis, text: isShown ? text : null })),
});

const hintOf = ({ info, body: { head } }: Hinted, isShown: boolean): TurnDetail['hint'] => ({
  model: head.judgeModel,
  teacher: head.teacherModel,
  reason: info.reason ?? null,
  text: isShown ? head.hint : null,
  selected: head.selected,
  votes: head.votes.map(({ decision, hint, text, millis }) => ({
    decision,
    millis,
    hint: isShown ? hint : null,
    text: isShown ? text : null,
  })),
});

const sampleOf = ({ reward, metadata: { weights } }: Sample): TurnDetail['sample'] => ({
  reward: reward.score,
  rewardWeight: weights.binary_reward,
  teacherWeight: weights.opd,
});
