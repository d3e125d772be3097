import { turnSpanIds } from './turn-ids';

describe('turnSpanIds', () => {
  it('is the turn’s id as W3C writes ids', () => {
    expect(turnSpanIds('0b6f3c1a-8f5e-4d7b-9a3c-5e1d2f4a6b8c')).toEqual({
      traceId: '0b6f3c1a8f5e4d7b9a3c5e1d2f4a6b8c',
      spanId: '9a3c5e1d2f4a6b8c',
    });
  });

  it.each(['', 'turn-1', '0b6f3c1a8f5e4d7b9a3c5e1d2f4a6b8c', '0B6F3C1A-8F5E-4D7B-9A3C-5E1D2F4A6B8C'])(
    'is nothing for %p, which no gateway gives',
    (turnId) => {
      expect(turnSpanIds(turnId)).toBeNull();
    },
  );
});
