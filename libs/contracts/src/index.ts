export {
  ForgetAnswers,
  GatewayNow,
  LIVE_SUBJECT,
  LiveRows,
  ListSessions,
  ListTurns,
  ReadLearning,
  ReadNow,
  ReadTurn,
  SessionRow,
  TEXT_ACCESS,
  TURN_FATES,
  TurnDetail,
  TurnRow,
  TurnTokens,
  UpdateRow,
  VersionAnswers,
  VersionRow,
  type ConsoleProblem,
  type Learning,
  type Now,
  type TextAccess,
  type TurnFate,
  type TurnsPage,
  type TurnsRequest,
} from './console';
export { ErasureDocument, erasureDocumentKey, parseErasureDocument } from './erasure-document';
export { decodeFrame, encodeFrame, FrameError, type FrameArrays } from './frame';
export {
  HintVoteCast,
  NO_HINT_REASONS,
  TurnHinted,
  type NoHintReason,
  type TurnHintedBody,
  type TurnHintedInfo,
} from './hint';
export {
  clientKey,
  isSubjectToken,
  narrowKey,
  responseKey,
  rootSessionKey,
  scopeOf,
  sessionKey,
  sessionKeysOf,
  withoutBoundaryCount,
  type Caller,
} from './ids';
export {
  defineMessage,
  INFO_HEADER,
  MessageShapeError,
  TRACE_HEADER,
  type Body,
  type EncodedMessage,
  type MessageDefinition,
  type WireMessage,
} from './message';
export { OutcomeDocument, outcomeDocumentKey, parseOutcomeDocument } from './outcome-document';
export { HeldOutAnswer, PolicyAnswered, PolicyUpdated, type PolicyUpdatedInfo } from './policy';
export { CountRunning, defineRpc, EraseSession, type RpcDefinition } from './rpc';
export { SETTLE_REASONS, type SettleReason } from './reasons';
export {
  DocumentShapeError,
  documentParser,
  parseSessionDocument,
  SessionDocument,
  sessionDocumentKey,
} from './session-document';
export {
  BUCKETS,
  CONSUMERS,
  STREAM_NAMES,
  STREAMS,
  type BucketDefinition,
  type ConsumerDefinition,
  type StreamDefinition,
  type StreamName,
} from './streams';
export { parseTurnPlace, TurnPlace, turnPlaceKey } from './turn-place';
export {
  CAPTURE_ROUTES,
  EXCLUSIONS,
  Sampling,
  SessionClosed,
  TurnArrived,
  TurnCompleted,
  TurnFollowed,
  TurnInfo,
  type CaptureRoute,
  type Exclusion,
  type TurnArrivedInfo,
  type TurnCompletedBody,
  type TurnCompletedInfo,
  type TurnFollowedInfo,
} from './turn';
export {
  DeadLetter,
  FeedbackGiven,
  SessionEnded,
  TurnJudged,
  TurnSettled,
  Vote,
  type FeedbackGivenInfo,
  type SessionEndedInfo,
  type TurnJudgedInfo,
  type TurnSettledInfo,
} from './verdict';
