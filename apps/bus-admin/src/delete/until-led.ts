import { setTimeout as pause } from 'node:timers/promises';
import { Problem } from '../problem';

/** A stream whose leader has died is led again after some seconds. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 1000;

/** Asks again what a stream without a leader did not answer; for what may be asked more than once. @throws Problem */
export const untilLed = async <Result>(ask: () => Promise<Result>): Promise<Result> => {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await ask();
    } catch (cause) {
      if (performance.now() > end) {
        throw new Problem(
          'a stream does not answer: too few servers of the cluster are up. Delete again when they are',
          {
            cause,
          },
        );
      }
      await pause(PAUSE_MS);
    }
  }
};
