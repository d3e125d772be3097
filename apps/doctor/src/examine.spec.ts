import type { Check } from './check';
import { examine } from './examine';
import { failed, ok, unchecked, warning, type Finding } from './finding';
import type { Visit } from './visit';

const visit = {} as Visit;
const check = (id: string, needs: string[], look: () => Finding): Check => ({ id, title: `the ${id}`, needs, look });

describe('examine', () => {
  it('makes checks in their order, and tells each as soon as it is known', async () => {
    const told: string[] = [];
    const results = await examine(
      [check('a', [], () => ok('fine')), check('b', ['a'], () => warning('so so', 'do this'))],
      visit,
      ({ id, status }) => told.push(`${id} ${status}`),
    );
    expect(told).toEqual(['a ok', 'b warning']);
    expect(results[1]).toEqual({ id: 'b', title: 'the b', status: 'warning', seen: 'so so', remedy: 'do this' });
  });

  it("makes no check whose need has failed, and names what has; a warning stands in nobody's way", async () => {
    const look = jest.fn(() => ok('fine'));
    const results = await examine(
      [
        check('a', [], () => failed('broken', 'mend it')),
        check('w', [], () => warning('so so', 'do this')),
        check('b', ['w', 'a'], look),
        check('c', ['b'], look),
        check('d', ['w'], () => ok('made')),
      ],
      visit,
    );
    expect(results.map(({ status, seen, behind }) => [status, seen, behind])).toEqual([
      ['failed', 'broken', undefined],
      ['warning', 'so so', undefined],
      ['unchecked', 'not checked: the a has failed', 'a'],
      ['unchecked', 'not checked: the a has failed', 'a'],
      ['ok', 'made', undefined],
    ]);
    expect(look).not.toHaveBeenCalled();
  });

  it('says of what is not there why, also to what needs it', async () => {
    const [, second] = await examine(
      [check('a', [], () => unchecked('not running: npm start')), check('b', ['a'], () => ok('fine'))],
      visit,
    );
    expect(second).toMatchObject({ status: 'unchecked', seen: 'not running: npm start', behind: 'a' });
  });

  it('goes on behind a failure that nobody knows', async () => {
    const throwing = check('a', [], () => {
      throw new TypeError('what is that');
    });
    const results = await examine([throwing, check('b', [], () => ok('fine'))], visit);
    expect(results.map(({ status, seen }) => [status, seen])).toEqual([
      ['failed', 'TypeError: what is that'],
      ['ok', 'fine'],
    ]);
  });
});
