import type { RunContext } from './host';

/** `main`: a turn of the conversation itself. null: the gateway has to see for itself. */
export type TurnType = 'main' | 'side' | null;

/** Triggers of runs that nobody talks in. */
const SIDE_TRIGGERS = new Set(['heartbeat', 'cron', 'memory']);
const MOST = 1000;

/** Of what kind the turns of a run are. Messages of other sessions and of OpenClaw itself also come with the trigger `user`. */
export const turnTypeOf = ({ trigger, inputProvenance }: RunContext): TurnType => {
  if (trigger === undefined) return null;
  if (SIDE_TRIGGERS.has(trigger)) return 'side';
  if (trigger !== 'user') return null;
  const kind = inputProvenance?.kind;
  return kind === undefined || kind === 'external_user' ? 'main' : 'side';
};

/** Of what kind a session's next model call is. A session has one run at a time. */
export class TurnTypes {
  private readonly runs = new Map<string, TurnType>();
  private readonly compacting = new Set<string>();

  /** A run makes a prompt: a compaction that has failed is over as well, which nobody says. */
  begin(context: RunContext): void {
    const { sessionId } = context;
    if (sessionId === undefined) return;
    this.compacting.delete(sessionId);
    this.runs.delete(sessionId);
    this.runs.set(sessionId, turnTypeOf(context));
    const [oldest] = this.runs.keys();
    if (this.runs.size > MOST && oldest !== undefined) this.runs.delete(oldest);
  }

  beginCompaction({ sessionId }: RunContext): void {
    if (sessionId !== undefined) this.compacting.add(sessionId);
  }

  endCompaction({ sessionId }: RunContext): void {
    if (sessionId !== undefined) this.compacting.delete(sessionId);
  }

  of(sessionId: string): TurnType {
    return this.compacting.has(sessionId) ? 'side' : (this.runs.get(sessionId) ?? null);
  }
}
