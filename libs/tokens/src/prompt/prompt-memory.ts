import { LRUCache } from 'lru-cache';
import type { Vocabulary } from '../model/vocabulary';
import { encodedIds, type Encoded, type SegmentEncoder } from './segment-encoder';

/**
 * How a prompt stands to the turn that it continues. `new`: it continues none that is known here. `clean`: it begins with
 * that turn's tokens. `realigned`: it does so because the answer's own ids were put in for those of its text. `forked`: it
 * does not, since the client or the template changed what stood before.
 */
export const DRIFTS = ['new', 'clean', 'realigned', 'forked'] as const;

export type Drift = (typeof DRIFTS)[number];

/** Segments whose text the engine wrote in other tokens than the tokenizer would. */
export type OwnSegments = ReadonlyMap<string, Encoded>;

interface OpenTurn {
  readonly promptIds: Int32Array;
  /** Text of the prompt behind its last added token: the answer goes on with this segment. */
  readonly tail: string;
  readonly own: OwnSegments;
}

interface KnownTurn {
  /** Prompt, then response. */
  readonly ids: Int32Array;
  readonly own: OwnSegments;
  readonly drifted: boolean;
}

/** Ids that are kept of turns: a thousand long ones. */
const MOST_KEPT_IDS = 32_000_000;
/** Segments of one conversation that came in tokens of their own. */
const MOST_OWN = 4096;

const NOTHING: OwnSegments = new Map();

const sameIds = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((id, i) => id === b[i]);

/** Whether tokens begin with these. */
export const startsWith = (ids: Int32Array, head: Int32Array): boolean =>
  ids.length >= head.length &&
  Buffer.compare(
    Buffer.from(ids.buffer, ids.byteOffset, head.byteLength),
    Buffer.from(head.buffer, head.byteOffset, head.byteLength),
  ) === 0;

/**
 * Remembers turns by their chain hash, so that the prompts that follow them hold the engine's own ids of earlier answers.
 * Local to a process: what is not known here is encoded from its text.
 */
export class PromptMemory {
  private readonly open = new LRUCache<string, OpenTurn>({
    maxSize: MOST_KEPT_IDS,
    sizeCalculation: ({ promptIds }) => promptIds.length + 1,
  });
  private readonly known = new LRUCache<string, KnownTurn>({
    maxSize: MOST_KEPT_IDS,
    sizeCalculation: ({ ids }) => ids.length + 1,
  });

  constructor(
    private readonly vocabulary: Vocabulary,
    private readonly encoder: SegmentEncoder,
  ) {}

  /** Segments in the tokens that the engine wrote them in, of the turn with this chain and those before it. */
  ownOf(chain: string | null): OwnSegments {
    return (chain === null ? undefined : this.known.get(chain))?.own ?? NOTHING;
  }

  /** Notes a prompt that is about to be answered. */
  begin(turnId: string, prompt: OpenTurn): void {
    this.open.set(turnId, prompt);
  }

  /** How a prompt stands to the turn with this chain. */
  compare(chain: string | null, promptIds: Int32Array): Drift {
    const before = chain === null ? undefined : this.known.get(chain);
    if (before === undefined) return 'new';
    if (!startsWith(promptIds, before.ids)) return 'forked';
    return before.drifted ? 'realigned' : 'clean';
  }

  /** Notes what was answered, under the chain hash that the next request will show. */
  remember(turnId: string, chain: string, responseIds: readonly number[]): void {
    const turn = this.open.get(turnId);
    if (turn === undefined) return;
    this.open.delete(turnId);
    const drifted = this.findDrifted(turn.tail, responseIds);
    const ids = new Int32Array(turn.promptIds.length + responseIds.length);
    ids.set(turn.promptIds);
    ids.set(responseIds, turn.promptIds.length);
    const own = drifted.length === 0 ? turn.own : new Map([...turn.own, ...drifted].slice(-MOST_OWN));
    this.known.set(chain, { ids, own, drifted: drifted.length > 0 });
  }

  /** Forgets a prompt whose answer does not count. */
  forget(turnId: string): void {
    this.open.delete(turnId);
  }

  /** The answer's segments, as texts, that the tokenizer would have written in other tokens. */
  private findDrifted(tail: string, responseIds: readonly number[]): [string, Encoded][] {
    const drifted: [string, Encoded][] = [];
    let before = tail;
    let run: number[] = [];
    const close = (): void => {
      if (run.length > 0) {
        const text = before + Buffer.concat(run.map((id) => this.vocabulary.bytesOf(id))).toString('utf8');
        const ids = [...(before === '' ? [] : this.encoder.encode(before).ids), ...run];
        if (!sameIds(this.encoder.encode(text).ids, ids)) drifted.push([text, encodedIds(ids)]);
      }
      before = '';
      run = [];
    };
    for (const id of responseIds) {
      if (this.vocabulary.addedOf(id) === null) run.push(id);
      else close();
    }
    close();
    return drifted;
  }
}
