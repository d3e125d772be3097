import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Bus, BusUnavailableError } from '@app/bus';
import { Settings } from '@app/config';
import {
  FeedbackGiven,
  TurnArrived,
  TurnFollowed,
  TurnSettled,
  type FeedbackGivenInfo,
  type TurnArrivedInfo,
} from '@app/contracts';
import { invalidRequest, OpenAiError } from '../errors/openai-error';
import { Outbox } from '../capture/outbox';
import { KnownSessions } from '../sessions/known-sessions';
import type { FeedbackDto } from './feedback.dto';
import { whyOnlyKept, type AnswerState } from './why-only-kept';

/** A feedback that has been stored. */
export interface GivenFeedback {
  readonly feedbackId: string;
  readonly turnId: string;
  /** Why it is kept and nothing else; null: it counts. */
  readonly onlyKept: string | null;
}

const notFound = (what: string): OpenAiError =>
  new OpenAiError(404, 'not_found', `${what} is not known, or not of this API key`);

/** What it means may be among the turns that are still to be sent. */
const notYet = (what: string): BusUnavailableError =>
  new BusUnavailableError(`the turn that ${what} means could not be stored yet`);

/** How long a word about an answer waits until that is stored, and how often it looks. */
const STORED_MS = 2000;
const LOOK_EVERY_MS = 10;

/** Stores what a person says about an answer. */
@Injectable()
export class FeedbackService {
  constructor(
    private readonly bus: Bus,
    private readonly outbox: Outbox,
    private readonly sessions: KnownSessions,
    private readonly settings: Settings,
  ) {}

  /** @throws OpenAiError 400, 404; BusUnavailableError */
  async give(scope: string, feedback: FeedbackDto): Promise<GivenFeedback> {
    const { score, text, outcome } = feedback;
    if (score === undefined && text === undefined && outcome === undefined) {
      throw invalidRequest('score', 'one of score, text and outcome is needed');
    }
    const turnId = await this.findTurn(scope, feedback);
    const turn = await this.readTurn(scope, turnId);
    const session = turn.namedSession ?? turn.runtimeSession;
    const feedbackId = randomUUID();
    const onlyKept = whyOnlyKept(feedback, await this.readState(turnId), this.settings);
    const info: FeedbackGivenInfo = {
      turnId,
      feedbackId,
      scope,
      givenAt: Date.now(),
      hasText: text !== undefined,
      ...(session === undefined ? {} : { session }),
      ...(score === undefined ? {} : { score }),
      ...(outcome === undefined ? {} : { outcome }),
    };
    await this.bus.publish(FeedbackGiven, [turnId, feedbackId], { info, head: text === undefined ? {} : { text } });
    return { feedbackId, turnId, onlyKept };
  }

  private async findTurn(scope: string, feedback: FeedbackDto): Promise<string> {
    if (feedback.turn_id !== undefined) return feedback.turn_id;
    if (feedback.session_id === undefined) throw invalidRequest('turn_id', 'turn_id or session_id is needed');
    await this.sessions.catchUp();
    for (const { lastTurn } of await this.sessions.find(scope, feedback.session_id)) {
      if (lastTurn !== undefined) return lastTurn;
    }
    if (this.outbox.size > 0) throw notYet('session_id');
    throw notFound('session_id');
  }

  /** A turn that is still on its way from here to the bus is known. @throws BusUnavailableError if it does not get there */
  private async waitUntilSent(turnId: string): Promise<void> {
    const end = performance.now() + STORED_MS;
    while (this.outbox.holds(turnId)) {
      if (performance.now() >= end) throw notYet('turn_id');
      await pause(LOOK_EVERY_MS);
    }
  }

  /** A turn of another caller is as unknown as one that never was. */
  private async readTurn(scope: string, turnId: string): Promise<TurnArrivedInfo> {
    await this.waitUntilSent(turnId);
    const message = await this.bus.read(TurnArrived, turnId);
    if (message?.info.scope !== scope) throw notFound('turn_id');
    return message.info;
  }

  private async readState(turnId: string): Promise<AnswerState> {
    const [settled, followed] = await Promise.all([
      this.bus.read(TurnSettled, turnId),
      this.bus.read(TurnFollowed, turnId),
    ]);
    return {
      outcome: settled === null ? null : (settled.info.reason ?? settled.info.kind),
      isFollowed: followed !== null,
    };
  }
}
