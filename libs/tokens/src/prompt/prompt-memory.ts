import { LRUCache } from 'lru-cache';
import type { Vocabulary } from '../model/vocabulary';
import { pieceOf, type PartSource, type Piece } from './encoded-part';

/**
 * How a prompt stands to the turn that it continues. `new`: it continues none that is known here. `clean`: it begins with
 * that turn's tokens. `realigned`: it does so because the answer's own ids were put in for those of its text. `forked`: it
 * does not, since the client or the template changed what stood before.
 */
export const DRIFTS = ['new', 'clean', 'realigned', 'forked'] as const;

export type Drift = (typeof DRIFTS)[number];

/** Segments whose text the engine wrote in other tokens than the tokenizer would. */
export type OwnSegments = ReadonlyMap<string, Piece>;

/** A segment that a prompt ends with, which the answer goes on with. */
export interface Tail {
  readonly text: string;
  readonly ids: Int32Array;
}

interface OpenTurn {
  readonly promptIds: Int32Array;
  /** null where the prompt ends with an added token. */
  readonly tail: Tail | null;
  readonly own: OwnSegments;
}

interface KnownTurn {
  /** Prompt, then response. */
  readonly ids: Int32Array;
  /** Its own segments and those of the turns before it. */
  readonly own: Promise<OwnSegments>;
  readonly before: OwnSegments;
}

/** A run of the answer between two added tokens: what it says, and how the engine wrote it. */
interface Run {
  readonly text: string;
  readonly ids: readonly number[];
}

/** Ids that are kept of turns: a thousand long ones. */
const MOST_KEPT_IDS = 32_000_000;
/** Segments of one conversation that came in tokens of their own. */
const MOST_OWN = 4096;

const NONE: Promise<OwnSegments> = Promise.resolve(new Map());

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
    private readonly source: PartSource,
  ) {}

  /** Segments in the tokens that the engine wrote them in, of the turn with this chain and those before it. */
  ownOf(chain: string | null): Promise<OwnSegments> {
    return (chain === null ? undefined : this.known.get(chain))?.own ?? NONE;
  }

  /** Notes a prompt that is about to be answered. */
  begin(turnId: string, prompt: OpenTurn): void {
    this.open.set(turnId, prompt);
  }

  /** How a prompt, with these segments in the engine's own tokens, stands to the turn with this chain. */
  compare(chain: string | null, promptIds: Int32Array, own: OwnSegments): Drift {
    const before = chain === null ? undefined : this.known.get(chain);
    if (before === undefined) return 'new';
    if (!startsWith(promptIds, before.ids)) return 'forked';
    return own === before.before ? 'clean' : 'realigned';
  }

  /** Notes what was answered, under the chain hash that the next request will show. */
  remember(turnId: string, chain: string, responseIds: readonly number[]): void {
    const turn = this.open.get(turnId);
    if (turn === undefined) return;
    this.open.delete(turnId);
    const ids = new Int32Array(turn.promptIds.length + responseIds.length);
    ids.set(turn.promptIds);
    ids.set(responseIds, turn.promptIds.length);
    // What could not be encoded stands in the next prompt in the tokenizer's tokens: it is then forked, not wrong.
    const own = this.withDrifted(turn, responseIds).catch(() => turn.own);
    this.known.set(chain, { ids, own, before: turn.own });
  }

  /** Forgets a prompt whose answer does not count. */
  forget(turnId: string): void {
    this.open.delete(turnId);
  }

  /** The turn's own segments, and those of the answer that the tokenizer would have written in other tokens. */
  private async withDrifted({ tail, own }: OpenTurn, responseIds: readonly number[]): Promise<OwnSegments> {
    const runs = this.runsOf(tail, responseIds);
    const encoded = await this.source.encode(runs.map(({ text }) => text));
    const drifted = runs.filter(({ ids }, i) => !sameIds(encoded[i] ?? [], ids));
    if (drifted.length === 0) return own;
    return new Map([...own, ...drifted.map(({ text, ids }) => [text, pieceOf(ids)] as const)].slice(-MOST_OWN));
  }

  private runsOf(tail: Tail | null, responseIds: readonly number[]): Run[] {
    const runs: Run[] = [];
    let before = tail;
    let run: number[] = [];
    const close = (): void => {
      if (run.length > 0) {
        const text = Buffer.concat(run.map((id) => this.vocabulary.bytesOf(id))).toString('utf8');
        runs.push({ text: `${before?.text ?? ''}${text}`, ids: [...(before?.ids ?? []), ...run] });
      }
      before = null;
      run = [];
    };
    for (const id of responseIds) {
      if (this.vocabulary.addedOf(id) === null) run.push(id);
      else close();
    }
    close();
    return runs;
  }
}
