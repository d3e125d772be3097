import type { Random } from './random';

/**
 * How a client shows its session. `stock`: OpenClaw as it comes, by a `Runtime:` line alone; `headers`: X-Session-Id and
 * X-Session-Done; `affinity`: x-session-affinity; `plain`: names nothing and has no tools, only its messages tell.
 */
export const STYLES = ['stock', 'headers', 'stock', 'affinity', 'plain'] as const;
export type Style = (typeof STYLES)[number];

export type Score = 1 | -1 | 0;

/** One request of a conversation. */
export interface Step {
  readonly role: 'user' | 'tool';
  readonly text: string;
  /** What the text says of the answer before it. */
  readonly score: Score;
  /** The answer to it is a tool call. */
  readonly asksForTool: boolean;
  /** The client hangs up in the middle of the answer first, and then says this. */
  readonly abandonsBefore: boolean;
  /** A heartbeat comes before it. */
  readonly asideBefore: boolean;
  readonly thinkMs: number;
}

export interface SessionPlan {
  readonly id: string;
  readonly style: Style;
  readonly stream: boolean;
  readonly steps: readonly Step[];
}

export interface PlanOptions {
  readonly clients: number;
  readonly turns: number;
  /** Longest pause before a request, in milliseconds. */
  readonly thinkMs: number;
  /** Characters of filling in each user's message. @default 0 */
  readonly filling?: number;
  /** Tool calls, heartbeats and answers that are not waited for. @default true */
  readonly varied?: boolean;
}

/** A message with it is answered by a tool call. */
export const TOOL_WORD = 'use the tool';

const SAYINGS: Readonly<Record<Score, string>> = {
  1: 'thanks, that works',
  [-1]: 'that is wrong, not what I asked for',
  0: 'now to a further matter',
};

const RESULTS: Readonly<Record<Score, string>> = {
  1: 'it works: 12 passed',
  [-1]: 'it failed: exit code 1',
  0: 'a listing of files',
};

const SCORES: readonly Score[] = [1, 1, -1, -1, 0];

const planSession = (random: Random, id: string, options: PlanOptions & { steps: number }): SessionPlan => {
  const style = random.pick(STYLES);
  const stream = style !== 'plain' && random.chance(0.75);
  const isVaried = options.varied ?? true;
  const filling = 'x'.repeat(options.filling ?? 0);
  const steps: Step[] = [];
  for (let i = 0; i < options.steps; i += 1) {
    const role = steps.at(-1)?.asksForTool === true ? 'tool' : 'user';
    const score = random.pick(SCORES);
    const asksForTool = isVaried && style !== 'plain' && i < options.steps - 1 && random.chance(0.25);
    const said = role === 'tool' ? RESULTS[score] : i === 0 ? 'hello' : SAYINGS[score];
    steps.push({
      role,
      score,
      asksForTool,
      text: [`${id}-${i}`, said, ...(asksForTool ? [TOOL_WORD] : []), ...(filling === '' ? [] : [filling])].join(' '),
      abandonsBefore: isVaried && stream && role === 'user' && random.chance(0.05),
      asideBefore: isVaried && style === 'stock' && role === 'user' && i > 0 && random.chance(0.08),
      thinkMs: random.whole(Math.floor(options.thinkMs / 5), options.thinkMs),
    });
  }
  return { id, style, stream, steps };
};

/** What each client will say: sessions of three to eight turns, together at least `turns`. */
export const makePlan = (random: Random, options: PlanOptions): readonly (readonly SessionPlan[])[] => {
  const each = Math.ceil(options.turns / options.clients);
  return Array.from({ length: options.clients }, (_, client) => {
    const own = random.fork();
    const sessions: SessionPlan[] = [];
    for (let left = each; left > 0;) {
      const steps = left <= 8 ? Math.max(3, left) : Math.min(own.whole(3, 8), left - 3);
      sessions.push(planSession(own, `c${client}s${sessions.length}`, { ...options, steps }));
      left -= steps;
    }
    return sessions;
  });
};
