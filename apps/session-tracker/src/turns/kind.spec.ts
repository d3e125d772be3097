import { EXCLUSIONS } from '@app/contracts';
import { isMainLine, unjudgedReason } from './kind';

describe('isMainLine', () => {
  it.each([
    ['main', true, true, true],
    ['main', true, false, true],
    ['main', false, false, true],
    ['main', false, true, false],
    ['side', true, true, false],
    ['side', false, false, false],
  ] as const)('kind %s, tools %s, client sends tools %s: %s', (kind, hasTools, clientSendsTools, expected) => {
    expect(isMainLine({ kind, hasTools }, clientSendsTools)).toBe(expected);
  });
});

describe('unjudgedReason', () => {
  it('has whole answers of the main line judged, with token ids or without, and no others', () => {
    expect(unjudgedReason(true, undefined)).toBeNull();
    expect(unjudgedReason(true, 'no_token_ids')).toBeNull();
    expect(unjudgedReason(false, undefined)).toBe('side_turn');
    expect(unjudgedReason(false, 'no_token_ids')).toBe('side_turn');
  });

  it.each(EXCLUSIONS.filter((exclusion) => exclusion !== 'no_token_ids'))(
    'is %s where the gateway says so',
    (reason) => {
      expect(unjudgedReason(true, reason)).toBe(reason);
      expect(unjudgedReason(false, reason)).toBe(reason);
    },
  );
});
