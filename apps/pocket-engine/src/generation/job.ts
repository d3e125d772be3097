import type { Random, SamplingOptions, Stream } from '@app/pocket-lm';
import type { TextAssembler } from './text-assembler';

export interface Candidate {
  readonly id: number;
  /** Untempered. */
  readonly logProb: number;
}

/** One generated token and the text that became certain with it. */
export interface Step extends Candidate {
  readonly top: readonly Candidate[];
  readonly text: string;
}

/** SGLang's finish reason. */
export type Finish =
  | { readonly type: 'stop'; readonly matched: number | string }
  | { readonly type: 'length'; readonly length: number }
  | { readonly type: 'abort'; readonly message: string };

export interface Ending {
  readonly finish: Finish;
  /** Text that was held back until the end. */
  readonly tail: string;
  /** Weights that the last token came from. */
  readonly version: string;
}

export interface JobRequest {
  readonly rid: string;
  readonly promptIds: readonly number[];
  readonly sampling: SamplingOptions;
  readonly maxTokens: number;
  /** Ids that end the answer. */
  readonly stopIds: ReadonlySet<number>;
  readonly random: Random;
  /** Number of alternatives a token. */
  readonly topCount: number;
  readonly text: TextAssembler;
}

/** A generation under way: the scheduler writes it, a request reads it. */
export class Job {
  readonly steps: Step[] = [];
  /** Its place in the cache while it runs. */
  stream: Stream | null = null;
  /** Tokens that the cache does not hold yet. */
  pendingIds: readonly number[];
  private ended: Ending | null = null;
  private wake: (() => void) | null = null;

  constructor(readonly request: JobRequest) {
    this.pendingIds = request.promptIds;
  }

  get ending(): Ending | null {
    return this.ended;
  }

  push(step: Step): void {
    this.steps.push(step);
    this.wake?.();
  }

  end(finish: Finish, version: string): void {
    if (this.ended !== null) return;
    this.ended = { finish, tail: this.request.text.end(), version };
    this.wake?.();
  }

  /** All tokens again: what the cache held of them is gone. */
  startOver(): void {
    this.stream = null;
    this.pendingIds = [...this.request.promptIds, ...this.steps.map(({ id }) => id)];
  }

  /** Every step as it comes; the return value says how it ended. */
  async *read(): AsyncGenerator<Step, Ending> {
    for (let at = 0; ; at += 1) {
      let step = this.steps[at];
      while (step === undefined) {
        if (this.ended !== null) return this.ended;
        await new Promise<void>((resolve) => {
          this.wake = resolve;
        });
        step = this.steps[at];
      }
      yield step;
    }
  }

  /** @returns when it has ended */
  async whole(): Promise<Ending> {
    const reading = this.read();
    for (;;) {
      const next = await reading.next();
      if (next.done === true) return next.value;
    }
  }
}
