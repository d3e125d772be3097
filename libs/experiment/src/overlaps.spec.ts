import { drawComplaint, drawDocument, seededRandom } from '@app/pocket-lm';
import { drawErrand, ROLES } from './errand';
import { drawExam } from './exam';

const DRAWS = 6000;
const draws = <T>(count: number, draw: () => T): T[] => Array.from({ length: count }, draw);
const sentencesOf = (text: string): string[] =>
  (text.match(/[^.!?]+[.!?]+/g) ?? []).map((sentence) => sentence.trim().toLowerCase());

/** What the exam, the people and the corpus have in common, of many draws of each. */
describe('overlaps', () => {
  const random = seededRandom(77);
  const exam = new Set([...drawExam(1, 300), ...drawExam(2, 300)].map(({ core }) => core));
  const corpus = draws(DRAWS, () => drawDocument(random).messages.map(({ content }) => content)).flat();
  const asked = draws(DRAWS, () => ROLES.map((role) => drawErrand(role, random, 'training').core)).flat();
  // Hints are made of the complaints' own sentences, so these are the hints too.
  const said = new Set(
    draws(DRAWS, () => (['student', 'friendly'] as const).map((style) => drawComplaint(style, random, 'held-out')))
      .flat()
      .flatMap(sentencesOf),
  );
  const corpusSentences = corpus.flatMap(sentencesOf);

  it.each([
    [
      'questions of the exam in the corpus',
      () => corpus.filter((text) => [...exam].some((core) => text.includes(core))),
    ],
    ['questions of the exam that people ask', () => asked.filter((core) => exam.has(core))],
    ['sentences of complaints and hints in the corpus', () => corpusSentences.filter((sentence) => said.has(sentence))],
    [
      'sentences of complaints and hints in the exam',
      () => [...exam].flatMap(sentencesOf).filter((each) => said.has(each)),
    ],
  ])('%s: 0', (what, find) => {
    const found = find();
    process.stdout.write(`overlap, ${what}: ${found.length}\n`);
    expect(found).toEqual([]);
  });

  it('are looked for among many', () => {
    expect(exam.size).toBeGreaterThan(400);
    expect(said.size).toBeGreaterThan(1000);
    expect(new Set(asked).size).toBeGreaterThan(5000);
  });
});
