import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Settings } from '@app/config';
import {
  AnswerFormat,
  ChatClient,
  type AccessGate,
  type AnswerForm,
  type ChatQuestion,
  type ChatReply,
  type EngineError,
} from '@app/engines';
import { planPools } from '@app/pools';
import { Telemetry } from '@app/telemetry';
import { adviceFor, adviceForForm, Complaints } from './advice';
import { JudgeNotConfiguredError } from './errors';
import { ModelGate } from './model-gate';
import { ModelPool, type ModelSeat } from './model-pool';
import { onceForEachForm, type Asker, type Prepared, type Question, type Reply } from './question';

/** While the gate is closed it is looked at again after so long. */
const GATE_PAUSE_MS = 250;

/** Where the judge is, on which engines, and what it is called there. @throws JudgeNotConfiguredError */
export const requireJudge = (
  settings: Settings,
): { readonly urls: readonly [string, ...string[]]; readonly model: string } => {
  const { judgeModel: model } = settings.server;
  const [url, ...others] = planPools(settings).judgeUrls;
  if (url === undefined || model === null) throw new JudgeNotConfiguredError();
  return { urls: [url, ...others], model };
};

/** One engine of the judge. */
interface JudgeSeat extends ModelSeat {
  readonly client: ChatClient;
}

/** The judge as a server: one question, one answer, with everything that keeps an outage from doing harm. */
@Injectable()
export class JudgeEngine implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly model: string;
  private readonly pool: ModelPool<JudgeSeat>;
  private readonly gate: AccessGate | null;
  private readonly format: AnswerFormat;
  private readonly complaints = new Complaints();
  private readonly logger = new Logger('judge');

  constructor(
    private readonly settings: Settings,
    telemetry: Telemetry,
    gates: ModelGate,
  ) {
    const { server, judge } = settings;
    const { urls, model } = requireJudge(settings);
    this.model = model;
    this.format = new AnswerFormat(judge.format);
    this.gate = gates.of(urls);
    const timeoutMs = judge.timeoutS * 1000;
    const open = (url: string): JudgeSeat => {
      const client = new ChatClient({ baseUrl: url, apiKey: server.judgeApiKey, model, timeoutMs });
      return { name: new URL(url).host, url, client, look: (signal: AbortSignal) => client.look(signal) };
    };
    const [first, ...others] = urls;
    this.pool = new ModelPool<JudgeSeat>(
      {
        pool: 'prm',
        seats: [open(first), ...others.map(open)],
        concurrency: judge.concurrency,
        onFailure: (error, { name }) => {
          this.complain(error, name);
        },
        onBreaker: (isOpen) => {
          telemetry.metrics.breakerOpen.set(isOpen ? 1 : 0);
          if (isOpen) this.logger.warn('judging is paused: the judge fails again and again');
          else this.logger.log('judging goes on: the judge answers again');
        },
      },
      { settings, telemetry, gates },
    );
    if (this.gate !== null) gates.join(this.pool.access);
  }

  onApplicationBootstrap(): void {
    this.pool.watch();
  }

  beforeApplicationShutdown(): void {
    this.pool.stop();
  }

  /** Whether the judge is taken to be out of order. */
  get isPaused(): boolean {
    return this.pool.access.isOpen;
  }

  /** Whether it waits for a weight update. */
  get isGated(): boolean {
    return this.gate?.isClosed ?? false;
  }

  /** For how many milliseconds no question will be asked; 0 if one would be. */
  pauseMs(): number {
    return Math.max(this.pool.access.pauseMs(), this.isGated ? GATE_PAUSE_MS : 0);
  }

  /**
   * Makes a question ready to be asked any number of times. Each call of what comes back asks until there is an answer in the
   * form or the attempts are used up.
   *
   * @throws EngineError (what comes back) if the last attempt brought no reply at all
   */
  prepare<Answer>(question: Question<Answer>): Asker<Answer> {
    const prepared = { read: question.read, write: onceForEachForm((form) => this.write(question, form)) };
    return (signal) =>
      this.pool.access.ask(({ client }) => this.askOnce(client, prepared, signal), {
        signal,
        accept: (reply) => reply.answer !== null,
      });
  }

  private write({ messages, schema }: Question<unknown>, form: AnswerForm): ChatQuestion {
    const { maxTokens, temperature } = this.settings.judge;
    const format = form === 'json_schema' ? { responseFormat: schema } : {};
    return { messages: messages(form), maxTokens, temperature, ...format };
  }

  private async askOnce<Answer>(
    client: ChatClient,
    { write, read }: Prepared<Answer>,
    signal: AbortSignal,
  ): Promise<Reply<Answer>> {
    const { form, reply } = await this.format.ask((asked) => client.ask(write(asked), signal));
    // An answer cut off by its limit has not come to its end.
    const answer = reply.finishReason === 'length' ? null : read(form, reply.text);
    if (answer === null) this.noteWrongForm(form, reply);
    return { answer, text: reply.text };
  }

  private noteWrongForm(form: AnswerForm, reply: ChatReply): void {
    // A server that keeps to the schema cannot answer with anything else, unless it is cut off.
    if (form === 'json_schema' && reply.finishReason !== 'length' && reply.text !== '') this.format.ignored();
    this.say(adviceForForm(reply));
  }

  private complain(error: EngineError, host: string): void {
    const advice = adviceFor(error, { model: this.model, host });
    if (advice !== null) this.say(advice);
  }

  private say(text: string): void {
    if (this.complaints.take(text, performance.now())) this.logger.warn(text);
  }
}
