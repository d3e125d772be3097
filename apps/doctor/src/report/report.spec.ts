import type { Result } from '../check';
import { behindLines, reportJson, resultLines, summaryLine } from './report';

const RESULTS: readonly Result[] = [
  { id: 'node', title: 'Node', status: 'ok', seen: 'Node 24.21.0' },
  {
    id: 'judge-form',
    title: "judge's verdicts",
    status: 'failed',
    seen: 'no verdict',
    remedy: 'set judge.format',
    quote: 'Well.\nGood.',
  },
  { id: 'turn', title: 'a whole turn', status: 'unchecked', seen: 'not running: npm start' },
];

describe('the report', () => {
  it('has a line for each result, and below it what to do and what a model has said', () => {
    expect(RESULTS.map(resultLines).join('\n')).toBe(
      [
        'ok       Node                      Node 24.21.0',
        "FAILED   judge's verdicts          no verdict",
        '         -> set judge.format',
        '         its answer: Well.',
        '                     Good.',
        '-        a whole turn              not running: npm start',
      ].join('\n'),
    );
  });

  it('shows each problem of several on a line of its own', () => {
    const settings = { id: 'settings', title: 'settings', status: 'failed' as const, seen: 'one\ntwo', remedy: 'mend' };
    expect(resultLines(settings).split('\n')[1]).toBe(`${' '.repeat(35)}two`);
  });

  it('says once what was not looked at, and what stood in the way', () => {
    const result = (id: string, status: Result['status'], behind?: string): Result => ({
      ...{ id, title: `the ${id}`, status, seen: 'seen' },
      ...(behind === undefined ? {} : { behind }),
    });
    const results = [
      ...[result('a', 'failed'), result('n', 'unchecked'), result('b', 'unchecked', 'a')],
      ...[result('j', 'unchecked', 'n'), result('c', 'unchecked', 'a'), result('d', 'failed')],
    ];
    expect(behindLines(results)).toEqual([
      '-        not checked               because the a has failed: the b, the c',
      '-        not checked               for the same reason as the n: the j',
    ]);
    expect(behindLines(RESULTS)).toEqual([]);
  });

  it('is counted for people and for programs', () => {
    expect(summaryLine(RESULTS)).toBe('1 ok, 0 with a warning, 1 failed, 1 not checked');
    expect(JSON.parse(reportJson(RESULTS))).toEqual({
      ok: false,
      counts: { ok: 1, unchecked: 1, warning: 0, failed: 1 },
      checks: RESULTS,
    });
  });
});
