import { Injectable, Logger } from '@nestjs/common';
import type { Score } from '@app/advantage';
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
import { readVerdict, VERDICT_FORMS } from './verdict';

const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 20_000;

/** Where the judge is and what it is called there. @throws JudgeNotConfiguredError */
export const requireJudge = ({ server }: Settings): { readonly baseUrl: string; readonly model: string } => {
  if (server.judgeBaseUrl === null || server.judgeModel === null) throw new JudgeNotConfiguredError();
  return { baseUrl: server.judgeBaseUrl, model: server.judgeModel };
};

/** The judge's last answer to a question. */
export interface Verdict {
  readonly score: Score | null;
  readonly text: string;
}

/** The judge as a server: one question, one verdict, with everything that keeps an outage from doing harm. */
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
   * Asks until there is a verdict or the attempts are used up.
   *
   * @throws EngineError if the last attempt brought no answer at all
   */
  ask(promptFor: (form: AnswerForm) => ChatQuestion['messages'], signal: AbortSignal): Promise<Verdict> {
    return this.access.ask(() => this.askOnce(promptFor, signal), {
      signal,
      accept: (verdict) => verdict.score !== null,
    });
  }

  private async askOnce(
    promptFor: (form: AnswerForm) => ChatQuestion['messages'],
    signal: AbortSignal,
  ): Promise<Verdict> {
    const { maxTokens, temperature } = this.settings.judge;
    const { form, reply } = await this.format.ask((asked) =>
      this.client.ask({
        messages: promptFor(asked),
        maxTokens,
        temperature,
        responseFormat: VERDICT_FORMS[asked].responseFormat,
        signal,
      }),
    );
    const score = readVerdict(form, reply);
    if (score === null) this.noteWrongForm(form, reply);
    return { score, text: reply.text };
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
