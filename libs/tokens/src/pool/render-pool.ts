import { Worker } from 'node:worker_threads';
import type { EncodedPart, PartSource } from '../prompt/encoded-part';
import type { Grouping } from '../prompt/part-request';
import { RenderError } from '../prompt/render-error';
import type { WorkerReply, WorkerRequest } from './messages';
import { RENDER_WORKER_FILE } from './render-worker-file';

interface Waiting {
  readonly resolve: (result: never) => void;
  readonly reject: (error: RenderError) => void;
}

interface Thread {
  readonly worker: Worker;
  readonly ready: Promise<Grouping | null>;
  /** Whether it could not even read the model: another one could not either. */
  isBroken: boolean;
  readonly jobs: Map<number, Waiting>;
}

/** Room for what a prompt needs for a moment: with less, the collector runs within nearly every one. */
const YOUNG_GENERATION_MB = 64;

/** Renders and encodes in threads of their own, which keep nothing of a conversation: any may do any work. */
export class RenderPool implements PartSource {
  /** Resolves once every thread has read the model. */
  readonly grouping: Promise<Grouping | null>;
  private readonly threads: Thread[] = [];
  private jobs = 0;
  private closed = false;

  /** @param folder the model's, already read once without an error */
  constructor(
    private readonly folder: string,
    size: number,
  ) {
    for (let place = 0; place < size; place += 1) this.threads.push(this.start(place));
    this.grouping = Promise.all(this.threads.map(({ ready }) => ready)).then(([grouping]) => grouping ?? null);
    this.grouping.catch(() => undefined);
  }

  parts(names: readonly string[]): Promise<readonly (EncodedPart | null)[]> {
    return this.work('parts', names);
  }

  encode(texts: readonly string[]): Promise<readonly (readonly number[])[]> {
    return this.work('encode', texts);
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.all(this.threads.map(({ worker }) => worker.terminate()));
  }

  private work<Result>(kind: WorkerRequest['kind'], texts: readonly string[]): Promise<Result> {
    return new Promise((resolve, reject) => {
      const thread = this.idlest();
      if (thread === undefined || thread.isBroken || this.closed) {
        reject(new RenderError('there is no render worker'));
        return;
      }
      const job = this.jobs++;
      thread.jobs.set(job, { resolve, reject });
      thread.worker.postMessage({ kind, job, texts } satisfies WorkerRequest);
    });
  }

  private idlest(): Thread | undefined {
    return this.threads.reduce<Thread | undefined>(
      (least, thread) => (least === undefined || thread.jobs.size < least.jobs.size ? thread : least),
      undefined,
    );
  }

  private start(place: number): Thread {
    const worker = new Worker(RENDER_WORKER_FILE, {
      workerData: this.folder,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
    });
    const jobs = new Map<number, Waiting>();
    let isReady = false;
    const ready = new Promise<Grouping | null>((resolve, reject) => {
      worker.on('message', (reply: WorkerReply) => {
        if (reply.kind === 'ready') {
          isReady = true;
          resolve(reply.grouping);
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

  /** A worker has died: its jobs fail, and another one takes its place. */
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
  if (reply.kind !== 'failed') waiting?.resolve(reply.result as never);
  else waiting?.reject(new RenderError(`the chat template refused the messages: ${reply.problem}`));
};
