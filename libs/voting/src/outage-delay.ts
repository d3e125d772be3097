const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 120_000;
const AFTER_PAUSE_MS = 100;

export interface OutageState {
  /** The judge is taken to be out of order, and for how long nobody asks it, in milliseconds. */
  readonly isPaused: boolean;
  readonly pauseMs: number;
  /** How often the turn has been tried. */
  readonly deliveries: number;
  /** A random factor around 1. */
  readonly spread: number;
}

/**
 * When a turn that could not be judged comes back, in milliseconds: with the end of the pause if everybody waits; if only
 * this turn's calls fail, later every time, so that one question the judge cannot cope with does not occupy it.
 */
export const outageDelayMs = ({ isPaused, pauseMs, deliveries, spread }: OutageState): number =>
  isPaused
    ? pauseMs + AFTER_PAUSE_MS * spread
    : Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** (deliveries - 1)) * spread;
