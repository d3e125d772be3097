import type { Finding } from './finding';
import type { Visit } from './visit';

/** One thing that the doctor looks at. */
export interface Check {
  /** As scripts know it. */
  readonly id: string;
  /** As people read it. */
  readonly title: string;
  /** Checks that have to pass, with or without a warning, before this one means anything. */
  readonly needs: readonly string[];
  /** May reject: then the check has failed in a way that nobody knows. */
  readonly look: (visit: Visit) => Promise<Finding> | Finding;
}

/** What became of a check. */
export interface Result extends Finding {
  readonly id: string;
  readonly title: string;
  /** Id of the check that stood in its way: it was not made. */
  readonly behind?: string;
}
