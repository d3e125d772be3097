export { AnswerFormat, type AnswerForm } from './answer-format';
export { Breaker, type BreakerOptions, type CallOutcome, type Passage } from './breaker';
export { ChatClient, chatCompletionsUrl, type ChatClientOptions, type ChatQuestion } from './chat-client';
export type { ChatReply } from './chat-completion';
export type { ControlAddress } from './control-call';
export type { EngineControl, NewWeights, StandMode } from './control-types';
export { openEngineControl } from './engine-control';
export { EngineAccess, type AskOptions, type EngineAccessOptions } from './engine-access';
export {
  BreakerOpenError,
  EngineAnswerError,
  EngineError,
  EngineLoadError,
  EngineStatusError,
  EngineTimeoutError,
  EngineUnreachableError,
} from './engine-errors';
export { Limiter } from './limiter';
export { backoffMs, parseRetryAfterMs, type RetryPolicy } from './retry';
export { probeTempering } from './probe-tempering';
export { ASKING, PROBE_NAME, type RouteChoice } from './routes/capture-route';
export { chooseRoute } from './routes/choose-route';
export {
  ClientGoneError,
  UpstreamClient,
  UpstreamTimeoutError,
  UpstreamUnreachableError,
  type UpstreamOptions,
  type UpstreamRequest,
  type UpstreamResponse,
} from './upstream-client';
