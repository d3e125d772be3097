import { EXCLUSIONS } from '@app/contracts';
import { isJudged, isMainLine } from './kind';

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

describe('isJudged', () => {
  it('judges whole answers of the main line, with token ids or without', () => {
    expect(isJudged(true, undefined)).toBe(true);
    expect(isJudged(true, 'no_token_ids')).toBe(true);
    expect(isJudged(false, undefined)).toBe(false);
  });

  it.each(EXCLUSIONS.filter((exclusion) => exclusion !== 'no_token_ids'))(
    'does not judge a turn that is %s',
    (exclusion) => {
      expect(isJudged(true, exclusion)).toBe(false);
    },
  );
});
