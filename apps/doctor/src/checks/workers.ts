import type { Settings } from '@app/config';
import { CONSUMERS, type ConsumerDefinition } from '@app/contracts';
import { obeysGate, planPools } from '@app/pools';
import type { Check } from '../check';
import { failed, ok, unchecked, warning, worstOf, type Finding } from '../finding';
import type { Visit } from '../visit';
import { isGateClosed } from './gate';

/** How often a queue is looked at, since a worker that has just been given something asks again at once. */
const LOOKS = 10;
const PAUSE_MS = 300;

/** A queue, and whether a service takes work off it. */
export interface Queue {
  readonly app: string;
  readonly isServed: boolean;
  /** Messages that nobody has been given yet. */
  readonly pending: number;
  /** It stands still as long as the update gate is closed, as it should. */
  readonly isGated?: boolean;
}

export const judgeQueues = (queues: readonly Queue[], deadLetters: number): Finding => {
  const idle = queues.filter(({ isServed }) => !isServed);
  const findings = idle.map(({ app, pending, isGated }) =>
    isGated === true
      ? warning(`${app} waits for the update gate`, 'see the line about the update gate')
      : failed(
          `${app} takes no work${pending === 0 ? '' : `, and ${pending} messages wait`}`,
          'it does not run, or waits for an engine that is out of order: its log lines say which',
        ),
  );
  const behind = queues.filter(({ isServed, pending }) => isServed && pending > 1000);
  findings.push(
    ...behind.map(({ app, pending }) =>
      warning(`${app} is ${pending} messages behind`, 'start more replicas of it, or raise judge.concurrency'),
    ),
  );
  if (deadLetters > 0) {
    findings.push(
      warning(
        `messages that could not be handled: ${deadLetters} (stream RL_DEAD)`,
        'the log lines of the services say why; their turns are counted dead_letter',
      ),
    );
  }
  return findings.length > 0 ? worstOf(findings) : ok(`${queues.map(({ app }) => app).join(', ')} take work`);
};

const wanted = ({ rl }: Settings): readonly ConsumerDefinition[] => [
  CONSUMERS.trackerTurns,
  ...(rl.asksJudge ? [CONSUMERS.judge] : []),
  ...(rl.asksTeacher ? [CONSUMERS.teacher] : []),
  CONSUMERS.submitter,
];

type Manager = Awaited<ReturnType<Visit['bus']['session']>>['jsm'];

const lookAt = async (jsm: Manager, { stream, durable: app }: ConsumerDefinition): Promise<Queue> => {
  let pending = 0;
  for (let look = 0; look < LOOKS; look += 1) {
    const info = await jsm.consumers.info(stream, app).catch(() => null);
    pending = info?.num_pending ?? 0;
    // Asking for work, or at work.
    if (info !== null && (info.num_waiting > 0 || info.num_ack_pending > 0)) return { app, isServed: true, pending };
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return { app, isServed: false, pending };
};

/** Who asks the policy's own engines stands still while these take new weights. */
const gatedApps = (settings: Settings): readonly string[] => {
  const plan = planPools(settings);
  const isJudgeGated = obeysGate(plan, plan.judgeUrls);
  const isTeacherGated = isJudgeGated || settings.opd.teacher === 'policy';
  return [...(isJudgeGated ? [CONSUMERS.judge.durable] : []), ...(isTeacherGated ? [CONSUMERS.teacher.durable] : [])];
};

const look = async (visit: Visit): Promise<Finding> => {
  const { bus, settings } = visit;
  const { jsm } = await bus.session();
  const dead = await jsm.streams.info('RL_DEAD').catch(() => null);
  if (dead === null) return unchecked('the streams are not there yet: npm start');
  const wasClosed = await isGateClosed(visit);
  const queues = await Promise.all(wanted(settings).map((each) => lookAt(jsm, each)));
  const isClosed = wasClosed || (await isGateClosed(visit));
  const gated = isClosed ? gatedApps(settings) : [];
  return judgeQueues(
    queues.map((queue) => ({ ...queue, isGated: gated.includes(queue.app) })),
    dead.state.messages,
  );
};

export const workersCheck: Check = { id: 'workers', title: 'services', needs: ['gateway', 'jetstream'], look };
