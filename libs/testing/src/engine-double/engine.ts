import { Playbook } from './answers';
import { DEFAULT_SETTINGS, type EngineDoubleSettings, type Fault, type SeenRequest } from './options';

export type PauseMode = 'abort' | 'retract' | 'in_place';

/** One running generation. */
export class Job {
  private readonly controller = new AbortController();

  constructor(readonly rid: string) {}

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Why it was aborted, undefined while it was not. */
  get abortMessage(): string | undefined {
    return this.signal.aborted ? String(this.signal.reason) : undefined;
  }

  abort(message: string): void {
    this.controller.abort(message);
  }

  /** Waits for `what`, or for the abort. */
  async orAborted(what: Promise<unknown> | undefined): Promise<void> {
    if (this.signal.aborted) return;
    const aborted = new Promise((resolve) => {
      this.signal.addEventListener('abort', resolve, { once: true });
    });
    await Promise.race(what ? [what, aborted] : [aborted]);
  }
}

/** The state that all endpoints share. */
export class Engine {
  readonly settings: EngineDoubleSettings;
  readonly requests: SeenRequest[] = [];
  readonly playbook = new Playbook();
  /** What `update_weights_from_disk` was last given; the id that /v1/models shows. */
  modelPath: string;
  private readonly running = new Set<Job>();
  private idleWaiters: (() => void)[] = [];
  private pause: { mode: PauseMode; ended: Promise<void>; end: () => void } | undefined;

  constructor(settings: Partial<EngineDoubleSettings>) {
    this.settings = { ...DEFAULT_SETTINGS, ...settings };
    this.modelPath = this.settings.model;
  }

  has(fault: Fault): boolean {
    return this.settings.faults.includes(fault);
  }

  get runningCount(): number {
    return this.running.size;
  }

  get paused(): boolean {
    return this.pause !== undefined;
  }

  /** Running answers stand with what has been computed of them. */
  get standsInPlace(): boolean {
    return this.pause?.mode === 'in_place';
  }

  begin(job: Job): void {
    this.running.add(job);
  }

  end(job: Job): void {
    this.running.delete(job);
    if (this.running.size > 0) return;
    this.idleWaiters.forEach((done) => {
      done();
    });
    this.idleWaiters = [];
  }

  /** Resolves when nothing runs. */
  idle(): Promise<void> {
    if (this.running.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.idleWaiters.push(resolve));
  }

  /** Aborts the jobs whose id starts with `prefix`; an empty one is ignored, as in SGLang. */
  abort(prefix: string, all: boolean): void {
    if (this.has('abort_ignored')) return;
    for (const job of this.running) {
      if (all || (prefix !== '' && job.rid.startsWith(prefix))) job.abort('Aborted by AbortReq.');
    }
  }

  /** Stops generating. New requests wait; running ones end (`abort`) or wait as well. */
  pauseGeneration(mode: PauseMode): void {
    if (this.has('pause_ignored') || this.pause) return;
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.pause = { mode, ended, end };
    if (mode === 'abort') this.abort('', true);
  }

  continueGeneration(): void {
    this.pause?.end();
    this.pause = undefined;
  }

  /** Waits while generation is paused, or until the job is aborted. */
  async whileOpen(job: Job): Promise<void> {
    while (this.pause && !job.signal.aborted) await job.orAborted(this.pause.ended);
  }

  /** A weight version that was not seen before: the next number, or 1. */
  nextWeightVersion(): string {
    return String((Number.parseInt(this.settings.weightVersion, 10) || 0) + 1);
  }
}
