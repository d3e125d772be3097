import type { Result } from '../check';
import { STATUSES, type Status } from '../finding';

const WORDS: Readonly<Record<Status, string>> = {
  ok: 'ok',
  unchecked: '-',
  warning: 'warning',
  failed: 'FAILED',
};
const WORD_WIDTH = 9;
const TITLE_WIDTH = 26;
const INDENT = ' '.repeat(WORD_WIDTH);

const indented = (text: string, prefix: string): string[] =>
  text.split('\n').map((line, i) => `${INDENT}${i === 0 ? prefix : ' '.repeat(prefix.length)}${line}`);

/** A result for people: one line, and what to do below it. */
export const resultLines = ({ status, title, seen, remedy, quote }: Result): string => {
  const [first = '', ...more] = seen.split('\n');
  return [
    `${WORDS[status].padEnd(WORD_WIDTH)}${title.padEnd(TITLE_WIDTH)}${first}`,
    ...more.map((line) => ' '.repeat(WORD_WIDTH + TITLE_WIDTH) + line),
    ...(remedy === undefined ? [] : indented(remedy, '-> ')),
    ...(quote === undefined ? [] : indented(quote === '' ? '(nothing)' : quote, 'its answer: ')),
  ].join('\n');
};

/** What was not looked at: a line for each check that stood in the way of others. */
export const behindLines = (results: readonly Result[]): readonly string[] =>
  results.flatMap(({ id, title, status }) => {
    const titles = results.filter(({ behind }) => behind === id).map((each) => each.title);
    const why = status === 'failed' ? `because ${title} has failed` : `for the same reason as ${title}`;
    const seen = `${why}: ${titles.join(', ')}`;
    return titles.length === 0 ? [] : [resultLines({ id, title: 'not checked', status: 'unchecked', seen })];
  });

/** How many results there are of each status. */
export const countResults = (results: readonly Result[]): Record<Status, number> =>
  Object.fromEntries(
    STATUSES.map((status) => [status, results.filter((each) => each.status === status).length]),
  ) as Record<Status, number>;

/** What it comes to, in one line. */
export const summaryLine = (results: readonly Result[]): string => {
  const { ok, warning, failed, unchecked } = countResults(results);
  const notMade = unchecked === 0 ? '' : `, ${unchecked} not checked`;
  return `${ok} ok, ${warning} with a warning, ${failed} failed${notMade}`;
};

/** Everything for programs. */
export const reportJson = (results: readonly Result[]): string =>
  JSON.stringify(
    { ok: results.every(({ status }) => status !== 'failed'), counts: countResults(results), checks: results },
    null,
    2,
  );
