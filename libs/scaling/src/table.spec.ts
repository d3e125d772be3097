import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_INSTALLATION } from './load';
import type { Measured } from './measured';
import { servicesTable, storesTable, streamTable } from './measured-table';
import { demandTable, shortNumber, TABLE_USERS } from './table';

const DOCS = join(__dirname, '../../../docs');

it.each([
  [0, '0'],
  [0.00289, '0.0029'],
  [28.94, '29'],
  [1234.5, '1,235'],
  [1e8, '100,000,000'],
])('writes %d as %s', (value, text) => {
  expect(shortNumber(value)).toBe(text);
});

it('stands in docs/scaling.md as npm run simulate -- --table prints it, from the measurements in docs/scaling.json', () => {
  const measured = JSON.parse(readFileSync(join(DOCS, 'scaling.json'), 'utf8')) as Measured;
  const withoutPadding = (text: string): string => text.replaceAll(/ +/g, '').replaceAll(/-+/g, '-');
  const page = withoutPadding(readFileSync(join(DOCS, 'scaling.md'), 'utf8'));
  const demand = demandTable(TABLE_USERS, DEFAULT_INSTALLATION, measured);
  for (const table of [demand, servicesTable(measured), storesTable(measured), streamTable(measured)]) {
    expect(page).toContain(withoutPadding(table));
  }
});
