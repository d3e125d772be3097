import type { Gpu, Load } from './load';
import type { Outage } from './outage';

/** What is to be simulated. */
export interface DayPlan {
  readonly load: Load;
  readonly gpu: Gpu;
  /** GPUs that judge, and GPUs that vote on hints and score. */
  readonly judges: number;
  readonly teachers: number;
  /** Whether judge and teacher stand still with the policy while weights are changed, since they share its GPUs. */
  readonly sharesGpus: boolean;
  /** Share of tries of a turn that fail though the engine is there, and are repeated. */
  readonly failingShare: number;
  /** Of the engines that judge and teach; null: none. */
  readonly outage: Outage | null;
  readonly probeSeconds: number;
  readonly queueSize: number;
  readonly hours: number;
  readonly intervalSeconds: number;
  readonly seed: number;
}
