export {
  endsInsideThought,
  findThoughtMarks,
  findToolDialect,
  THOUGHT_MARKS,
  TOOL_DIALECTS,
  toolSchemas,
  type ToolDialectName,
} from './answer/answer-form';
export { AnswerParser, type AnswerForm, type AnswerStep } from './answer/answer-parser';
export { firstMark, openLength } from './answer/marks';
export type { ParsedCall, ToolDialect, ToolSchemas } from './answer/tool-dialect';
export { parseScore, parseScoreJson } from './boxed-score';
export { hashAnswer, type AnswerHashes } from './chain';
export { isRecord, type ChatMessage } from './chat-message';
export { hashConversationRoot } from './conversation-root';
export { countAnswers, describeConversation, type Conversation } from './conversation';
export { extractLogProbs } from './extract-log-probs';
export { flattenContent, InvalidContentError, normalizeMessages } from './flatten-content';
export { appendHint } from './hint/append-hint';
export { parseHint, parseHintJson, type HintVote } from './hint/parse-hint';
export { selectHint } from './hint/select-hint';
export { splitSentences } from './hint/split-sentences';
export { isInternalContext, stripInternalContext } from './internal-context';
export { parseRuntimeLine, type RuntimeLine } from './runtime-line';
export { findSidePrompt, SIDE_PROMPTS, type SidePrompt } from './side-prompts';
