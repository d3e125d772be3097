import { availableParallelism } from 'node:os';
import { findToolDialect, THOUGHT_MARKS, TOOL_DIALECTS, type ToolDialect } from '@app/chat';
import type { EngineParsers, GenerateDefaults, PromptToProbe, ProbeRenderer } from '@app/engines';
import {
  readModelFolder,
  PromptRenderer,
  RenderPool,
  Vocabulary,
  type ModelFolder,
  type PromptInWork,
  type PromptSource,
} from '@app/tokens';
import type { ConfiguredSampling, PromptMaker } from './prompt-maker';

const MOST_THREADS = 4;

/** Prompts by the policy's own tokenizer and chat template, rendered in threads of their own. */
export class FolderPrompts implements PromptMaker {
  readonly vocabulary: Vocabulary;
  readonly renderer: ProbeRenderer = {
    isEngine: false,
    against: () => null,
    render: (prompt) => this.renderProbe(prompt),
  };
  private readonly pool: RenderPool;
  private readonly prompts: PromptRenderer;
  private readonly model: Pick<ModelFolder, 'template' | 'sampling'>;

  /** @throws ModelFolderError */
  constructor(folder: string) {
    const model = readModelFolder(folder);
    this.vocabulary = new Vocabulary(model);
    this.model = { template: model.template, sampling: model.sampling };
    // One core is left to serving.
    this.pool = new RenderPool(folder, Math.max(1, Math.min(MOST_THREADS, availableParallelism() - 1)));
    this.prompts = new PromptRenderer(this.vocabulary, this.pool);
  }

  begin(source: PromptSource): PromptInWork {
    return this.prompts.begin(source);
  }

  remember(turnId: string, chain: string, responseIds: readonly number[]): void {
    this.prompts.remember(turnId, chain, responseIds);
  }

  forget(turnId: string): void {
    this.prompts.forget(turnId);
  }

  reasoning(): typeof THOUGHT_MARKS | null {
    return this.model.template.includes(THOUGHT_MARKS.close) ? THOUGHT_MARKS : null;
  }

  toolDialect({ tools }: EngineParsers): ToolDialect | null {
    const name = findToolDialect(this.model.template, tools);
    return name === null ? null : TOOL_DIALECTS[name];
  }

  defaults(configured: ConfiguredSampling): GenerateDefaults {
    const { sampling } = this.model;
    return {
      temperature: configured.temperature ?? sampling.temperature ?? 1,
      topP: configured.topP ?? sampling.topP ?? 1,
      topK: configured.topK ?? sampling.topK ?? -1,
    };
  }

  close(): Promise<void> {
    return this.pool.close();
  }

  private async renderProbe({
    messages,
    tools = [],
    chat_template_kwargs: kwargs = {},
  }: PromptToProbe): Promise<readonly number[]> {
    const turnId = 'probe';
    const { ids } = await this.prompts.begin({ messages, tools, kwargs })({ turnId, parent: null });
    this.prompts.forget(turnId);
    return Array.from(ids);
  }
}
