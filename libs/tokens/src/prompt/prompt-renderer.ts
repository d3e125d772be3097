import { endsInsideThought } from '@app/chat';
import type { Vocabulary } from '../model/vocabulary';
import type { PromptSource } from './chat-template';
import { joinPieces, piecesOf, type EncodedPart, type PartSource, type Piece } from './encoded-part';
import { PartCache } from './part-cache';
import { PromptMemory, type Drift, type Tail } from './prompt-memory';

/** The turn that a prompt is for. */
export interface PromptTurn {
  readonly turnId: string;
  /** Chain hash of the turn that the request continues; null for a first one. */
  readonly parent: string | null;
}

/** A prompt that is being made: it is asked for once it is known which turn it is for. Rejects where it cannot be made. */
export type PromptInWork = (turn: PromptTurn) => Promise<Prompt>;

/** A prompt as it is sent to an engine; its JSON is an array of the ids. */
export interface Prompt extends Piece {
  /** The answer begins inside a thought. */
  readonly insideThought: boolean;
  readonly drift: Drift;
}

/** Segments at a prompt's end that show whether it opens a thought: its mark, and the space behind it. */
const END_SEGMENTS = 2;

/** From messages to token ids: the model's own template and tokenizer, at the cost of what is new in a conversation. */
export class PromptRenderer {
  private readonly parts: PartCache;
  private readonly memory: PromptMemory;

  /** @param source renders and encodes what has not been before */
  constructor(
    private readonly vocabulary: Vocabulary,
    source: PartSource,
  ) {
    this.parts = new PartCache(source);
    this.memory = new PromptMemory(vocabulary, source);
  }

  /** Begins to render at once. Rejects with what the source of parts does, and for messages that are none. */
  begin(source: PromptSource): PromptInWork {
    const parts = this.parts.of(source);
    // Nobody may ever ask for it.
    parts.catch(() => undefined);
    return async (turn) => this.finish(turn, await parts);
  }

  /** @see PromptMemory.remember */
  remember(turnId: string, chain: string, responseIds: readonly number[]): void {
    this.memory.remember(turnId, chain, responseIds);
  }

  /** @see PromptMemory.forget */
  forget(turnId: string): void {
    this.memory.forget(turnId);
  }

  private async finish({ turnId, parent }: PromptTurn, parts: readonly EncodedPart[]): Promise<Prompt> {
    const own = await this.memory.ownOf(parent);
    const prompt = joinPieces(parts.flatMap((part) => piecesOf(part, own)));
    this.memory.begin(turnId, { promptIds: prompt.ids, tail: this.tailOf(parts.at(-1)), own });
    return {
      ...prompt,
      insideThought: endsInsideThought(parts.at(-1)?.segments.slice(-END_SEGMENTS).join('') ?? ''),
      drift: this.memory.compare(parent, prompt.ids, own),
    };
  }

  private tailOf(part: EncodedPart | undefined): Tail | null {
    const text = part?.segments.at(-1);
    if (part === undefined || text === undefined || this.vocabulary.isAdded(text)) return null;
    return { text, ids: part.ids.subarray(part.idEnds.at(-2) ?? 0) };
  }
}
