import { svgChart, textChart } from './chart';
import { drawExam, gradeExam } from './exam';

describe('drawExam', () => {
  it('draws so many different errands, half of each role, the same for a seed', () => {
    const exam = drawExam(5, 60);
    expect(new Set(exam.map(({ request }) => request)).size).toBe(60);
    expect(exam.filter(({ role }) => role === 'teacher')).toHaveLength(30);
    expect(drawExam(5, 60).map(({ request }) => request)).toEqual(exam.map(({ request }) => request));
    expect(drawExam(6, 60).map(({ request }) => request)).not.toEqual(exam.map(({ request }) => request));
  });
});

describe('gradeExam', () => {
  const check = (isRight: boolean, isPreferred: boolean) => ({
    ...({ role: 'student', request: '?', core: '?' } as const),
    check: (answer: string) => ({ isRight: isRight && answer === 'a', isPreferred }),
  });

  it('takes the share of answers that are right and as wanted', () => {
    const errands = [check(true, true), check(true, false), check(false, true), check(true, true)];
    expect(gradeExam(errands, ['a', 'a', 'a', 'b'])).toEqual({ score: 0.25, right: 0.5, preferred: 0.75 });
    expect(gradeExam(errands, [])).toEqual({ score: 0, right: 0, preferred: 0.75 });
  });
});

describe('charts', () => {
  it('show a line an update as text', () => {
    expect(textChart([0, 0.5])).toBe(`  0  0.00  \n  1  0.50  ${'█'.repeat(25)}`);
  });

  it('draw each curve from left to right, at its height', () => {
    const svg = svgChart('a < b', [
      { name: 'one', values: [0, 1] },
      { name: 'two', values: [0.5, 0.5, 0.5] },
    ]);
    expect(svg).toContain('a &#60; b');
    const curves = [...svg.matchAll(/points="([^"]*)"/g)].map(([, points = '']) => points.split(' '));
    expect(curves).toEqual([
      ['48.0,312.0', '320.0,48.0'],
      ['48.0,180.0', '320.0,180.0', '592.0,180.0'],
    ]);
  });

  it('draw curves that belong together in one colour, and break the lines of those that are to be told apart', () => {
    const svg = svgChart('both', [
      { name: 'one', values: [0, 1] },
      { name: 'two', values: [0, 1] },
      { name: 'one, noisy', values: [0, 1], colour: 0, dash: '6 4' },
    ]);
    const [one, two, noisy] = [...svg.matchAll(/<polyline [^>]*stroke="([^"]*)"[^>]*>/g)];
    expect(noisy![1]).toBe(one![1]);
    expect(two![1]).not.toBe(one![1]);
    expect(noisy![0]).toContain('stroke-dasharray="6 4"');
    expect(one![0]).not.toContain('dasharray');
  });
});
