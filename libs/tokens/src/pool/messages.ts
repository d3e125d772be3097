import type { EncodedPart } from '../prompt/encoded-part';
import type { Grouping } from '../prompt/part-request';

/** To a render worker: parts to make, by the JSON of their requests; or texts to encode. */
export interface WorkerRequest {
  readonly kind: 'parts' | 'encode';
  readonly job: number;
  readonly texts: readonly string[];
}

/** From a render worker. */
export type WorkerReply =
  | { readonly kind: 'ready'; readonly grouping: Grouping | null }
  | { readonly kind: 'parts'; readonly job: number; readonly result: readonly (EncodedPart | null)[] }
  | { readonly kind: 'encode'; readonly job: number; readonly result: readonly (readonly number[])[] }
  | { readonly kind: 'failed'; readonly job: number; readonly problem: string };
