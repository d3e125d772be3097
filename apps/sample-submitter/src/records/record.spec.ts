import { toRecord } from './record';

describe('toRecord', () => {
  it('says null for everything of a turn that was never stored', () => {
    const record = toRecord({
      session: 'session',
      settled: { turnId: 'turn', kind: 'reason', reason: 'gateway_lost', settledAt: 7 },
      turn: null,
      judgement: null,
      hinted: null,
      nextState: null,
    });
    expect(record).toMatchObject({
      turn_id: 'turn',
      session_key: 'session',
      settled_at: 7,
      outcome: 'reason',
      reason: 'gateway_lost',
      score: null,
    });
    expect(Object.values(record)).not.toContain(undefined);
  });
});
