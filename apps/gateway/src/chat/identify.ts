import { findSidePrompt, hashConversationRoot, parseRuntimeLine, type Conversation } from '@app/chat';
import { clientKey, narrowKey, sessionKey, withoutBoundaryCount, type TurnInfo } from '@app/contracts';
import type { IncomingHttpHeaders } from 'node:http';
import { invalidRequest } from '../errors/openai-error';
import { decodeHeader, isSessionName, SESSION_NAME_FORM } from '../http/session-name';
import type { ChatRequest } from './parse-request';

/** A session's name as the client wrote it, and where it stood. */
interface SessionName {
  readonly id: string;
  readonly source: 'named' | 'runtime';
}

/** Everything of a request that places it; `sessionId` is the client's own word and stays out of headers and logs. */
export interface Identity {
  readonly sessionId: string | null;
  readonly info: Omit<TurnInfo, 'turnId' | 'arrivedAt' | 'policyVersion'>;
  /** The request is feedback for the turn it continues. */
  readonly nextStateRole: 'user' | 'tool' | null;
}

/** What a client may say of the end of its session. */
const SAYS_DONE: ReadonlyMap<string, boolean> = new Map([
  ...['1', 'true', 'yes'].map((word) => [word, true] as const),
  ...['0', 'false', 'no'].map((word) => [word, false] as const),
]);
const TURN_TYPES = new Set(['main', 'side']);

const header = (headers: IncomingHttpHeaders, name: string): string | null => {
  const value = headers[name];
  return typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, 512) : null;
};

/** Headers that may name a session. */
const SESSION_HEADERS = ['x-session-id', 'x-session-affinity', 'session_id'] as const;

const sessionHeader = (headers: IncomingHttpHeaders, name: (typeof SESSION_HEADERS)[number]): string | null => {
  const value = headers[name];
  const text = typeof value === 'string' ? decodeHeader(value).trim() : '';
  return text === '' ? null : text;
};

/** Names that cut short could become one, and labels that nobody knows. @throws OpenAiError 400 that names the header */
export const assertSessionHeaders = (headers: IncomingHttpHeaders): void => {
  for (const name of SESSION_HEADERS) {
    const text = sessionHeader(headers, name);
    if (text !== null && !isSessionName(text)) throw invalidRequest(name, `must be ${SESSION_NAME_FORM}`);
  }
  const label = header(headers, 'x-turn-type')?.toLowerCase();
  if (label !== undefined && !TURN_TYPES.has(label)) throw invalidRequest('x-turn-type', 'must be "main" or "side"');
  const done = header(headers, 'x-session-done')?.toLowerCase();
  if (done !== undefined && !SAYS_DONE.has(done)) {
    throw invalidRequest('x-session-done', `must be one of ${[...SAYS_DONE.keys()].join(', ')}`);
  }
};

/** OpenClaw appends `:<boundary count>` to its affinity ids; with one provider style also to `X-Session-Id`. */
const explicitSession = (
  headers: IncomingHttpHeaders,
  request: ChatRequest,
  runtimeSession: string | null,
): string | null => {
  const id = sessionHeader(headers, 'x-session-id') ?? request.sessionId;
  if (id === null) return null;
  const stripped = withoutBoundaryCount(id);
  return stripped === runtimeSession ? stripped : id;
};

/** `x-client-request-id` alone is any client's id of one request; it names a session only beside an affinity header. */
const affinitySession = (headers: IncomingHttpHeaders): string | null => {
  const name = sessionHeader(headers, 'x-session-affinity') ?? sessionHeader(headers, 'session_id');
  return name === null ? null : withoutBoundaryCount(name);
};

const narrowNameOf = ({ promptCacheKey, user }: ChatRequest): string | null =>
  promptCacheKey === null ? user : withoutBoundaryCount(promptCacheKey);

const nameSession = (headers: IncomingHttpHeaders, request: ChatRequest): SessionName | null => {
  const runtime = parseRuntimeLine(request.messages)?.sessionId ?? null;
  const named = explicitSession(headers, request, runtime) ?? affinitySession(headers);
  if (named !== null && named !== '') return { id: named, source: 'named' };
  return runtime === null ? null : { id: runtime, source: 'runtime' };
};

const turnKind = (
  headers: IncomingHttpHeaders,
  request: ChatRequest,
  heartbeatPrompts: readonly string[],
): 'main' | 'side' => {
  const label = header(headers, 'x-turn-type')?.toLowerCase() ?? request.turnType;
  // A label "main" is only a client's guess (a compaction call comes labelled so); a known side prompt is a fact.
  return label === 'side' || findSidePrompt(request, heartbeatPrompts) !== null ? 'side' : 'main';
};

/**
 * What the requests of a session have in common, as far as a request tells by itself: its name, else what its conversation
 * begins with. Safe as a header's value.
 */
export const affinityKey = (headers: IncomingHttpHeaders, request: ChatRequest, scope: string): string => {
  const name = nameSession(headers, request);
  if (name !== null) return sessionKey(scope, name.id);
  return hashConversationRoot(request.messages, scope) ?? scope;
};

/** Places a request by headers, body fields, message chain and `Runtime:` line, in this order. */
export const identify = (
  headers: IncomingHttpHeaders,
  request: ChatRequest,
  conversation: Conversation,
  { scope, heartbeatPrompts }: { readonly scope: string; readonly heartbeatPrompts: readonly string[] },
): Identity => {
  const name = nameSession(headers, request);
  const key = name === null ? undefined : sessionKey(scope, name.id);
  const narrow = narrowNameOf(request);
  const kind = turnKind(headers, request, heartbeatPrompts);
  const isFeedback = kind === 'main' && !conversation.isRetry;
  const done = SAYS_DONE.get(header(headers, 'x-session-done')?.toLowerCase() ?? '') === true || request.sessionDone;
  return {
    sessionId: name?.id ?? null,
    nextStateRole: isFeedback ? conversation.nextStateRole : null,
    info: {
      scope,
      kind,
      ...(name?.source === 'named' ? { namedSession: key } : {}),
      ...(name?.source === 'runtime' ? { runtimeSession: key } : {}),
      ...(conversation.parentChain === null ? {} : { parentChain: conversation.parentChain }),
      ...(conversation.parentExchange === null ? {} : { parentExchange: conversation.parentExchange }),
      ...(conversation.parentResponse === null ? {} : { parentResponse: conversation.parentResponse }),
      ...(narrow === null ? {} : { narrow: narrowKey(scope, narrow) }),
      client: clientKey(scope, header(headers, 'user-agent') ?? ''),
      hasTools: request.tools.length > 0,
      sessionDone: done,
    },
  };
};
