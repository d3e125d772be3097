import type { ConsoleProblem, TurnRow } from '@app/contracts';

/** What can be seen of the loop, to tell whether it runs. */
export interface LoopState {
  /** Newest first. */
  readonly rows: readonly TurnRow[];
  readonly now: number;
  readonly waiting: number;
  readonly leased: number;
  readonly batchSize: number;
  readonly queueSize: number;
  readonly asksJudge: boolean;
  readonly isEvaluation: boolean;
}

const NEWEST = 50;
/** Fewer turns than these prove nothing. */
const FEWEST = 5;
const SLOW_JUDGE_MS = 2 * 60_000;
const IDLE_TRAINER_MS = 5 * 60_000;

/** What keeps turns from being learnt from, worst first, each with what to do. */
export const findProblems = (state: LoopState): ConsoleProblem[] =>
  [judgeIsSlow, judgeGivesNoVerdict, noIds, incomplete, nobodyTrains, queueIsFull, onlyEvaluates].flatMap(
    (find) => find(state) ?? [],
  );

type Find = (state: LoopState) => ConsoleProblem | null;

const settledMain = ({ rows }: LoopState): TurnRow[] =>
  rows.filter(({ kind, fate }) => kind === 'main' && fate !== 'open').slice(0, NEWEST);

/** More than half of the newest settled turns have this fate. */
const mostAre = (state: LoopState, fates: readonly string[]): string | null => {
  const settled = settledMain(state);
  const count = settled.filter(({ fate }) => fates.includes(fate)).length;
  return settled.length >= FEWEST && count * 2 > settled.length
    ? `${count} of the newest ${settled.length} turns`
    : null;
};

const judgeIsSlow: Find = ({ rows, now, asksJudge }) => {
  const isWaiting = ({ followed, judgedAt, fate, completedAt }: TurnRow): boolean =>
    followed && judgedAt === null && fate === 'open' && completedAt !== null && now - completedAt > SLOW_JUDGE_MS;
  const count = asksJudge ? rows.filter(isWaiting).length : 0;
  if (count === 0) return null;
  return {
    what: `${count} turns have been waiting for the judge for more than two minutes.`,
    remedy: 'See that prm-judge runs and that server.judge_base_url answers; its log names what failed.',
  };
};

const judgeGivesNoVerdict: Find = (state) => {
  const share = mostAre(state, ['not_judged']);
  if (share === null) return null;
  return {
    what: `${share} got no verdict from the judge.`,
    remedy:
      'Open one of them and read the votes: the judge has to answer in the form that it is asked for. judge.format and judge.max_tokens decide it.',
  };
};

const noIds: Find = (state) => {
  const share = mostAre(state, ['no_token_ids']);
  if (share === null) return null;
  return {
    what: `${share} came without token ids and cannot be trained on.`,
    remedy:
      'The engine gives none by the route text. /readyz of the gateway says what stands against each better route.',
  };
};

const incomplete: Find = (state) => {
  const share = mostAre(state, ['incomplete', 'upstream_error']);
  if (share === null) return null;
  return {
    what: `${share} failed or are incomplete.`,
    remedy: 'Their fate in the list of turns says which part was missing.',
  };
};

const nobodyTrains: Find = ({ rows, now, waiting, leased, batchSize }) => {
  if (waiting < batchSize || leased > 0) return null;
  const newest = Math.max(0, ...rows.flatMap(({ fate, settledAt }) => (fate === 'sample' ? (settledAt ?? 0) : [])));
  if (now - newest < IDLE_TRAINER_MS) return null;
  return {
    what: `A whole batch waits (${waiting} samples), and no trainer takes it.`,
    remedy: 'Start a trainer, or look at the log of the one that should run; it leases at door.port.',
  };
};

const queueIsFull: Find = ({ waiting, queueSize }) =>
  waiting < queueSize
    ? null
    : {
        what: `The queue is full: ${waiting} samples wait, and new ones are refused.`,
        remedy: 'Start a trainer, or raise slime.queue_size.',
      };

const onlyEvaluates: Find = ({ isEvaluation }) =>
  isEvaluation
    ? {
        what: 'rl.eval_mode is on: votes are for evaluation and train nothing.',
        remedy: 'Take rl.eval_mode out to learn from them.',
      }
    : null;
