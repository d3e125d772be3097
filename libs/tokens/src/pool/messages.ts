import type { Drift } from '../prompt/prompt-memory';

/** To a render worker. */
export type WorkerRequest =
  | {
      readonly kind: 'render';
      readonly job: number;
      readonly turnId: string;
      readonly parent: string | null;
      /** A chat request's body. */
      readonly body: Uint8Array;
    }
  | {
      readonly kind: 'remember';
      readonly turnId: string;
      readonly chain: string;
      readonly responseIds: readonly number[];
    }
  | { readonly kind: 'forget'; readonly turnId: string };

/** A prompt as a worker hands it over. */
export interface RenderedPrompt {
  readonly ids: Int32Array;
  /** The ids as a JSON array. */
  readonly json: Uint8Array;
  readonly insideThought: boolean;
  readonly drift: Drift;
  /** The request's fields without messages and tools. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** From a render worker. */
export type WorkerReply =
  | { readonly kind: 'ready'; readonly isGrouped: boolean }
  | { readonly kind: 'rendered'; readonly job: number; readonly prompt: RenderedPrompt }
  | { readonly kind: 'failed'; readonly job: number; readonly problem: string };
