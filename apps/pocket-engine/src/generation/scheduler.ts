import { setImmediate } from 'node:timers/promises';
import { logSoftmax, sampleToken, topIds } from '@app/pocket-lm';
import type { PocketModel } from '../model/pocket-model';
import type { ServedWeights } from '../model/weights-note';
import { Job, type Finish, type JobRequest } from './job';

export const PAUSE_MODES = ['abort', 'retract', 'in_place'] as const;
export type PauseMode = (typeof PAUSE_MODES)[number];

/** Generates for all jobs at once, a token each at a time; pauses, aborts, and changes weights between two tokens. */
export class Scheduler {
  private waiting: Job[] = [];
  private running: Job[] = [];
  private pausedIn: PauseMode | null = null;
  private isLooping = false;
  private idleWaiters: (() => void)[] = [];
  private openWaiters: (() => void)[] = [];
  private served: ServedWeights;
  private generated = 0;

  constructor(
    private readonly model: PocketModel,
    weights: ServedWeights,
  ) {
    this.served = weights;
  }

  get weights(): ServedWeights {
    return this.served;
  }

  /** Tokens since the start. */
  get generatedCount(): number {
    return this.generated;
  }

  get waitingCount(): number {
    return this.waiting.length;
  }

  get runningCount(): number {
    return this.running.length;
  }

  /** Jobs that have begun, also those that a pause took back. */
  private get begun(): Job[] {
    return [...this.running, ...this.waiting.filter(({ steps }) => steps.length > 0)];
  }

  get begunCount(): number {
    return this.begun.length;
  }

  get pauseMode(): PauseMode | null {
    return this.pausedIn;
  }

  submit(request: JobRequest): Job {
    const job = new Job(request);
    if (request.maxTokens === 0) this.end(job, { type: 'length', length: 0 });
    else this.waiting.push(job);
    this.loop();
    return job;
  }

  /** Ends jobs whose id starts with the prefix; an empty one means none, as in SGLang. */
  abort(prefix: string, all: boolean, message = 'Aborted by AbortReq.'): void {
    for (const job of [...this.running, ...this.waiting]) {
      if (all || (prefix !== '' && job.request.rid.startsWith(prefix))) this.abortJob(job, message);
    }
  }

  abortJob(job: Job, message: string): void {
    this.end(job, { type: 'abort', message });
    this.sweep();
  }

  /** Stops generating; new requests wait. Running ones end, or keep what the cache holds of them, or give it up. */
  pause(mode: PauseMode): void {
    if (this.pausedIn !== null) return;
    this.pausedIn = mode;
    if (mode === 'abort') this.abort('', true, 'Generation is paused.');
    if (mode === 'retract') this.retract();
  }

  continue(): void {
    this.pausedIn = null;
    for (const wake of this.openWaiters.splice(0)) wake();
    this.loop();
  }

  /** @returns when generation is not paused */
  async whileOpen(): Promise<void> {
    while (this.pausedIn !== null) await new Promise<void>((resolve) => this.openWaiters.push(resolve));
  }

  /** @returns when nothing runs */
  async idle(): Promise<void> {
    if (this.running.length + this.waiting.length === 0) return;
    await new Promise<void>((resolve) => this.idleWaiters.push(resolve));
  }

  putWeights(parameters: Float32Array, weights: ServedWeights): void {
    this.model.machine.parameters.write(parameters);
    this.served = weights;
  }

  /** The same weights under another version. */
  renameVersion(version: string): void {
    this.served = { ...this.served, version };
  }

  private retract(): void {
    for (const job of this.running) {
      if (job.stream !== null) this.model.decoder.close(job.stream);
      job.startOver();
    }
    this.waiting = [...this.running, ...this.waiting];
    this.running = [];
  }

  private loop(): void {
    if (this.isLooping) return;
    this.isLooping = true;
    void this.generate();
  }

  private async generate(): Promise<void> {
    // A breath between tokens: requests, aborts and clients that leave are seen.
    await setImmediate();
    while (this.pausedIn === null && this.admit()) {
      try {
        this.step();
      } catch (error) {
        // A batch that cannot be computed ends its own jobs, not the engine.
        for (const job of this.running) this.end(job, { type: 'abort', message: String(error) });
        this.sweep();
      }
      await setImmediate();
    }
    this.isLooping = false;
    this.sweep();
  }

  /** Gives free streams to those who wait. @returns whether anything runs */
  private admit(): boolean {
    while (this.model.decoder.freeSlots > 0) {
      const job = this.waiting.shift();
      if (job === undefined) break;
      job.stream = this.model.decoder.open();
      this.running.push(job);
    }
    return this.running.length > 0;
  }

  private end(job: Job, finish: Finish): void {
    job.end(finish, this.served.version);
  }

  private step(): void {
    const jobs = this.running.filter((job) => job.stream !== null);
    const logits = this.model.decoder.extend(
      jobs.flatMap(({ stream, pendingIds }) => (stream === null ? [] : [{ stream, ids: pendingIds }])),
    );
    jobs.forEach((job, at) => {
      const row = logits[at];
      if (row !== undefined) this.takeToken(job, row);
    });
    this.sweep();
  }

  private takeToken(job: Job, logits: Float32Array): void {
    const { sampling, random, topCount, text, maxTokens, stopIds } = job.request;
    const { id, logProb } = sampleToken(logits, sampling, random);
    const all = topCount > 0 ? logSoftmax(logits) : null;
    const top = all === null ? [] : topIds(all, topCount).map((each) => ({ id: each, logProb: all[each] ?? 0 }));
    const piece = text.push(id);
    job.pendingIds = [id];
    this.generated += 1;
    job.push({ id, logProb, top, text: piece.text });
    if (piece.stopped !== null) this.end(job, { type: 'stop', matched: piece.stopped });
    // Length comes first, as in SGLang.
    else if (job.steps.length >= maxTokens) this.end(job, { type: 'length', length: job.steps.length });
    else if (stopIds.has(id)) this.end(job, { type: 'stop', matched: id });
  }

  /** Takes out what has ended. */
  private sweep(): void {
    for (const job of this.running) {
      if (job.ending !== null && job.stream !== null) {
        this.model.decoder.close(job.stream);
        job.stream = null;
      }
    }
    this.running = this.running.filter(({ ending }) => ending === null);
    this.waiting = this.waiting.filter(({ ending }) => ending === null);
    if (this.running.length + this.waiting.length > 0) return;
    for (const wake of this.idleWaiters.splice(0)) wake();
  }
}
