import { isRetryable, type Delivery } from '@app/bus';
import { RlSettings, Settings, type Algorithm } from '@app/config';
import {
  FeedbackGiven,
  parseSessionDocument,
  SessionEnded,
  type SessionEndedInfo,
  sessionDocumentKey,
  TurnFollowed,
  TurnSettled,
  type MessageDefinition,
  type SessionDocument,
} from '@app/contracts';
import type { Static, TObject } from '@sinclair/typebox';
import { Telemetry } from '@app/telemetry';
import { FeedbackHandler } from '../src/feedback/feedback.handler';
import { StoredTurns } from '../src/feedback/stored-turns';
import { Outcomes } from '../src/outcomes/outcomes';
import { Pairs } from '../src/pairing/pairs';
import { EndQueue } from '../src/sessions/end-queue';
import { Sessions } from '../src/sessions/sessions';
import { Sweeper } from '../src/sessions/sweeper';
import type { Stores } from '../src/storage/stores';
import { Patience } from '../src/storage/patience';
import { Places } from '../src/turns/places';
import { ToolClients } from '../src/turns/tool-clients';
import { TurnHandler } from '../src/turns/turn.handler';
import { CrashError, FakeStore } from './fake-store';
import type { Event } from './script';

/** Times of the default settings. */
export const IDLE_MS = new Settings().session.idleMinutes * 60_000;
export const ANSWER_MS = new Settings().session.answerMinutes * 60_000;

interface Replica {
  readonly turns: TurnHandler;
  readonly feedback: FeedbackHandler;
  readonly ends: EndQueue;
  readonly sweeper: Sweeper;
}

/** A published end of a session; its lists sorted. */
export interface End {
  /** `<session>#<incarnation>` */
  readonly session: string;
  readonly cause: string;
  readonly withoutNextState: readonly string[];
  readonly lost: readonly string[];
}

/** The default settings with another method. */
export const settingsOf = (algorithm: Algorithm): Settings =>
  Object.assign(new Settings(), { rl: Object.assign(new RlSettings(), { algorithm }) });

/** How events are delivered. */
export interface DeliveryOptions {
  /** Events in hand at once. */
  readonly parallel?: number;
  /** Operations of the store until the next crash, asked before each delivery; 0: no crash. */
  readonly crashIn?: () => number;
}

/** Thrown when an event comes again and again: something waits for ever. */
export class StuckError extends Error {
  override readonly name = 'StuckError';
}

const MAX_DELIVERIES = 10_000;

const ignoreCrash = (error: unknown): void => {
  if (!(error instanceof CrashError)) throw error;
};

/** A stream of turns and a tracker of two replicas on it, which share nothing but the store. */
export class World {
  readonly store = new FakeStore();
  readonly telemetry = new Telemetry();
  readonly events: Event[] = [];
  readonly replicas: readonly [Replica, Replica];
  /** How long the bus has been there without a break. */
  busUpForMs = Infinity;
  private readonly handled = new Set<number>();
  private turnOf = 0;

  constructor(private readonly settings = new Settings()) {
    this.replicas = [this.createReplica(), this.createReplica()];
  }

  /** Puts events into the stream; they are not handled yet. */
  publish(...events: readonly Event[]): void {
    for (const event of events) this.store.messages.set(event.subject, event);
    this.events.push(...events);
  }

  /** Delivers events by sequence (from 0) in the given order; what fails comes again after the others. */
  async deliver(sequences: readonly number[], { parallel = 1, crashIn }: DeliveryOptions = {}): Promise<void> {
    const queue = [...sequences];
    for (let left = MAX_DELIVERIES; queue.length > 0; left -= 1) {
      if (left === 0) throw new StuckError(`sequences ${queue.join(', ')} are never handled`);
      this.store.crashIn = crashIn?.() ?? 0;
      const inHand = queue.splice(0, parallel);
      const results = await Promise.allSettled(inHand.map((sequence) => this.handle(sequence)));
      for (const [i, result] of results.entries()) {
        if (result.status === 'fulfilled') continue;
        if (!isRetryable(result.reason)) throw result.reason;
        queue.push(...inHand.slice(i, i + 1));
      }
      await this.endReady();
    }
    this.store.crashIn = 0;
    await this.endReady();
  }

  /** Publishes events and delivers them in order. */
  async play(...events: readonly Event[]): Promise<void> {
    const first = this.events.length;
    this.publish(...events);
    await this.deliver(events.map((_, i) => first + i));
  }

  /** Lets both replicas end what can end; one that crashes leaves it to the sweep. */
  private async endReady(): Promise<void> {
    for (const { ends } of this.replicas) await ends.endReady().catch(ignoreCrash);
  }

  /** One delivery, by one of the replicas in turn. */
  async handle(sequence: number, deliveries = 1): Promise<void> {
    const event = this.events[sequence];
    if (event === undefined) throw new StuckError(`the stream has no sequence ${sequence}`);
    const delivery: Delivery = { ...event, data: new Uint8Array(), sequence, deliveries };
    const { turns, feedback } = this.nextReplica();
    if (FeedbackGiven.matches(event.subject)) await feedback.handle(delivery);
    else await turns.handle(delivery);
    this.handled.add(sequence);
  }

  /** Lets every session become quiet, and sweeps; a sweep that crashes is followed by others. */
  async goQuiet(crashIn: () => number = () => 0, most = 4): Promise<void> {
    for (let sweeps = 0; sweeps < most; sweeps += 1) {
      this.store.now += IDLE_MS + 1;
      this.store.crashIn = crashIn();
      await this.nextReplica().sweeper.sweep().catch(ignoreCrash);
    }
    this.store.crashIn = 0;
  }

  /** Follower, or feedback, by turn. */
  get followed(): Record<string, string> {
    const pairs = this.infosOf(TurnFollowed).map(({ turnId, nextTurnId, feedbackId }) => [
      turnId,
      nextTurnId ?? feedbackId ?? '',
    ]);
    return Object.fromEntries(pairs) as Record<string, string>;
  }

  /** Reason by turn. */
  get settled(): Record<string, string> {
    const pairs = this.infosOf(TurnSettled).map(({ turnId, reason }) => [turnId, reason ?? '']);
    return Object.fromEntries(pairs) as Record<string, string>;
  }

  get ended(): readonly End[] {
    return this.messagesOf(SessionEnded).map((message) => {
      const { info, body } = SessionEnded.decode(message);
      return {
        session: `${info.session}#${info.incarnation}`,
        cause: info.cause,
        withoutNextState: [...body.head.withoutNextState].sort(),
        lost: [...body.head.lost].sort(),
      };
    });
  }

  /** Between which arrivals the turns of each ended incarnation lie. */
  get reaches(): readonly Pick<SessionEndedInfo, 'since' | 'through'>[] {
    return this.infosOf(SessionEnded);
  }

  /** The stored document of a session. */
  session(id: string): SessionDocument {
    const stored = this.store.documents.get(`sessions/${sessionDocumentKey(id)}`);
    return parseSessionDocument(JSON.parse(stored?.json ?? 'null'));
  }

  private infosOf<Info extends TObject>(definition: MessageDefinition<Info>): Static<Info>[] {
    return this.messagesOf(definition).map((message) => definition.decodeInfo(message));
  }

  private messagesOf(definition: Pick<MessageDefinition, 'matches'>): Event[] {
    return [...this.store.messages.values()].filter(({ subject }) => definition.matches(subject));
  }

  private nextReplica(): Replica {
    this.turnOf = 1 - this.turnOf;
    return this.turnOf === 0 ? this.replicas[0] : this.replicas[1];
  }

  private createReplica(): Replica {
    const { store } = this;
    const stores: Stores = {
      sessions: store.documentsOf('sessions/'),
      places: store.documentsOf('sessions/'),
      clients: store.documentsOf('sessions/'),
      chains: store.documentsOf('chains/'),
    };
    const patience = new Patience([]);
    const outcomes = new Outcomes(store.bus(), this.telemetry);
    const places = new Places(stores, new ToolClients(stores), patience);
    const progress = {
      handledThrough: () => Promise.resolve(this.handledThrough()),
      handledUntil: () => Promise.resolve(store.now),
      upForMs: () => this.busUpForMs,
    };
    const sessions = new Sessions(stores, outcomes);
    const ends = new EndQueue(sessions, progress);
    return {
      turns: new TurnHandler(places, new Pairs(stores, outcomes, patience), ends, outcomes),
      ends,
      feedback: new FeedbackHandler(
        this.settings,
        new StoredTurns(this.settings, store.bus(), places),
        sessions,
        outcomes,
      ),
      sweeper: new Sweeper(this.settings, stores, sessions, progress),
    };
  }

  private handledThrough(): number {
    const first = this.events.findIndex((event, i) => !this.handled.has(i) && !FeedbackGiven.matches(event.subject));
    return first === -1 ? Infinity : first - 1;
  }
}
