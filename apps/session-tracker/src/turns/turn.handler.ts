import { Injectable } from '@nestjs/common';
import type { Delivery } from '@app/bus';
import { SessionClosed, TurnArrived, TurnCompleted } from '@app/contracts';
import { Outcomes } from '../outcomes/outcomes';
import type { ChainTurn } from '../pairing/chain-entry';
import { Pairs } from '../pairing/pairs';
import { EndQueue } from '../sessions/end-queue';
import type { SessionChange } from '../sessions/session-state';
import { unjudgedReason } from './kind';
import { Places } from './places';

const lastToken = (subject: string): string => subject.slice(subject.lastIndexOf('.') + 1);

const released = (turn: ChainTurn): SessionChange => ({ kind: 'released', turnId: turn.id });

/** Handles the stream of turns. Each event may come in any order, late, and more than once. */
@Injectable()
export class TurnHandler {
  constructor(
    private readonly places: Places,
    private readonly pairs: Pairs,
    private readonly ends: EndQueue,
    private readonly outcomes: Outcomes,
  ) {}

  async handle(event: Delivery): Promise<void> {
    if (TurnArrived.matches(event.subject)) await this.arrived(event);
    else if (TurnCompleted.matches(event.subject)) await this.completed(event);
    else await this.closed(event);
  }

  /** A message that is given up takes its turn with it: nobody else would ever settle that. */
  async settleDead(event: Delivery): Promise<void> {
    if (!TurnCompleted.matches(event.subject)) return;
    await this.outcomes.settle({ turnId: lastToken(event.subject), reason: 'dead_letter' });
  }

  private async arrived(event: Delivery): Promise<void> {
    const info = TurnArrived.decodeInfo(event);
    const place = await this.places.of(info, event.deliveries === 1);
    const followed = place.main ? await this.pairs.addFollower(info) : [];
    const change: SessionChange = { kind: 'arrived', turnId: info.turnId, at: info.arrivedAt };
    await this.record(place.session, { change, followed, event });
  }

  private async completed(event: Delivery): Promise<void> {
    const info = TurnCompleted.decodeInfo(event);
    const place = await this.places.of(info);
    const reason = unjudgedReason(place.main, info.exclusion);
    const judge = reason === null;
    const followed = await this.pairs.addTurn(info, place, judge);
    // Mostly the gateway has said so already; what it took for a turn of the main line, or could not say, is said here.
    if (reason !== null) await this.outcomes.settle({ turnId: info.turnId, session: place.session, reason });
    const change: SessionChange = {
      kind: 'completed',
      turnId: info.turnId,
      at: info.arrivedAt,
      judge,
      done: info.sessionDone,
      sequence: event.sequence,
    };
    await this.record(place.session, { change, followed, event });
  }

  private async closed(event: Delivery): Promise<void> {
    const info = SessionClosed.decodeInfo(event);
    const change: SessionChange = {
      kind: 'closed',
      requestId: lastToken(event.subject),
      at: info.closedAt,
      sequence: event.sequence,
      outcome: info.outcome,
    };
    await this.record(info.session, { change, followed: [], event });
  }

  private async record(
    session: string,
    said: { readonly change: SessionChange; readonly followed: readonly ChainTurn[]; readonly event: Delivery },
  ): Promise<void> {
    const { change, followed, event } = said;
    const isHere = (turn: ChainTurn): boolean => turn.session === session;
    for (const turn of followed.filter((each) => !isHere(each))) {
      await this.ends.apply(turn.session, [released(turn)], event.sequence);
    }
    await this.ends.apply(session, [change, ...followed.filter(isHere).map(released)], event.sequence);
  }
}
