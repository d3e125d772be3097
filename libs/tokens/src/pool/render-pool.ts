import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { RenderedPrompt, WorkerReply, WorkerRequest } from './messages';
import { RENDER_WORKER_FILE } from './render-worker-file';

/** Thrown when a prompt could not be rendered: the template refuses the messages, or the worker died. */
export class RenderError extends Error {
  override readonly name = 'RenderError';
}

export interface RenderJob {
  readonly turnId: string;
  /** Chain hash of the turn that the request continues; null for a first one. */
  readonly parent: string | null;
  /** The chat request's body. */
  readonly body: Buffer;
}

interface Waiting {
  readonly resolve: (prompt: RenderedPrompt) => void;
  readonly reject: (error: RenderError) => void;
}

interface Thread {
  readonly worker: Worker;
  readonly ready: Promise<{ readonly isGrouped: boolean }>;
  /** Whether it could not even read the model: another one could not either. */
  isBroken: boolean;
  readonly jobs: Map<number, Waiting>;
}

/** Room for what a prompt needs for a moment: with less, the collector runs within nearly every one. */
const YOUNG_GENERATION_MB = 64;

const MOST_KNOWN_PLACES = 100_000;

/** Renders prompts in threads of their own. A conversation stays with the thread that remembers its turns. */
export class RenderPool {
  private readonly threads: Thread[] = [];
  private readonly placeOfChain = new LRUCache<string, number>({ max: MOST_KNOWN_PLACES });
  private readonly placeOfTurn = new Map<string, number>();
  private jobs = 0;
  private closed = false;

  /** @param folder the model's, already read once without an error */
  constructor(
    private readonly folder: string,
    size: number,
  ) {
    for (let place = 0; place < size; place += 1) this.threads.push(this.start(place));
  }

  /** Resolves once every thread has read the model. `isGrouped`: the template allows to render only what is new. */
  async ready(): Promise<{ readonly isGrouped: boolean }> {
    const states = await Promise.all(this.threads.map(({ ready }) => ready));
    return { isGrouped: states.every(({ isGrouped }) => isGrouped) };
  }

  /** @throws RenderError */
  render({ turnId, parent, body }: RenderJob): Promise<RenderedPrompt> {
    const place = (parent === null ? undefined : this.placeOfChain.get(parent)) ?? this.idlest();
    const thread = this.threads[place];
    if (thread === undefined || thread.isBroken || this.closed) throw new RenderError('there is no render worker');
    this.placeOfTurn.set(turnId, place);
    const job = this.jobs++;
    return new Promise((resolve, reject) => {
      thread.jobs.set(job, { resolve, reject });
      this.send(thread, { kind: 'render', job, turnId, parent, body });
    });
  }

  /** Notes an answer, so that the prompt that follows it holds its ids. */
  remember(turnId: string, chain: string, responseIds: readonly number[]): void {
    const place = this.takePlace(turnId);
    if (place === undefined) return;
    this.placeOfChain.set(chain, place);
    this.tell(place, { kind: 'remember', turnId, chain, responseIds });
  }

  /** Forgets a prompt whose answer does not count. */
  forget(turnId: string): void {
    const place = this.takePlace(turnId);
    if (place !== undefined) this.tell(place, { kind: 'forget', turnId });
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.all(this.threads.map(({ worker }) => worker.terminate()));
  }

  private takePlace(turnId: string): number | undefined {
    const place = this.placeOfTurn.get(turnId);
    this.placeOfTurn.delete(turnId);
    return place;
  }

  private tell(place: number, message: WorkerRequest): void {
    const thread = this.threads[place];
    if (thread !== undefined) this.send(thread, message);
  }

  private send({ worker }: Thread, message: WorkerRequest): void {
    worker.postMessage(message);
  }

  private idlest(): number {
    const loads = this.threads.map(({ jobs }) => jobs.size);
    return loads.indexOf(Math.min(...loads));
  }

  private start(place: number): Thread {
    const worker = new Worker(RENDER_WORKER_FILE, {
      workerData: this.folder,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    const jobs = new Map<number, Waiting>();
    let isReady = false;
    const ready = new Promise<{ isGrouped: boolean }>((resolve, reject) => {
      worker.on('message', (reply: WorkerReply) => {
        if (reply.kind === 'ready') {
          isReady = true;
          resolve(reply);
        } else settle(jobs, reply);
      });
      worker.once('error', (cause) => {
        reject(new RenderError('the render worker could not be started', { cause }));
        this.lose(place, isReady, cause);
      });
    });
    ready.catch(() => undefined);
    worker.unref();
    return { worker, ready, isBroken: false, jobs };
  }

  /** A worker has died: its jobs fail, its memory is lost, and another one takes its place. */
  private lose(place: number, wasReady: boolean, cause: unknown): void {
    const thread = this.threads[place];
    if (thread === undefined) return;
    for (const { reject } of thread.jobs.values()) reject(new RenderError('the render worker died', { cause }));
    thread.jobs.clear();
    thread.isBroken = true;
    if (wasReady && !this.closed) this.threads[place] = this.start(place);
  }
}

const settle = (jobs: Map<number, Waiting>, reply: Exclude<WorkerReply, { kind: 'ready' }>): void => {
  const waiting = jobs.get(reply.job);
  jobs.delete(reply.job);
  if (reply.kind === 'rendered') waiting?.resolve(reply.prompt);
  else waiting?.reject(new RenderError(`the chat template refused the messages: ${reply.problem}`));
};
