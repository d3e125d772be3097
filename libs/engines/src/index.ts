export { AnswerFormat, type AnswerForm } from './answer-format';
export { Breaker, type BreakerOptions, type CallOutcome, type Passage } from './breaker';
export { ChatClient, chatCompletionsUrl, type ChatClientOptions, type ChatQuestion } from './chat-client';
export type { ChatReply } from './chat-completion';
export type { ControlAddress } from './control-call';
export type { EngineControl, NewWeights, StandMode } from './control-types';
export { apiUrl, engineUrl } from './endpoints';
export { openEngineControl } from './engine-control';
export { EngineAccess, type AccessGate, type AskOptions, type EngineAccessOptions } from './engine-access';
export {
  BreakerOpenError,
  EngineAnswerError,
  EngineError,
  EngineLoadError,
  EngineStatusError,
  EngineTimeoutError,
  EngineUnreachableError,
} from './engine-errors';
export { ChatAnswer, chatFinishReason, type ChatAnswerOptions } from './generate/chat-answer';
export { detokenize, EngineTokensError, tokenizeChat } from './generate/engine-tokens';
export { GenerateReader, withoutLogProbs, type GeneratedPiece, type GenerateFinish } from './generate/generate-reader';
export {
  continuedBody,
  findChatOnlyField,
  generateBody,
  stopIds,
  stopTexts,
  type GenerateDefaults,
} from './generate/generate-request';
export { Limiter } from './limiter';
export { IncompleteScoresError, type ScoreRequest, type Scores, type TopScores } from './scoring/scores';
export {
  ScoringClient,
  type ChatToRender,
  type ScoringClientOptions,
  type ScoringEngine,
} from './scoring/scoring-client';
export { backoffMs, parseRetryAfterMs, type RetryPolicy } from './retry';
export { probeTempering } from './probe-tempering';
export { ASKING, PROBE_NAME, type RouteChoice } from './routes/capture-route';
export { chooseRoute, type ChooseOptions } from './routes/choose-route';
export {
  NO_PARSERS,
  readParsers,
  type EngineParsers,
  type ProbeRenderer,
  type PromptToProbe,
} from './routes/probe-generate';
export {
  ClientGoneError,
  UpstreamClient,
  UpstreamTimeoutError,
  UpstreamUnreachableError,
  type UpstreamOptions,
  type UpstreamRequest,
  type UpstreamResponse,
} from './upstream-client';
export { type EngineReport } from './rotation/look-at-engine';
export { chooseByKey } from './rotation/rendezvous';
export { ENGINE_CONDITIONS, Rotation, type EngineCondition, type EngineState } from './rotation/rotation';
