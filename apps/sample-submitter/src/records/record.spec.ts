import { toRecord, type RecordParts } from './record';

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

  it.each([
    ['side_turn', 'side'],
    ['upstream_error', 'main'],
  ] as const)('calls a turn that was settled as %s %s, and says null for tokens that were not kept', (reason, kind) => {
    const record = toRecord({
      session: 'session',
      settled: { turnId: 'turn', kind: 'reason', reason, settledAt: 7 },
      turn: {
        info: { kind: 'main' },
        body: { head: {}, arrays: { promptIds: new Int32Array(), responseIds: new Int32Array() } },
      } as unknown as RecordParts['turn'],
      judgement: null,
      hinted: null,
      nextState: null,
    });
    expect(record).toMatchObject({ kind, prompt_tokens: null, response_tokens: null });
  });
});
