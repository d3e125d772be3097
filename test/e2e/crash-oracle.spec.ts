import type { TurnSettledInfo } from '@app/contracts';
import type { Attempt, Life } from '../crash/ledger';
import { judgeRun, type Evidence } from '../crash/oracle';
import type { SessionPlan, Step } from '../crash/plan';
import type { Truth } from '../crash/truth';

const step: Step = {
  role: 'user',
  text: 'thanks',
  score: 1,
  asksForTool: false,
  abandonsBefore: false,
  asideBefore: false,
  thinkMs: 0,
};
const session: SessionPlan = { id: 's', style: 'plain', stream: false, steps: [step, step, step] };

const attempt = (turnId: string, index: number, gateway: Life): Attempt => ({
  client: 0,
  session,
  step: index,
  purpose: 'main',
  gateway,
  body: {},
  startedAt: 10_000 * (index + 1),
  endedAt: 10_000 * (index + 1) + 500,
  ending: 'finished',
  turnId,
  answer: null,
  note: '',
});

const reason = (turnId: string): TurnSettledInfo => ({ turnId, kind: 'reason', reason: 'no_next_state', settledAt: 1 });

const truth = (recorded: readonly string[]): Truth => ({
  arrived: new Set(recorded),
  completed: new Set(recorded),
  settled: new Map(recorded.map((id) => [id, reason(id)])),
  deadLetters: [],
  removed: { RL_TURNS: 0, RL_FOLLOWS: 0, RL_VERDICTS: 0, RL_SAMPLES: 0, RL_POLICY: 0, RL_DEAD: 0 },
});

const alive: Life = { service: 'gateway-1', startedAt: 0 };
const killed: Life = { service: 'gateway-2', startedAt: 0, killedAt: 21_000 };

const violations = (recorded: readonly string[], followersGateway: Life): readonly string[] => {
  const attempts = [attempt('first', 0, alive), attempt('second', 1, followersGateway)];
  const evidence: Evidence = { attempts, truth: truth(recorded), outages: [], idleMs: 100_000 };
  return judgeRun(evidence).violations;
};

describe('the oracle of the crash tests', () => {
  it('excuses a turn without next state if the request after it went down with its gateway', () => {
    expect(violations(['first'], killed)).toEqual([]);
  });

  it('does not excuse it if that request is recorded', () => {
    expect(violations(['first', 'second'], killed)).toEqual([
      'main turn first (client 0, plain session s, step 0, gateway-1) became "no_next_state", expected sample +1',
    ]);
  });

  it('does not excuse it if the gateway of that request lives', () => {
    expect(violations(['first'], alive)).toEqual([
      'main turn first (client 0, plain session s, step 0, gateway-1) became "no_next_state", expected sample +1',
      'main turn second (client 0, plain session s, step 1, gateway-1) became "unrecorded", expected no_next_state',
    ]);
  });

  it.each([
    [400, []],
    [
      600,
      ['main turn slow (client 0, plain session s, step 0, gateway-1) became "gateway_lost", expected no_next_state'],
    ],
  ])(
    'excuses a lost turn whose answer took 500 ms only where that is more than the %d ms allowed',
    (idleMs, expected) => {
      const settled: TurnSettledInfo = { turnId: 'slow', kind: 'reason', reason: 'gateway_lost', settledAt: 1 };
      const books = { ...truth(['slow']), settled: new Map([['slow', settled]]) };
      const evidence: Evidence = { attempts: [attempt('slow', 0, alive)], truth: books, outages: [], idleMs };
      expect(judgeRun(evidence).violations).toEqual(expected);
    },
  );
});
