import { until } from '@app/testing';
import {
  alertExpressions,
  panelExpressions,
  recordedExpressions,
  selectorsIn,
  type Expression,
} from '../support/observability';
import { BATCH, BY_HAND, SAID, startDeployedStack, TALK, type DeployedStack } from './deployed-stack';
import { startPrometheus, type Prometheus } from './prometheus';

/** What has no series unless something goes wrong, which it does not here. */
const NOTHING_WRONG: Readonly<Record<string, string>> = {
  openclaw_rl_handler_errors_total: 'no handler fails',
};

const isExcused = ({ expr }: Expression): boolean => selectorsIn(expr).every((selector) => selector in NOTHING_WRONG);

jest.setTimeout(240_000);

let deployed: DeployedStack;
let prometheus: Prometheus;

beforeAll(async () => {
  deployed = await startDeployedStack();
  const { stack } = deployed;
  const hostsOf = (app: Parameters<typeof stack.of>[0]) => stack.of(app).map((each) => new URL(stack.urlOf(each)).host);
  prometheus = await startPrometheus({
    gateway: hostsOf('gateway'),
    'session-tracker': hostsOf('session-tracker'),
    'prm-judge': hostsOf('prm-judge'),
    'opd-teacher': hostsOf('opd-teacher'),
    'sample-submitter': hostsOf('sample-submitter'),
    trainer: [new URL(deployed.trainerUrl).host],
    'pocket-engine': [new URL(deployed.engineUrl).host],
  });
  // An increase needs a value before it: the second use is what is seen to happen.
  await deployed.use();
  await until(async () => (await valueOf('max(openclaw_rl_samples_acknowledged)')) === BY_HAND, {
    what: 'the first use has been scraped',
    timeoutMs: 30_000,
  });
  await deployed.use();
  await deployed.train();
});

afterAll(async () => {
  await prometheus.stop();
  await deployed.stop();
});

const valueOf = async (expr: string): Promise<number | null> => {
  const [series] = await prometheus.query(expr);
  return series === undefined ? null : Number(series.value[1]);
};

const hasSeries = (expr: string): Promise<boolean> =>
  until(async () => (await prometheus.query(expr)).length > 0, { what: expr, timeoutMs: 30_000, everyMs: 250 });

describe('after people, judges and a trainer have used the stack', () => {
  it.each(panelExpressions.filter((each) => !isExcused(each)))('the panel has something to show: $where', ({ expr }) =>
    expect(hasSeries(expr)).resolves.toBe(true),
  );

  it.each(recordedExpressions)('the rule has something to record: $where', ({ where, expr }) =>
    expect(Promise.all([hasSeries(expr), hasSeries(where)])).resolves.toEqual([true, true]),
  );

  it.each(alertExpressions)('the alert watches series that are there: $where', async ({ expr }) => {
    for (const selector of selectorsIn(expr)) {
      if (!(selector in NOTHING_WRONG)) await expect(hasSeries(selector)).resolves.toBe(true);
    }
  });

  it('every rule can be computed', async () => {
    const ailing = (await prometheus.rules()).filter(({ health }) => health !== 'ok');
    expect(ailing).toEqual([]);
    expect(await prometheus.rules()).toHaveLength(recordedExpressions.length + alertExpressions.length);
  });

  it('nothing fires but what tells of the one update that was refused', async () => {
    const firing = await prometheus.query('ALERTS{alertstate="firing"}');
    expect(firing.map(({ metric }) => metric.alertname)).toEqual(['UpdatesFail']);
  });

  it.each(Object.entries(NOTHING_WRONG))('%s is empty, since %s', async (selector) => {
    expect(await prometheus.query(selector)).toEqual([]);
  });

  const talks = (count: number): number => count * 3;
  const UPDATES_BY_HAND = 2;

  it.each([
    ['sum(openclaw_rl_chat_requests_total)', talks(TALK.chats) + UPDATES_BY_HAND],
    ['sum(openclaw_rl_chat_requests_total{stream="true"})', talks(1)],
    ['sum(openclaw_rl_gateway_overhead_seconds_count)', talks(TALK.chats) + UPDATES_BY_HAND],
    ['sum(openclaw_rl_turns_settled_total{outcome="sample"})', talks(TALK.samples)],
    ['sum(openclaw_rl_turns_settled_total{outcome="neutral"})', talks(1)],
    ['sum(openclaw_rl_turns_disputed_total)', talks(TALK.disputed)],
    ['sum(openclaw_rl_turns_hinted_total{result="hinted"})', talks(TALK.hinted)],
    ['sum(openclaw_rl_samples_total{signal="both"})', talks(TALK.hinted)],
    ['sum(openclaw_rl_capture_dropped_total)', 0],
    ['sum(openclaw_rl_turns_settled_total{outcome="dead_letter"})', 0],
    ['sum(openclaw_rl_chat_requests_total{status=~"5.."})', 0],
    ['max(openclaw_rl_samples_acknowledged)', UPDATES_BY_HAND * BY_HAND + BATCH],
    ['min(openclaw_rl_policy_version)', UPDATES_BY_HAND + 1],
    ['sum(openclaw_rl_policy_updates_total{outcome="committed"})', UPDATES_BY_HAND + 1],
    ['max(openclaw_rl_samples_waiting)', 0],
    // The trainer began with weights that updates by hand have replaced: it finds that out, and trains again from those.
    ['sum(openclaw_rl_policy_updates_total{outcome="aborted"})', 1],
    ['sum(openclaw_rl_training_rounds_total{outcome="failed"})', 1],
    ['sum(openclaw_rl_training_rounds_total{outcome="trained"})', 1],
    ['max(openclaw_rl_training{kind="samples"})', BATCH],
    ['max(openclaw_rl_training{kind="skipped"})', 0],
    ['sum(openclaw_rl_records_total{result="written"})', talks(TALK.samples + 3)],
    ['sum(openclaw_rl_feedback_total{fate="used"})', talks(1)],
    ['max(openclaw_rl_consumer_pending)', 0],
    ['count(openclaw_rl_bus_up == 1)', 6],
    ['count(openclaw_rl_judge_breaker_open{job="prm-judge"})', 2],
  ])('%s is %d', async (expr, value) => {
    await until(async () => (await valueOf(expr)) === value, { what: `${expr} is ${value}`, timeoutMs: 30_000 });
  });

  it('counts the tokens that the engine said it used', async () => {
    await expect(valueOf('sum(openclaw_rl_tokens_total{kind="prompt"})')).resolves.toBeGreaterThan(0);
    await expect(valueOf('sum(openclaw_rl_tokens_total{kind="completion"})')).resolves.toBeGreaterThan(0);
  });

  it('has a panel for every number that the trainer tells of a round', async () => {
    const told = (await prometheus.query('openclaw_rl_training')).map(({ metric }) => metric.kind);
    const shown = panelExpressions.map(({ expr }) => /openclaw_rl_training\{kind="(\w+)"\}/.exec(expr)?.[1]);
    expect(told.length).toBeGreaterThan(0);
    expect([...new Set(shown)].filter((kind) => kind !== undefined).sort()).toEqual([...new Set(told)].sort());
  });

  it('finds the log-probs of the engine and of the trainer equal', async () => {
    await expect(valueOf('max(openclaw_rl_training{kind="log_prob_difference"})')).resolves.toBeLessThan(1e-4);
  });

  it('measures the store', async () => {
    await expect(valueOf('max(openclaw_rl_store_limit_bytes{stream="RL_TURNS"})')).resolves.toBe(
      Math.floor(1024 ** 3 * 0.4),
    );
    await expect(valueOf('max(openclaw_rl_store_bytes{stream="RL_TURNS"})')).resolves.toBeGreaterThan(0);
  });

  it('every process has logged JSON, and no word of a conversation', () => {
    const logs = Object.entries(deployed.logs());
    expect(logs).toHaveLength(7);
    for (const [name, text] of logs) {
      const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('ready on '));
      expect([name, lines.length > 0]).toEqual([name, true]);
      for (const line of lines)
        expect(JSON.parse(line)).toMatchObject({ level: expect.any(String), msg: expect.any(String) });
      expect([name, SAID.test(text)]).toEqual([name, false]);
    }
  });

  it('logs carry the id of the turn that they are about, so that it can be followed through every service', () => {
    const servicesOf = new Map<string, Set<string>>();
    for (const [name, text] of Object.entries(deployed.logs())) {
      for (const line of text.split('\n').filter((each) => each.startsWith('{'))) {
        const { turn, msg } = JSON.parse(line) as { turn?: string; msg: string };
        expect([msg, turn !== undefined]).toEqual([msg, msg.includes('rl.turn.')]);
        if (turn !== undefined)
          servicesOf.set(turn, (servicesOf.get(turn) ?? new Set()).add(name.replace(/-\d+$/, '')));
      }
    }
    const ways = [...servicesOf.values()].map((services) => [...services].sort());
    expect(ways).toContainEqual(['gateway', 'opd-teacher', 'prm-judge', 'sample-submitter', 'session-tracker']);
  });
});
