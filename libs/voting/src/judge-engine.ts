import { Injectable, Logger } from '@nestjs/common';
import { jitter } from '@app/bus';
import { Settings } from '@app/config';
import {
  AnswerFormat,
  Breaker,
  ChatClient,
  EngineAccess,
  Limiter,
  type AnswerForm,
  type ChatQuestion,
  type ChatReply,
  type EngineError,
} from '@app/engines';
import { Telemetry } from '@app/telemetry';
import { adviceFor, adviceForForm, Complaints } from './advice';
import { JudgeNotConfiguredError } from './errors';

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 20_000;

/** Where the judge is and what it is called there. @throws JudgeNotConfiguredError */
export const requireJudge = ({ server }: Settings): { readonly baseUrl: string; readonly model: string } => {
  if (server.judgeBaseUrl === null || server.judgeModel === null) throw new JudgeNotConfiguredError();
  return { baseUrl: server.judgeBaseUrl, model: server.judgeModel };
};

/** What a judge is asked, in either form, and how its answer is read. */
export interface Question<Answer> {
  readonly messages: (form: AnswerForm) => ChatQuestion['messages'];
  /** Sent as `response_format` where the form is a JSON schema. */
  readonly schema: unknown;
  /** The answer in a complete text; null if it is not in the form. */
  readonly read: (form: AnswerForm, text: string) => Answer | null;
}

/** The judge's last reply to a question. */
export interface Reply<Answer> {
  readonly answer: Answer | null;
  readonly text: string;
}

/** The judge as a server: one question, one answer, with everything that keeps an outage from doing harm. */
@Injectable()
export class JudgeEngine {
  readonly model: string;
  private readonly host: string;
  private readonly client: ChatClient;
  private readonly access: EngineAccess;
  private readonly format: AnswerFormat;
  private readonly complaints = new Complaints();
  private readonly logger = new Logger('judge');

  constructor(
    private readonly settings: Settings,
    telemetry: Telemetry,
  ) {
    const { server, judge } = settings;
    const { baseUrl, model } = requireJudge(settings);
    this.model = model;
    this.host = new URL(baseUrl).host;
    this.client = new ChatClient({
      baseUrl,
      apiKey: server.judgeApiKey,
      model: this.model,
      timeoutMs: judge.timeoutS * 1000,
    });
    this.format = new AnswerFormat(judge.format);
    this.access = new EngineAccess({
      limiter: new Limiter(judge.concurrency),
      breaker: new Breaker({ failures: judge.breakerFailures, openMs: judge.breakerOpenS * 1000 }),
      retry: { attempts: judge.maxAttempts, firstDelayMs: FIRST_DELAY_MS, longestDelayMs: LONGEST_DELAY_MS },
      spread: () => jitter(1),
      onFailure: (error) => {
        this.complain(error);
      },
      onBreaker: (open) => {
        telemetry.metrics.breakerOpen.set(open ? 1 : 0);
        if (open) this.logger.warn('judging is paused: the judge fails again and again');
        else this.logger.log('judging goes on: the judge answers again');
      },
    });
  }

  /** Whether the judge is taken to be out of order. */
  get isPaused(): boolean {
    return this.access.isOpen;
  }

  /** For how many milliseconds no question will be asked; 0 if one would be. */
  pauseMs(): number {
    return this.access.pauseMs();
  }

  /**
   * Asks until there is an answer in the form or the attempts are used up.
   *
   * @throws EngineError if the last attempt brought no reply at all
   */
  ask<Answer>(question: Question<Answer>, signal: AbortSignal): Promise<Reply<Answer>> {
    return this.access.ask(() => this.askOnce(question, signal), {
      signal,
      accept: (reply) => reply.answer !== null,
    });
  }

  private async askOnce<Answer>(question: Question<Answer>, signal: AbortSignal): Promise<Reply<Answer>> {
    const { maxTokens, temperature } = this.settings.judge;
    const { form, reply } = await this.format.ask((asked) =>
      this.client.ask({
        messages: question.messages(asked),
        maxTokens,
        temperature,
        ...(asked === 'json_schema' ? { responseFormat: question.schema } : {}),
        signal,
      }),
    );
    // An answer cut off by its limit has not come to its end.
    const answer = reply.finishReason === 'length' ? null : question.read(form, reply.text);
    if (answer === null) this.noteWrongForm(form, reply);
    return { answer, text: reply.text };
  }

  private noteWrongForm(form: AnswerForm, reply: ChatReply): void {
    // A server that keeps to the schema cannot answer with anything else, unless it is cut off.
    if (form === 'json_schema' && reply.finishReason !== 'length' && reply.text !== '') this.format.ignored();
    this.say(adviceForForm(reply));
  }

  private complain(error: EngineError): void {
    const advice = adviceFor(error, { model: this.model, host: this.host });
    if (advice !== null) this.say(advice);
  }

  private say(text: string): void {
    if (this.complaints.take(text, performance.now())) this.logger.warn(text);
  }
}
