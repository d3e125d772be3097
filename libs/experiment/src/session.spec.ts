import { seededRandom } from '@app/pocket-lm';
import { ROLES } from './errand';
import { Session } from './session';

const GOOD = { student: /^(Thanks|Thank|Great|Perfect|Exactly|Well|I can|That is great)/ } as const;
const assistant = '**1 + 1 = 2**\nFinal answer: 2';

/** What a person says to the same answer again and again. */
const says = (session: Session, answer: string): string[] => {
  const said: string[] = [];
  for (let word: string | null = session.opening; word !== null; word = session.react(answer)) said.push(word);
  return said;
};
const sessions = (role: (typeof ROLES)[number], count = 200): Session[] =>
  Array.from({ length: count }, (_, seed) => new Session(role, seededRandom(seed)));

describe('Session', () => {
  it.each(ROLES)('of a %s takes several turns and ends', (role) => {
    const lengths = sessions(role).map((session) => says(session, assistant).length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(6);
    expect(lengths.filter((length) => length >= 4).length).toBeGreaterThan(150);
  });

  it('thanks for what is right and as a student would write, and asks the next thing with it', () => {
    const replies = sessions('student').map((session) => {
      const [a, b] = session.opening.match(/\d+/g)!.map(Number) as [number, number];
      // Right for one of the operations; the others are told that it is wrong.
      return session.react(`I did ${a} + ${b} = ${a + b}, so ${a + b}`) ?? '';
    });
    const thanked = replies.filter((reply) => GOOD.student.test(reply));
    expect(thanked.length).toBeGreaterThan(30);
    for (const reply of thanked) expect(reply).toMatch(/\d/);
    expect(replies.filter((reply) => /wrong|not right|incorrect|not quite/.test(reply)).length).toBeGreaterThan(60);
  });

  it('complains in many words about what is not as wanted, and says how it should be', () => {
    const complaints = sessions('student', 400).map((session) => session.react(assistant) ?? '');
    expect(new Set(complaints).size).toBeGreaterThan(250);
    const wishes = complaints.filter((complaint) =>
      /student|kid|plain|bold|steps|Final answer|greeting/.test(complaint),
    );
    expect(wishes.length).toBeGreaterThan(330);
  });

  it('is the same for a seed', () => {
    const [one, other] = [1, 1].map((seed) => says(new Session('teacher', seededRandom(seed)), 'Wrong.'));
    expect(one).toEqual(other);
  });
});
