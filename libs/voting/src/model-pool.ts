import { jitter } from '@app/bus';
import type { Settings } from '@app/config';
import { EngineAccess, Limiter, Rotation, type EngineError, type EngineState } from '@app/engines';
import { EngineNews, EnginePatrol, type WatchedEngine } from '@app/patrol';
import type { Telemetry } from '@app/telemetry';
import type { ModelGate } from './model-gate';

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 20_000;
const MS = 1000;

/** One engine of a judge or teacher. */
export interface ModelSeat extends WatchedEngine {
  /** As operators know it. */
  readonly name: string;
  readonly url: string;
}

export interface ModelPoolOptions<Seat> {
  readonly pool: 'prm' | 'teacher';
  readonly seats: readonly [Seat, ...Seat[]];
  /** Calls at once. */
  readonly concurrency: number;
  /** Told of every call that failed, before it is repeated. */
  readonly onFailure?: (error: EngineError, seat: Seat) => void;
  /** Told when the last engine's breaker opens, and when the first one's closes. */
  readonly onBreaker: (open: boolean) => void;
}

export interface ModelPoolContext {
  readonly settings: Settings;
  readonly telemetry: Telemetry;
  readonly gates: ModelGate;
}

/** The engines of a judge or teacher: asked through one access, looked at besides, and told of to operators. */
export class ModelPool<Seat extends ModelSeat> {
  readonly access: EngineAccess<Seat>;
  private readonly rotation: Rotation<Seat>;
  private readonly patrol: EnginePatrol<Seat>;
  private readonly news: EngineNews;
  /** Engines whose calls fail again and again. */
  private readonly failing = new Set<string>();
  private readonly stopFollowing: () => void;

  constructor(
    { pool, seats, concurrency, onFailure, onBreaker }: ModelPoolOptions<Seat>,
    { settings, telemetry, gates }: ModelPoolContext,
  ) {
    const { judge, pools } = settings;
    this.news = new EngineNews(pool, telemetry);
    // What looks show counts at once; what calls show is the breakers' part.
    const health = { failures: pools.ejectFailures, restMs: 0, ejects: true };
    this.rotation = new Rotation(seats, health, (state) => {
      this.news.tell(this.seen(state));
    });
    this.patrol = new EnginePatrol(seats, {
      everyMs: pools.checkEveryS * MS,
      // One engine alone is asked, whatever it is.
      isOfUse: () => seats.length > 1,
      weightsOf: ({ url }) => gates.weightsAt(url),
      note: (seat, report) => {
        const weights = gates.isPolicys(seat.url) ? report.weights : null;
        this.rotation.noteCheck(seat, { ...report, weights }, performance.now());
      },
    });
    this.access = new EngineAccess({
      engines: seats,
      preferred: () => this.rotation.engines,
      limiter: new Limiter(concurrency),
      breaker: { failures: judge.breakerFailures, openMs: judge.breakerOpenS * MS },
      retry: { attempts: judge.maxAttempts, firstDelayMs: FIRST_DELAY_MS, longestDelayMs: LONGEST_DELAY_MS },
      spread: () => jitter(1),
      gate: gates.of(seats.map(({ url }) => url)),
      ...(onFailure === undefined ? {} : { onFailure }),
      onEngine: ({ name }, open) => {
        if (open) this.failing.add(name);
        else this.failing.delete(name);
        for (const state of this.rotation.states) if (state.name === name) this.news.tell(this.seen(state));
      },
      onBreaker,
    });
    for (const state of this.rotation.states) this.news.show(state);
    this.stopFollowing = gates.onWeights((weights) => {
      if (this.rotation.expect(weights)) this.patrol.lookAtAll();
    });
  }

  /** Looks at the engines from now on. */
  watch(): void {
    this.patrol.lookAtAll();
  }

  stop(): void {
    this.stopFollowing();
    this.patrol.stop();
  }

  private seen(state: EngineState): EngineState {
    return this.failing.has(state.name) ? { ...state, condition: 'sick', inRotation: false } : state;
  }
}
