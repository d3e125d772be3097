import { isRecord } from '../chat-message';
import { deepseek } from './deepseek';
import { hermes } from './hermes';
import { kimi } from './kimi';
import { llama3Json } from './llama3-json';
import { qwen3Coder } from './qwen3-coder';
import type { ToolSchemas } from './tool-dialect';

/** Every dialect, by the word that ARCHITECTURE.md and logs use for it. */
export const TOOL_DIALECTS = { hermes, qwen3Coder, llama3Json, deepseek, kimi } as const;

export type ToolDialectName = keyof typeof TOOL_DIALECTS;

/** SGLang's and vLLM's names of their tool-call parsers. */
const BY_PARSER: Readonly<Record<string, ToolDialectName>> = {
  qwen: 'hermes',
  qwen25: 'hermes',
  hermes: 'hermes',
  qwen3_coder: 'qwen3Coder',
  llama3: 'llama3Json',
  llama3_json: 'llama3Json',
  deepseekv3: 'deepseek',
  deepseekv31: 'deepseek',
  deepseek_v3: 'deepseek',
  kimi_k2: 'kimi',
};

/** The most telling mark first: Qwen3-Coder's templates hold Hermes' mark as well. */
const BY_MARK: readonly (readonly [mark: string, dialect: ToolDialectName])[] = [
  ['<function=', 'qwen3Coder'],
  ['<tool_call>', 'hermes'],
  ['<｜tool▁calls▁begin｜>', 'deepseek'],
  ['<|tool_calls_section_begin|>', 'kimi'],
  ['<|python_tag|>', 'llama3Json'],
];

/**
 * How a model writes its tool calls: as the engine says, where it names a parser that is known here, else as the model's
 * chat template writes them. null for a model without tool calls.
 */
export const findToolDialect = (template: string, parser: string | null): ToolDialectName | null =>
  BY_PARSER[parser ?? ''] ?? BY_MARK.find(([mark]) => template.includes(mark))?.[1] ?? null;

/** The marks of thoughts that all known families share. */
export const THOUGHT_MARKS = { open: '<think>', close: '</think>' } as const;

/** SGLang's reasoning parsers of models whose thoughts stand between these marks. */
const THINKERS: ReadonlySet<string> = new Set(['qwen3', 'qwen3-thinking', 'deepseek-r1', 'deepseek-v3', 'glm45']);

/** The marks of thoughts that an engine's reasoning parser looks for; null for one that is not known here. */
export const findThoughtMarks = (parser: string): typeof THOUGHT_MARKS | null =>
  THINKERS.has(parser) ? THOUGHT_MARKS : null;

/** Whether a prompt ends inside a thought, so that the answer goes on with it. */
export const endsInsideThought = (prompt: string): boolean => prompt.trimEnd().endsWith(THOUGHT_MARKS.open);

/** Schemas of a chat request's tools; a tool in another form has none. */
export const toolSchemas = (tools: readonly unknown[]): ToolSchemas => {
  const schemas = new Map<string, Readonly<Record<string, unknown>>>();
  for (const tool of tools) {
    const definition = isRecord(tool) && isRecord(tool.function) ? tool.function : null;
    if (typeof definition?.name !== 'string') continue;
    schemas.set(definition.name, isRecord(definition.parameters) ? definition.parameters : {});
  }
  return schemas;
};
