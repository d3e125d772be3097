import { randomBytes } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { hashAnswer, isRecord, toolSchemas, type Conversation } from '@app/chat';
import { Settings } from '@app/config';
import { ChatAnswer, continuedBody, findChatOnlyField, generateBody, stopIds, stopTexts } from '@app/engines';
import { errorName, Telemetry, TurnLine } from '@app/telemetry';
import type { RenderedPrompt } from '@app/tokens';
import type { AnswerRecorder, RecordedAnswer } from '../capture/answer-recorder';
import type { ChatRequest } from '../chat/parse-request';
import type { PolicyEngine } from '../upstream/policy-engine';
import { GenerateRelay } from './generate-relay';
import type { PromptMaker } from './prompt-maker';
import { suitsGenerate } from './suits-generate';

/** A chat that is to be served by `/generate`. */
export interface GenerationRequest {
  readonly turnId: string;
  readonly request: ChatRequest;
  /** The request's body. */
  readonly raw: Buffer;
  /** null for a turn that is not recorded. */
  readonly conversation: Conversation | null;
  /** Who is to serve it. */
  readonly engine: PolicyEngine;
}

/** One such chat: what is sent, and what becomes of the answer. */
export interface Generation {
  readonly body: Buffer;
  relay(recorder: AnswerRecorder, isUpdating: () => boolean): GenerateRelay;
  /** What is sent to go on behind these tokens of the answer. */
  continuedBody(generated: readonly number[]): Buffer;
  /** Notes how it ended: an answer that the client has is part of the next prompt. */
  settle(answer: RecordedAnswer | null): void;
}

interface RelayParts {
  readonly prompts: PromptMaker;
  readonly prompt: RenderedPrompt;
  readonly recorder: AnswerRecorder;
  readonly isUpdating: () => boolean;
}

const newCallId = (): string => `call_${randomBytes(12).toString('hex')}`;

const wantsUsage = ({ stream_options: options }: RenderedPrompt['fields']): boolean =>
  isRecord(options) && options.include_usage === true;

/** Serves chats through an engine's `/generate`: the prompt is rendered here, the answer's tokens are read here. */
@Injectable()
export class GenerationService {
  private readonly logger = new Logger('generate');
  private toldCumulative = false;

  constructor(
    private readonly settings: Settings,
    private readonly telemetry: Telemetry,
  ) {}

  /** null where the request has to go by the engine's chat: it asks for what `/generate` cannot do, or cannot be rendered. */
  async prepare(chat: GenerationRequest): Promise<Generation | null> {
    const { prompts } = chat.engine;
    if (prompts === null || !suitsGenerate(chat.request)) return this.byChat('by_chat');
    const { turnId, raw: body, conversation } = chat;
    try {
      const prompt = await prompts.render({ turnId, parent: conversation?.parentChain ?? null, body });
      if (findChatOnlyField(prompt.fields) !== null) {
        prompts.forget(turnId);
        return this.byChat('by_chat');
      }
      this.telemetry.metrics.prompts.inc({ drift: prompt.drift });
      return this.generation(chat, prompts, prompt);
    } catch (error) {
      this.logger.warn(new TurnLine(turnId, `its prompt was not rendered here: ${errorName(error)}`));
      return this.byChat('failed');
    }
  }

  private byChat(drift: 'by_chat' | 'failed'): null {
    this.telemetry.metrics.prompts.inc({ drift });
    return null;
  }

  private generation(chat: GenerationRequest, prompts: PromptMaker, prompt: RenderedPrompt): Generation {
    const { turnId, request, conversation } = chat;
    const defaults = prompts.defaults(this.settings.server);
    return {
      body: generateBody(prompt.json, prompt.fields, { stream: request.stream, defaults }),
      relay: (recorder, isUpdating) => this.relay(chat, { prompts, prompt, recorder, isUpdating }),
      continuedBody: (generated) =>
        continuedBody(prompt.json, prompt.fields, { stream: request.stream, defaults, generated }),
      settle: (answer) => {
        if (answer?.responseIds == null || conversation === null) prompts.forget(turnId);
        else prompts.remember(turnId, hashAnswer(conversation, answer.message).chain, answer.responseIds);
      },
    };
  }

  private relay(
    { turnId, request, engine: { parsers } }: GenerationRequest,
    { prompts, prompt, recorder, isUpdating }: RelayParts,
  ): GenerateRelay {
    const { fields, insideThought } = prompt;
    const usesTools = request.tools.length > 0 && fields.tool_choice !== 'none';
    return new GenerateRelay({
      answer: new ChatAnswer({
        vocabulary: prompts.vocabulary,
        form: {
          reasoning: prompts.reasoning(parsers),
          startsInside: insideThought,
          tools: usesTools ? prompts.toolDialect(parsers) : null,
          schemas: toolSchemas(request.tools),
        },
        stopTexts: fields.no_stop_trim === true ? [] : stopTexts(fields),
        stopIds: stopIds(fields),
        newCallId,
      }),
      recorder,
      promptIds: prompt.ids,
      id: `chatcmpl-${turnId.replaceAll('-', '')}`,
      servedModel: this.settings.server.servedModelName,
      includeUsage: wantsUsage(fields),
      isUpdating,
      onCumulative: () => {
        this.tellCumulative();
      },
    });
  }

  private tellCumulative(): void {
    if (this.toldCumulative) return;
    this.toldCumulative = true;
    this.logger.warn(
      'the engine repeats all that it has generated with every token, about 1 GB for an answer of 8,000: start SGLang with --incremental-streaming-output',
    );
  }
}
