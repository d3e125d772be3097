import { isRecord, type ChatMessage } from '@app/chat';
import type { ChatRequest } from '../chat/parse-request';

const isTextPart = (part: unknown): boolean => isRecord(part) && part.type === 'text';

const isText = ({ content }: ChatMessage): boolean => !Array.isArray(content) || content.every(isTextPart);

/**
 * Whether a request can be served by `/generate` as the engine's chat would serve it. One that cannot goes by the chat:
 * several choices, log-probs for the client, a grammar or an adapter, pictures, an answer to be continued.
 */
export const suitsGenerate = ({ choices, isConstrained, logprobs, messages }: ChatRequest): boolean =>
  choices === 1 && !isConstrained && !logprobs && messages.at(-1)?.role !== 'assistant' && messages.every(isText);
