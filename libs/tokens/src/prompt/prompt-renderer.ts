import { endsInsideThought } from '@app/chat';
import type { ModelFolder } from '../model/model-folder';
import { Vocabulary } from '../model/vocabulary';
import { ChatTemplate, type PromptSource } from './chat-template';
import { PartEncoder } from './part-encoder';
import { PromptMemory, type Drift } from './prompt-memory';
import { SegmentEncoder } from './segment-encoder';
import { TextRenderer } from './text-renderer';

export interface PromptRequest extends PromptSource {
  readonly turnId: string;
  /** Chain hash of the turn that the request continues; null for a first one. */
  readonly parent: string | null;
}

/** A prompt as it is sent to an engine. */
export interface Prompt {
  readonly ids: Int32Array;
  /** The ids as a JSON array. */
  readonly json: string;
  /** The answer begins inside a thought. */
  readonly insideThought: boolean;
  readonly drift: Drift;
}

/** From messages to token ids: the model's own template and tokenizer, at the cost of what is new in a conversation. */
export class PromptRenderer {
  /** Whether the template allows to render only what is new. */
  readonly isGrouped: boolean;
  private readonly renderer: TextRenderer;
  private readonly encoder: SegmentEncoder;
  private readonly parts: PartEncoder;
  private readonly memory: PromptMemory;

  constructor(model: ModelFolder) {
    const vocabulary = new Vocabulary(model);
    this.renderer = new TextRenderer(new ChatTemplate(model.template, model.config));
    this.encoder = new SegmentEncoder(model, vocabulary);
    this.parts = new PartEncoder(this.encoder);
    this.memory = new PromptMemory(vocabulary, this.encoder);
    this.isGrouped = this.renderer.isGrouped;
  }

  /** @throws what the template throws for messages that it refuses */
  render({ turnId, parent, ...source }: PromptRequest): Prompt {
    const parts = this.renderer.render(source);
    const own = this.memory.ownOf(parent);
    const { pieces, last } = this.parts.encode(parts, own);
    const ids = new Int32Array(pieces.reduce((sum, piece) => sum + piece.ids.length, 0));
    let at = 0;
    for (const piece of pieces) {
      ids.set(piece.ids, at);
      at += piece.ids.length;
    }
    this.memory.begin(turnId, { promptIds: ids, tail: this.encoder.isBorder(last) ? '' : last, own });
    return {
      ids,
      json: `[${pieces.map(({ json }) => json).join(',')}]`,
      insideThought: endsInsideThought(parts.at(-1) ?? ''),
      drift: this.memory.compare(parent, ids),
    };
  }

  /** @see PromptMemory.remember */
  remember(turnId: string, chain: string, responseIds: readonly number[]): void {
    this.memory.remember(turnId, chain, responseIds);
  }

  /** @see PromptMemory.forget */
  forget(turnId: string): void {
    this.memory.forget(turnId);
  }
}
