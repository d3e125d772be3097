import {
  endsInsideThought,
  findThoughtMarks,
  findToolDialect,
  TOOL_DIALECTS,
  type THOUGHT_MARKS,
  type ToolDialect,
} from '@app/chat';
import {
  detokenize,
  tokenizeChat,
  type EngineParsers,
  type GenerateDefaults,
  type ProbeRenderer,
  type UpstreamClient,
} from '@app/engines';
import {
  RenderError,
  TurnMemory,
  type Prompt,
  type PromptInWork,
  type PromptSource,
  type PromptTurn,
} from '@app/tokens';
import { LRUCache } from 'lru-cache';
import type { ConfiguredSampling, PromptMaker } from './prompt-maker';

/** Tokens at a prompt's end that show whether it opens a thought. */
const TAIL = 8;
const MOST_KNOWN_TAILS = 1000;

const isNumber = (value: number | null): value is number => value !== null;

/** Whether the settings say all of the sampling that a chat takes from the model, which nobody else can say here. */
export const saysSampling = ({ temperature, topP, topK }: ConfiguredSampling): boolean =>
  [temperature, topP, topK].every(isNumber);

/** Prompts by the engine's own `/v1/tokenize`, for a model whose folder is not here; answers in the engine's own text. */
export class EnginePrompts implements PromptMaker {
  readonly vocabulary = null;
  readonly renderer: ProbeRenderer = {
    isEngine: true,
    against: (parsers) => this.against(parsers),
    render: (prompt) => tokenizeChat(this.client, { model: this.model, ...prompt }),
  };
  private readonly turns = new TurnMemory();
  private readonly insideByTail = new LRUCache<string, boolean>({ max: MOST_KNOWN_TAILS });

  /** @param model the model's id at the engine */
  constructor(
    private readonly client: UpstreamClient,
    private readonly model: string | null,
  ) {}

  begin({ messages, tools, kwargs }: PromptSource): PromptInWork {
    const tokens = tokenizeChat(this.client, {
      model: this.model,
      messages,
      ...(tools.length === 0 ? {} : { tools }),
      ...(Object.keys(kwargs).length === 0 ? {} : { chat_template_kwargs: kwargs }),
    });
    // Nobody may ever ask for it.
    tokens.catch(() => undefined);
    return async (turn) => {
      try {
        return await this.finish(turn, await tokens);
      } catch (cause) {
        throw new RenderError('the engine did not render the prompt', { cause });
      }
    };
  }

  remember(turnId: string, chain: string, responseIds: readonly number[]): void {
    this.turns.remember(turnId, chain, responseIds);
  }

  forget(turnId: string): void {
    this.turns.forget(turnId);
  }

  reasoning({ reasoning }: EngineParsers): typeof THOUGHT_MARKS | null {
    return reasoning === null ? null : findThoughtMarks(reasoning);
  }

  toolDialect({ tools }: EngineParsers): ToolDialect | null {
    // Without the template only the engine can say.
    const name = findToolDialect('', tools);
    return name === null ? null : TOOL_DIALECTS[name];
  }

  /** All of it is configured: see `saysSampling`. */
  defaults({ temperature, topP, topK }: ConfiguredSampling): GenerateDefaults {
    return { temperature: temperature ?? 1, topP: topP ?? 1, topK: topK ?? -1 };
  }

  async close(): Promise<void> {
    // Nothing runs here.
  }

  private async finish({ turnId, parent }: PromptTurn, tokens: readonly number[]): Promise<Prompt> {
    const ids = Int32Array.from(tokens);
    this.turns.begin(turnId, ids);
    return {
      ids,
      json: Buffer.from(JSON.stringify(tokens)),
      insideThought: await this.isInsideThought(tokens.slice(-TAIL)),
      drift: this.turns.compare(parent, ids),
    };
  }

  private against(parsers: EngineParsers): string | null {
    const { reasoning, tools } = parsers;
    if (reasoning !== null && this.reasoning(parsers) === null)
      return `its reasoning parser "${reasoning}" is not known here`;
    if (tools !== null && this.toolDialect(parsers) === null)
      return `its tool-call parser "${tools}" is not known here`;
    return null;
  }

  /** All prompts of a model end in a few ways. */
  private async isInsideThought(tail: readonly number[]): Promise<boolean> {
    const key = tail.join(',');
    const known = this.insideByTail.get(key);
    if (known !== undefined) return known;
    const isInside = endsInsideThought(await detokenize(this.client, { model: this.model, tokens: tail }));
    this.insideByTail.set(key, isInside);
    return isInside;
  }
}
