import type { THOUGHT_MARKS, ToolDialect } from '@app/chat';
import type { EngineParsers, GenerateDefaults, ProbeRenderer } from '@app/engines';
import type { PromptInWork, PromptSource, Vocabulary } from '@app/tokens';

/** Sampling as it is configured; null where it is not. */
export interface ConfiguredSampling {
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly topK: number | null;
}

/** What makes prompts for `/generate`, and knows how the model writes its answers. */
export interface PromptMaker {
  /** How the engine's own chat is compared with it. */
  readonly renderer: ProbeRenderer;
  /** What every token stands for; null: the engine's own text is taken. */
  readonly vocabulary: Vocabulary | null;
  /** Begins with a prompt at once. Rejects with a RenderError, or for messages that are none. */
  begin(source: PromptSource): PromptInWork;
  /** Notes an answer, so that the prompt that follows it is compared with it. */
  remember(turnId: string, chain: string, responseIds: readonly number[]): void;
  /** Forgets a prompt whose answer does not count. */
  forget(turnId: string): void;
  /** Marks of the model's thoughts; null for one that has none. */
  reasoning(parsers: EngineParsers): typeof THOUGHT_MARKS | null;
  /** How the model writes tool calls, null for one that has none. */
  toolDialect(parsers: EngineParsers): ToolDialect | null;
  /** Sampling where neither a request nor the settings say: the model's own, as an engine's chat takes it. */
  defaults(configured: ConfiguredSampling): GenerateDefaults;
  close(): Promise<void>;
}
