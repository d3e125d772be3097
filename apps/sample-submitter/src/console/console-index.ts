import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Bus } from '@app/bus';
import { rootSessionKey, type StreamName, type TurnRow } from '@app/contracts';
import { StreamFollower } from '../follow/stream-follower';
import { TurnPlaces } from '../outcome/turn-places';
import { TurnRows } from './turn-rows';

/** Turns that are kept in mind, and messages that each stream is read back for them. */
const MAX_TURNS = 10_000;
const FOLLOWED = ['RL_TURNS', 'RL_FOLLOWS', 'RL_VERDICTS', 'RL_SAMPLES'] as const satisfies readonly StreamName[];
const PLACES_AT_ONCE = 32;

/**
 * The newest turns for the console, out of the streams' headers. Following begins with the first question: who never opens
 * the console never pays for it.
 */
@Injectable()
export class ConsoleIndex implements BeforeApplicationShutdown {
  readonly rows = new TurnRows(MAX_TURNS);
  private readonly followers: readonly StreamFollower[];
  private readonly listeners = new Set<(turnId: string) => void>();
  private readonly goneListeners = new Set<(turnId: string) => void>();
  private isRunning = false;
  private asked = -Infinity;

  constructor(
    bus: Bus,
    private readonly places: TurnPlaces,
  ) {
    this.followers = FOLLOWED.map((stream) => {
      let isFirst = true;
      return new StreamFollower(bus, {
        stream,
        newest: 2 * MAX_TURNS,
        onInfo: (message) => {
          const turnId = this.rows.apply(message);
          if (turnId !== null) for (const listener of this.listeners) listener(turnId);
        },
        onReset: () => {
          // The first look finds nothing to forget, but what the other streams have told by then.
          if (!isFirst) this.rows.clear();
          isFirst = false;
        },
      });
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.followers.map((follower) => follower.stop()));
  }

  /** Milliseconds since somebody has asked last. */
  get sinceAsked(): number {
    return performance.now() - this.asked;
  }

  /** Resolves when everything that was stored before the first question is known. */
  async ready(): Promise<void> {
    this.asked = performance.now();
    if (!this.isRunning) {
      this.isRunning = true;
      for (const follower of this.followers) void follower.run();
    }
    await Promise.all(this.followers.map((follower) => follower.whenStarted()));
  }

  /** Calls `listener` with every turn that something new is known of. */
  onChange(listener: (turnId: string) => void): void {
    this.listeners.add(listener);
  }

  /** Calls `listener` with every turn that was removed. */
  onGone(listener: (turnId: string) => void): void {
    this.goneListeners.add(listener);
  }

  /** A turn was removed. */
  forget(turnId: string): void {
    if (this.rows.get(turnId) === null) return;
    this.rows.forget(turnId);
    for (const listener of this.goneListeners) listener(turnId);
  }

  /** Finds the sessions of rows that have none yet. Where the session-tracker has said nothing, they stay without. */
  async place(rows: readonly TurnRow[]): Promise<void> {
    const homeless = rows.filter(({ session }) => session === null).slice(0, PLACES_AT_ONCE);
    await Promise.all(
      homeless.map(async ({ turnId, fate }) => {
        const session = (await this.places.find(turnId)) ?? (fate === 'open' ? null : rootSessionKey(turnId));
        if (session !== null) this.rows.place(turnId, session);
      }),
    );
  }
}
