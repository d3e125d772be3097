import type { TurnRow, UpdateRow } from '@app/contracts';
import { byVersion } from './learning';

const row = (policyVersion: number, more: Partial<TurnRow>): TurnRow =>
  ({ policyVersion, kind: 'main', fate: 'open', score: null, settledScore: null, settledAt: null, ...more }) as TurnRow;
const update = (version: number, endedAt: number): UpdateRow => ({ version, endedAt }) as UpdateRow;

test('means are of what is known, and a sample is as old as the updates that ended before it was settled', () => {
  const rows = [
    row(0, { score: 1, fate: 'sample', settledScore: 1, settledAt: 5 }),
    row(0, { score: -1, fate: 'sample', settledScore: -1, settledAt: 25 }),
    row(0, { score: 0, fate: 'neutral', settledAt: 30 }),
    row(0, { kind: 'side', fate: 'side_turn', settledAt: 1 }),
    row(1, {}),
  ];
  expect(byVersion(rows, [update(1, 10), update(2, 20)])).toEqual([
    { version: 0, turns: 3, judged: 3, meanScore: 0, samples: 2, meanReward: 0, staleness: 1 },
    { version: 1, turns: 1, judged: 0, meanScore: null, samples: 0, meanReward: null, staleness: null },
  ]);
});
