import { availableParallelism } from 'node:os';
import { findToolDialect, THOUGHT_MARKS, TOOL_DIALECTS, type ChatMessage, type ToolDialect } from '@app/chat';
import type { GenerateDefaults, ProbeRenderer } from '@app/engines';
import { readModelFolder, RenderPool, Vocabulary, type ModelFolder } from '@app/tokens';

const MOST_THREADS = 4;

/** The policy's own tokenizer and chat template, and the threads that render with them. */
export class Prompts implements ProbeRenderer {
  readonly vocabulary: Vocabulary;
  readonly pool: RenderPool;
  private readonly model: Pick<ModelFolder, 'template' | 'sampling'>;

  /** @throws ModelFolderError */
  constructor(folder: string) {
    const model = readModelFolder(folder);
    this.vocabulary = new Vocabulary(model);
    this.model = { template: model.template, sampling: model.sampling };
    // One core is left to serving.
    this.pool = new RenderPool(folder, Math.max(1, Math.min(MOST_THREADS, availableParallelism() - 1)));
  }

  /** Marks of the model's thoughts; null for one that has none. */
  get reasoning(): typeof THOUGHT_MARKS | null {
    return this.model.template.includes(THOUGHT_MARKS.close) ? THOUGHT_MARKS : null;
  }

  /** How the model writes tool calls, null for one that has none. @param parser the engine's name of its parser */
  toolDialect(parser: string | null): ToolDialect | null {
    const name = findToolDialect(this.model.template, parser);
    return name === null ? null : TOOL_DIALECTS[name];
  }

  /** Sampling where neither a request nor the settings say: the model's own, as an engine's chat takes it. */
  defaults(configured: { temperature: number | null; topP: number | null; topK: number | null }): GenerateDefaults {
    const { sampling } = this.model;
    return {
      temperature: configured.temperature ?? sampling.temperature ?? 1,
      topP: configured.topP ?? sampling.topP ?? 1,
      topK: configured.topK ?? sampling.topK ?? -1,
    };
  }

  async render(messages: readonly ChatMessage[]): Promise<readonly number[]> {
    await this.pool.ready();
    const body = Buffer.from(JSON.stringify({ messages }));
    const turnId = 'probe';
    const { ids } = await this.pool.render({ turnId, parent: null, body });
    this.pool.forget(turnId);
    return Array.from(ids);
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}
