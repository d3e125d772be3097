import { until } from '@app/testing';
import { CrashClient } from './client';
import { Ledger, type Attempt } from './ledger';
import { judgeRun, replaced, type Evidence, type Findings } from './oracle';
import { makePlan, type PlanOptions } from './plan';
import { Random } from './random';
import { checkSamples } from './samples';
import { CrashStack, type StackOptions } from './stack';
import { CrashTrainer, TrainingLog } from './trainer';
import { TruthReader, type Truth } from './truth';
import { Stop } from './waiting';

/** A killed replica's work comes back after its ack wait (30 s), and may have to wait for a session's idle time behind it. */
const DRAIN_MS = 240_000;
const TALK_MS = 600_000;

export interface RunOptions extends PlanOptions {
  readonly seed: number;
  readonly stack: StackOptions;
  /** Trainers at the door. @default 2 */
  readonly trainers?: number;
  /** How often a trainer dies with a lease. @default 0.15 */
  readonly deathRate?: number;
  /** Clients that read so slowly that the gateway has to wait for them. @default 0 */
  readonly slowClients?: number;
  /** Whether each request goes to the next gateway. @default false */
  readonly balanced?: boolean;
  /** Reasons that this run brings about on purpose. */
  readonly allowed?: readonly string[];
  /** What the method makes of turns. @default 'binary' */
  readonly expects?: Evidence['method'];
  /** Whether limits of the store remove messages in this run. @default false */
  readonly removes?: boolean;
}

/** What a scenario does while the clients talk. */
export type Trouble = (run: Run) => Promise<void>;

export interface Result extends Findings {
  readonly truth: Truth;
  readonly seconds: { readonly talk: number; readonly drain: number };
}

/** One run: clients talk, trouble comes, everything calms down, and the books are compared. */
export class Run {
  readonly ledger = new Ledger();
  readonly trained = new TrainingLog();
  readonly stopClients = new Stop();
  private readonly stopTrainers = new Stop();
  private readonly startedAt = Date.now();
  private isWrong = true;

  private constructor(
    readonly options: RunOptions,
    readonly random: Random,
    readonly stack: CrashStack,
  ) {}

  static async start(options: RunOptions): Promise<Run> {
    const random = new Random(options.seed);
    return new Run(options, random, await CrashStack.start(options.stack));
  }

  readonly say = (line: string): void => {
    const seconds = ((Date.now() - this.startedAt) / 1000).toFixed(1).padStart(6);
    if (process.env.CRASH_QUIET !== '1') process.stdout.write(`${seconds} s  ${line}\n`);
  };

  /** Runs it all and compares the books. The stack stays up, for questions; `close` ends it. */
  async finish(trouble: Trouble): Promise<Result> {
    const begin = performance.now();
    const plan = makePlan(this.random.fork(), this.options);
    const trainers = this.train();
    const troubled = trouble(this);
    const talking = plan.map((sessions, client) => this.client(client).run(sessions));
    await within(Promise.all([...talking, troubled]), 'the clients are done', TALK_MS);
    const talked = performance.now();
    this.say(`${this.ledger.finished.length} answers are finished; waiting until every turn is settled`);
    const reader = await TruthReader.connect(this.stack);
    try {
      const truth = await this.settled(reader);
      const drained = performance.now();
      this.stopTrainers.set();
      await trainers;
      const findings = judgeRun({
        attempts: this.ledger.attempts,
        truth,
        outages: this.stack.outages,
        idleMs: this.options.stack.idleS * 1000,
        allowed: this.options.allowed,
        method: this.options.expects,
      });
      for (const suspect of findings.suspects) await this.describe(suspect, reader);
      const evidence = { truth, log: this.trained, attempts: this.ledger.attempts, engine: this.stack.policy };
      const violations = [
        ...findings.violations,
        ...(this.options.removes === true ? [] : replaced(truth)),
        ...(this.options.trainers === 0 ? [] : await checkSamples(evidence)),
        ...this.stack.services.filter((each) => each.endedByItself).map(({ name }) => `${name} ended by itself`),
      ];
      const counts = { ...findings.counts, ...this.trainingCounts() };
      this.isWrong = violations.length > 0;
      const seconds = { talk: (talked - begin) / 1000, drain: (drained - talked) / 1000 };
      return { ...findings, counts, violations, truth, seconds };
    } finally {
      await reader.close();
    }
  }

  async close(): Promise<void> {
    this.stopClients.set();
    this.stopTrainers.set();
    if (this.isWrong) this.say(`the services' output is in ${this.stack.folder}/logs`);
    await this.stack.stop(this.isWrong);
  }

  private client(client: number): CrashClient {
    const isSlow = client < (this.options.slowClients ?? 0);
    const isBalanced = this.options.balanced === true;
    return new CrashClient({
      client,
      isSlow,
      isBalanced,
      doors: this.stack.gateways,
      ledger: this.ledger,
      stop: this.stopClients,
    });
  }

  private async train(): Promise<void> {
    const { trainers = 2, deathRate = 0.15 } = this.options;
    const random = this.random.fork();
    await Promise.all(
      Array.from({ length: trainers }, (_, i) =>
        new CrashTrainer(() => this.stack.doors, this.trained, {
          name: `trainer${i}`,
          random: random.fork(),
          stop: this.stopTrainers,
          deathRate,
        }).run(),
      ),
    );
  }

  /** Waits until everything recorded is settled, no consumer has work, and every sample has been trained on. */
  private async settled(reader: TruthReader): Promise<Truth> {
    let truth = await reader.read();
    await until(
      async () => {
        if ((await reader.unfinished()).length > 0) return false;
        truth = await reader.read();
        const isSettled = [...truth.arrived, ...truth.completed].every((id) => truth.settled.has(id));
        const samples = [...truth.settled.values()].filter(({ kind }) => kind === 'sample').length;
        return isSettled && (this.options.trainers === 0 || this.trained.trained.size >= samples);
      },
      { what: 'every recorded turn is settled and trained on', timeoutMs: DRAIN_MS, everyMs: 250 },
      // What is missing then is listed turn by turn by the comparison.
    ).catch(async (error: unknown) => {
      this.say(String(error));
      for (const line of await reader.unfinished()) this.say(line);
    });
    return truth;
  }

  private async describe(suspect: Attempt, reader: TruthReader): Promise<void> {
    const { turnId, ending, startedAt, endedAt, note } = suspect;
    const [from, to] = [startedAt, endedAt].map((at) => new Date(at).toISOString().slice(11, 23));
    this.say(`${turnId ?? '?'} ${ending} ${from ?? ''} to ${to ?? ''} ${note}`);
    if (turnId !== null) for (const line of await reader.trace(turnId)) this.say(line);
  }

  private trainingCounts(): Record<string, number> {
    if (this.options.trainers === 0) return {};
    const { handedOut, trained, deaths } = this.trained;
    return { 'samples handed out': handedOut, 'samples trained': trained.size, 'trainers died with a lease': deaths };
  }
}

const within = async (work: Promise<unknown>, what: string, timeoutMs: number): Promise<void> => {
  let isDone = false;
  const watched = work.then(() => {
    isDone = true;
  });
  await Promise.race([watched, until(() => isDone, { what, timeoutMs, everyMs: 250 })]);
};

/** A run's numbers, for people. */
export const report = ({ counts, violations, seconds }: Result): string =>
  [
    ...Object.entries(counts).map(([what, count]) => `${String(count).padStart(6)}  ${what}`),
    `talked ${seconds.talk.toFixed(1)} s, then settled in ${seconds.drain.toFixed(1)} s`,
    ...(violations.length === 0 ? ['nothing is wrong'] : violations.map((violation) => `WRONG: ${violation}`)),
  ].join('\n');
