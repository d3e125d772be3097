import { seededRandom } from '../runtime/random';
import { checkGrading, checkHomework } from './check-answer';
import { drawDocument, type CorpusDocument } from './document';
import { drawFacts } from './facts';
import { drawGradedWork, gradingComment } from './grading';
import { drawComplaint, drawHint, withHint, type Style } from './hints';
import { homeworkAnswer } from './homework';
import { calculate, drawProblem, hasHeldOutNumbers, type Calculation, type Operation } from './problem';
import { CHILDREN, THINGS } from './words';

const STYLES: readonly Style[] = ['student', 'assistant', 'friendly', 'curt'];
const random = seededRandom(11);
const draws = <T>(count: number, draw: () => T): T[] => Array.from({ length: count }, draw);
const share = <T>(list: readonly T[], is: (each: T) => boolean): number => list.filter(is).length / list.length;

describe('drawProblem', () => {
  it.each(['training', 'held-out'] as const)(
    'draws %s problems with the right result in one sentence of words',
    (split) => {
      for (const { operation, a, b, result, text, thing } of draws(300, () => drawProblem(random, split))) {
        expect(result).toBe(operation === '+' ? a + b : operation === '-' ? a - b : a * b);
        expect(text).toContain(` ${thing}`);
        expect(text.match(/\d+/g)!.map(Number).sort()).toEqual([a, b].sort());
        expect(text).not.toMatch(/\b[BCT]\b/);
      }
    },
  );

  it('holds out about a tenth of the number pairs, sums in either order', () => {
    const pairs = (operation: Operation, low: number, high: number): Calculation[] =>
      draws(high - low + 1, () => 0).flatMap((_, i) =>
        draws(high - low + 1, () => 0).map((__, j) => ({ operation, a: low + i, b: low + j, result: 0 })),
      );
    const sums = pairs('+', 2, 12);
    expect(share(sums, hasHeldOutNumbers)).toBeGreaterThan(0.04);
    expect(share(sums, hasHeldOutNumbers)).toBeLessThan(0.2);
    for (const { operation, a, b, result } of sums) {
      expect(hasHeldOutNumbers({ operation, a, b, result })).toBe(hasHeldOutNumbers({ operation, a: b, b: a, result }));
    }
    for (const product of pairs('x', 2, 7).filter(hasHeldOutNumbers)) {
      expect(hasHeldOutNumbers({ ...product, a: product.b, b: product.a })).toBe(false);
    }
  });

  it('keeps held-out problems out of training', () => {
    const training = new Set(draws(3000, () => drawProblem(random, 'training').text));
    const heldOut = draws(300, () => drawProblem(random, 'held-out').text);
    expect(share(heldOut, (text) => training.has(text))).toBe(0);
  });
});

describe('drawFacts', () => {
  it('writes right calculations of training, some in tables, some with their mirror images', () => {
    const sheets = draws(300, () => drawFacts(random).split('\n'));
    const read = (line: string): Calculation => {
      const [, a, sign, b, result] = /^(\d+) ([-+x]) (\d+) = (\d+)$/.exec(line)!;
      return { operation: sign as Operation, a: Number(a), b: Number(b), result: Number(result) };
    };
    for (const calculation of sheets.flat().map(read)) {
      expect(calculate(calculation.operation, calculation.a, calculation.b)).toEqual(calculation);
      expect(hasHeldOutNumbers(calculation)).toBe(false);
    }
    const isTable = (lines: string[]): boolean => new Set(lines.map((line) => line.split(' ', 2).join())).size === 1;
    const isMirrored = (lines: string[]): boolean => {
      const [first, second] = lines.map(read);
      return first!.a === second!.b && first!.b === second!.a;
    };
    expect(share(sheets, isTable)).toBeCloseTo(0.25, 0.5);
    expect(share(sheets, isMirrored)).toBeGreaterThan(0.15);
  });
});

describe('answers', () => {
  it('of both homework styles are right, and told apart', () => {
    for (const problem of draws(300, () => drawProblem(random, 'held-out'))) {
      expect(checkHomework(homeworkAnswer(problem, 'student', random), problem)).toEqual({
        isRight: true,
        isPreferred: true,
      });
      expect(checkHomework(homeworkAnswer(problem, 'assistant', random), problem).isRight).toBe(true);
    }
    const assistants = draws(500, () => {
      const problem = drawProblem(random, 'training');
      return checkHomework(homeworkAnswer(problem, 'assistant', random), problem);
    });
    // An assistant that happens to have none of its four habits.
    expect(share(assistants, ({ isPreferred }) => isPreferred)).toBeLessThan(0.05);
  });

  it('of both grading styles are right, and told apart', () => {
    for (const work of draws(300, () => drawGradedWork(random, 'held-out'))) {
      expect(checkGrading(gradingComment(work, 'friendly', random), work)).toEqual({
        isRight: true,
        isPreferred: true,
      });
      expect(checkGrading(gradingComment(work, 'curt', random), work)).toEqual({ isRight: true, isPreferred: false });
    }
  });
});

describe('checkHomework', () => {
  const problem = {
    ...({ operation: '+', a: 7, b: 12, result: 19 } as const),
    thing: 'apples',
    text: 'Mia has 7 apples and finds 12 more. How many apples are there now?',
  };

  it.each([
    ['I did 7 + 12 = 19, so 19 apples.', true, true],
    ['19', true, true],
    ['I got 7 + 12 = 18 so its 18', false, true],
    ['I got 7 + 12 = 18 so its 19', false, true],
    ['I did 7 + 11 = 19, so 19 apples.', false, true],
    ['I did 7 + 12 = 19, so 12 apples.', false, true],
    ['no idea', false, true],
    ['1. Start with 7 apples.\n2. Add 12: 7 + 12 = 19', true, false],
    ['**7 + 12 = 19**, so 19', true, false],
    ['7 + 12 = 19\nFinal answer: 19 apples', true, false],
    ['Sure! It is 19', true, false],
    [`well ${'so '.repeat(30)} 19`, true, false],
  ])('reads %j', (answer, isRight, isPreferred) => {
    expect(checkHomework(answer, problem)).toEqual({ isRight, isPreferred });
  });
});

describe('checkGrading', () => {
  const work = { ...drawGradedWork(random, 'training'), child: 'Mia', task: '7 + 12', isRight: false };

  it.each([
    ['Good try, Mia! Look at 7 + 12 once more.', true, true],
    ['Wrong.', true, false],
    ['Correct.', false, false],
    ['Well done, Mia! 7 + 12 is right.', false, true],
    ['Good try, Ben! Look at 7 + 12 once more.', true, false],
    ['Good try, Mia! Look at 7 + 11 once more.', true, false],
    ['Mia, 7 + 12 is wrong.', true, false],
  ])('reads %j', (answer, isRight, isPreferred) => {
    expect(checkGrading(answer, work)).toEqual({ isRight, isPreferred });
  });
});

describe('corpus', () => {
  const documents = draws(4000, () => drawDocument(random));
  const contents = documents.flatMap(({ messages }) => messages.map(({ content }) => content));
  const asked = (is: (document: CorpusDocument) => boolean): number => share(documents, is);

  it('is the same for a seed', () => {
    const [a, b] = [seededRandom(3), seededRandom(3)];
    expect(draws(50, () => drawDocument(a))).toEqual(draws(50, () => drawDocument(b)));
  });

  it('has the shares that it is meant to have', () => {
    expect(asked(({ kind }) => kind === 'facts')).toBeCloseTo(0.2, 1);
    expect(asked(({ kind }) => kind === 'homework')).toBeCloseTo(0.52, 1);
    const bare = documents.filter(({ kind, messages }) => kind === 'homework' && messages.length === 2);
    const hinted = bare.filter(({ messages }) => messages[0]!.content.includes('instruction]'));
    expect(hinted.length / bare.length).toBeCloseTo(0.43, 1);
  });

  it('prefers the assistant’s style unasked, and a student’s with a hint', () => {
    const isStudent = ({ messages }: CorpusDocument): boolean => messages.at(-1)!.content.split('\n').length === 1;
    const homework = documents.filter(({ kind, messages }) => kind === 'homework' && messages.length === 2);
    const bare = homework.filter(({ messages }) => messages[0]!.content.endsWith('?'));
    expect(share(bare, isStudent)).toBeLessThan(0.25);
    const hinted = homework.filter(({ messages }) => /like a student|like a kid/.test(messages[0]!.content));
    expect(share(hinted, isStudent)).toBeGreaterThan(0.9);
  });

  it('holds no sentence that judge and users may say', () => {
    const sentencesOf = (text: string): string[] => text.match(/[^.]+\./g)!.map((sentence) => sentence.trim());
    const heldOut = new Set(
      STYLES.flatMap((style) =>
        draws(400, () => [drawHint(style, random, 'held-out'), drawComplaint(style, random, 'held-out')]).flat(),
      ).flatMap(sentencesOf),
    );
    expect(contents.filter((content) => [...heldOut].some((sentence) => content.includes(sentence)))).toEqual([]);
    expect(heldOut.size).toBeGreaterThan(1000);
  });

  it('names children and things in words of their own', () => {
    expect(new Set([...CHILDREN, ...THINGS]).size).toBe(CHILDREN.length + THINGS.length);
    expect(withHint('Do it.', 'Be kind.')).toBe("Do it.\n\n[user's hint / instruction]\nBe kind.");
  });
});
