import type { EngineReport } from '@app/engines';

const LOOK_TIMEOUT_MS = 5000;

/** An engine that can be looked at from outside. */
export interface WatchedEngine {
  look(signal: AbortSignal): Promise<EngineReport>;
}

export interface PatrolOptions<Engine> {
  /** Between two looks at each engine, in milliseconds. */
  readonly everyMs: number;
  /** Whether anything is to be found out. */
  readonly isOfUse: () => boolean;
  /** The weights that an engine should serve, null: any. undefined: they are being changed, and nothing is concluded. */
  readonly weightsOf: (engine: Engine) => string | null | undefined;
  readonly note: (engine: Engine, report: EngineReport) => void;
}

/** Looks at engines again and again, so that one that is out of order is known before anybody has to find out. */
export class EnginePatrol<Engine extends WatchedEngine> {
  private readonly looking = new Set<Engine>();
  private timer: NodeJS.Timeout | null = null;
  private stopped = false;

  constructor(
    private readonly engines: readonly Engine[],
    private readonly options: PatrolOptions<Engine>,
  ) {}

  stop(): void {
    this.stopped = true;
    if (this.timer !== null) clearTimeout(this.timer);
  }

  /** Looks at all of them now, and from now on. */
  lookAtAll(): void {
    if (this.stopped) return;
    if (this.timer !== null) clearTimeout(this.timer);
    for (const engine of this.engines) void this.look(engine);
    this.timer = setTimeout(() => {
      this.lookAtAll();
    }, this.options.everyMs);
    this.timer.unref();
  }

  async look(engine: Engine): Promise<void> {
    const { isOfUse, weightsOf, note } = this.options;
    if (!isOfUse() || this.looking.has(engine)) return;
    this.looking.add(engine);
    try {
      // What was asked of one version says nothing about the next.
      for (let asked = weightsOf(engine), told = false; asked !== undefined && !told;) {
        const report = await engine.look(AbortSignal.timeout(LOOK_TIMEOUT_MS));
        told = asked === weightsOf(engine);
        if (told && !this.stopped) note(engine, report);
        asked = weightsOf(engine);
      }
    } finally {
      this.looking.delete(engine);
    }
  }
}
