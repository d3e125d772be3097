import fc from 'fast-check';
import { nearestNameOrNull } from './nearest-name';

describe('nearestNameOrNull', () => {
  it.each([
    ['vote', 'votes'],
    ['vtoes', 'votes'],
    ['Votes', 'votes'],
    ['max_atempts', 'max_attempts'],
    ['timout_s', 'timeout_s'],
    ['colour', null],
    ['', null],
  ])('takes %j for %j', (word, name) => {
    expect(nearestNameOrNull(word, ['votes', 'timeout_s', 'max_attempts'])).toBe(name);
  });

  it('finds every name behind one slip of the fingers, unless another is as near', () => {
    const names = ['base_url', 'policy_model', 'rollout_steps', 'judge_api_key_env'];
    const slip = fc.record({ name: fc.constantFrom(...names), at: fc.nat(), letter: fc.constantFrom('x', 'q', '_') });
    fc.assert(
      fc.property(slip, ({ name, at, letter }) => {
        const place = at % name.length;
        for (const word of [
          name.slice(0, place) + name.slice(place + 1),
          name.slice(0, place) + letter + name.slice(place),
          name.slice(0, place) + letter + name.slice(place + 1),
        ])
          expect(nearestNameOrNull(word, names)).toBe(name);
      }),
    );
  });
});
