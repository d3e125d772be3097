import fc from 'fast-check';
import { clientKey, isSubjectToken, narrowKey, responseKey, rootSessionKey, scopeOf, sessionKey } from './ids';

const text = fc.oneof(fc.string(), fc.constantFrom('', ':', '0:', '1:a', 'session', 'a.b', '*', '>', 'agent:main:t1'));

describe('ids', () => {
  const makers = [sessionKey, clientKey, narrowKey, responseKey];

  it('are safe as subject tokens and as keys of a bucket, whatever they are made of', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const ids = [
          ...makers.map((make) => make(a, b)),
          rootSessionKey(a),
          scopeOf({ apiKey: a }),
          scopeOf({ address: a }),
        ];
        for (const id of ids) expect(id).toMatch(/^[-\w]{32}$/);
        expect(ids.every(isSubjectToken)).toBe(true);
      }),
    );
  });

  it('are the same for the same and differ for anything else, wherever the border lies', () => {
    fc.assert(
      fc.property(text, text, text, text, (a, b, c, d) => {
        for (const make of makers) expect(make(a, b) === make(c, d)).toBe(a === c && b === d);
      }),
    );
    expect(sessionKey('ab', 'c')).not.toBe(sessionKey('a', 'bc'));
    expect(sessionKey('a', '1:b')).not.toBe(sessionKey('a1:', 'b'));
  });

  it('of one kind are never ids of another', () => {
    const all = [
      ...makers.map((make) => make('a', 'b')),
      rootSessionKey('a'),
      scopeOf({ apiKey: 'a' }),
      scopeOf({ address: 'a' }),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  it('do not show what they are made of', () => {
    expect(scopeOf({ apiKey: 'sk-secret' })).not.toContain('secret');
  });

  it('stay what they are: stored sessions and chains are found by them', () => {
    expect(scopeOf({ apiKey: 'k' })).toBe('n3baaXzeMhLpdx4gtQSmxq7XNdYKJ-j_');
    expect(scopeOf({ address: '127.0.0.1' })).toBe('QJwE1t41M-6J2--hcYxAarocQcTmPdFb');
    expect(sessionKey('scope', 't1')).toBe('Ke8ehMUazRA_9XeNBgaViHuTYemKjb3U');
    expect(rootSessionKey('turn')).toBe('l6Yq6h-zsCbM3T3GB0SF9YfxmtLRQZvi');
  });
});

describe('isSubjectToken', () => {
  it.each(['a', 'A-b_9', '018f-uuid', 'x'.repeat(64)])('takes %s', (id) => {
    expect(isSubjectToken(id)).toBe(true);
  });

  it.each(['', 'a.b', '*', '>', 'a b', 'a\n', '\na', 'é', 'a/b', 'x'.repeat(65), '$JS'])('refuses %j', (id) => {
    expect(isSubjectToken(id)).toBe(false);
  });
});
