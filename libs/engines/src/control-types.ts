/** How running answers stand still: with what has been computed of them, or to be computed anew with the new weights. */
export type StandMode = 'in_place' | 'retract';

export interface NewWeights {
  /** Folder of the weights, as the engine's machine sees it. */
  readonly path: string;
  /** The name that the engine gives them from then on. */
  readonly version: string;
  /** Whether answers stand in place: then nothing may be thrown away that they go on from. */
  readonly keepsAnswers: boolean;
  readonly timeoutMs: number;
}

/** What an engine lets be done around a change of its weights. Every call throws an EngineError where it cannot be made. */
export interface EngineControl {
  readonly kind: 'sglang' | 'vllm' | 'other';
  /** The engine's own name of the weights that it serves; null where it has none to tell. */
  readVersion(): Promise<string | null>;
  /** Lets running answers stand, and new ones wait. false: this engine cannot, and goes on. */
  stand(mode: StandMode): Promise<boolean>;
  /** Ends running answers, and lets new ones wait where the engine can. */
  stop(): Promise<void>;
  /** Goes on after `stand` or `stop`. */
  resume(): Promise<void>;
  /** Reads weights from disk. @throws EngineLoadError where it cannot */
  load(weights: NewWeights): Promise<void>;
}
