import { randomBytes } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { hashAnswer, isRecord, toolSchemas, type Conversation } from '@app/chat';
import { Settings } from '@app/config';
import { ChatAnswer, continuedBody, findChatOnlyField, generateBody, stopIds, stopTexts } from '@app/engines';
import { errorName, Telemetry, TurnLine } from '@app/telemetry';
import { readRequest, type Prompt, type PromptInWork } from '@app/tokens';
import type { AnswerRecorder, RecordedAnswer } from '../capture/answer-recorder';
import type { ChatRequest } from '../chat/parse-request';
import type { PolicyEngine } from '../upstream/policy-engine';
import { GenerateRelay } from './generate-relay';
import type { PromptMaker } from './prompt-maker';
import { suitsGenerate } from './suits-generate';

type Json = Readonly<Record<string, unknown>>;

/** A prompt that has been begun, and who makes it. */
export interface BegunPrompt {
  readonly prompts: PromptMaker;
  readonly inWork: PromptInWork;
  /** The request's fields that are no part of it. */
  readonly fields: Json;
}

/** A chat that is to be served by `/generate`. */
export interface GenerationRequest {
  readonly turnId: string;
  readonly request: ChatRequest;
  /** null for a turn that is not recorded. */
  readonly conversation: Conversation | null;
  /** Who is to serve it. */
  readonly engine: PolicyEngine;
  /** Its prompt; null where the request has to go by the engine's chat. */
  readonly begun: BegunPrompt | null;
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

interface Rendered extends Omit<BegunPrompt, 'inWork'> {
  readonly prompt: Prompt;
}

interface RelayParts extends Rendered {
  readonly recorder: AnswerRecorder;
  readonly isUpdating: () => boolean;
}

const newCallId = (): string => `call_${randomBytes(12).toString('hex')}`;

const wantsUsage = ({ stream_options: options }: Json): boolean => isRecord(options) && options.include_usage === true;

/** Serves chats through an engine's `/generate`: the prompt is rendered here, the answer's tokens are read here. */
@Injectable()
export class GenerationService {
  private readonly logger = new Logger('generate');
  private toldCumulative = false;

  constructor(
    private readonly settings: Settings,
    private readonly telemetry: Telemetry,
  ) {}

  /** Begins with a chat's prompt; null where the request has to go by the engine's chat: it asks for what `/generate` cannot do. */
  begin(request: ChatRequest, { prompts }: PolicyEngine): BegunPrompt | null {
    if (prompts === null || !suitsGenerate(request)) return null;
    const { source, fields } = readRequest(request.body);
    return findChatOnlyField(fields) === null ? { prompts, inWork: prompts.begin(source), fields } : null;
  }

  /** null where the request has to go by the engine's chat: see `begin`, or it cannot be rendered. */
  async prepare(chat: GenerationRequest): Promise<Generation | null> {
    const { turnId, conversation, begun } = chat;
    if (begun === null) return this.byChat('by_chat');
    try {
      const { inWork, ...by } = begun;
      const prompt = await inWork({ turnId, parent: conversation?.parentChain ?? null });
      this.telemetry.metrics.prompts.inc({ drift: prompt.drift });
      return this.generation(chat, { ...by, prompt });
    } catch (error) {
      this.logger.warn(new TurnLine(turnId, `its prompt was not rendered here: ${errorName(error)}`));
      return this.byChat('failed');
    }
  }

  private byChat(drift: 'by_chat' | 'failed'): null {
    this.telemetry.metrics.prompts.inc({ drift });
    return null;
  }

  private generation(chat: GenerationRequest, rendered: Rendered): Generation {
    const { prompts, prompt, fields } = rendered;
    const { turnId, request, conversation } = chat;
    const defaults = prompts.defaults(this.settings.server);
    return {
      body: generateBody(prompt.json, fields, { stream: request.stream, defaults }),
      relay: (recorder, isUpdating) => this.relay(chat, { ...rendered, recorder, isUpdating }),
      continuedBody: (generated) => continuedBody(prompt.json, fields, { stream: request.stream, defaults, generated }),
      settle: (answer) => {
        if (answer?.responseIds == null || conversation === null) prompts.forget(turnId);
        else prompts.remember(turnId, hashAnswer(conversation, answer.message).chain, answer.responseIds);
      },
    };
  }

  private relay(
    { turnId, request, engine: { parsers } }: GenerationRequest,
    { prompts, prompt, fields, recorder, isUpdating }: RelayParts,
  ): GenerateRelay {
    const usesTools = request.tools.length > 0 && fields.tool_choice !== 'none';
    return new GenerateRelay({
      answer: new ChatAnswer({
        vocabulary: prompts.vocabulary,
        form: {
          reasoning: prompts.reasoning(parsers),
          startsInside: prompt.insideThought,
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
