const EIGHTHS = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;
const FULL = EIGHTHS.length - 1;

/**
 * Columns of `height` lines, the highest value as high as they are, with the scale at the left and marks below.
 *
 * @param values from 0 on, a column each
 * @param marks texts below the columns that they name, far enough from each other
 */
export const plotColumns = (
  values: readonly number[],
  { height, marks = new Map() }: { readonly height: number; readonly marks?: ReadonlyMap<number, string> },
): string => {
  const most = values.reduce((a, b) => Math.max(a, b), 0);
  const label = Math.round(most).toLocaleString('en');
  const lines = Array.from({ length: height }, (_, row) => {
    const floor = (height - 1 - row) * FULL;
    const cells = values.map((value) => {
      const filled = most === 0 ? 0 : Math.round((value / most) * height * FULL);
      return EIGHTHS[Math.max(0, Math.min(FULL, filled - floor))] ?? ' ';
    });
    const scale = row === 0 ? label : row === height - 1 ? '0' : '';
    return `${scale.padStart(label.length)} │${cells.join('')}`.trimEnd();
  });
  let below = ' '.repeat(label.length + 2);
  for (const [column, text] of marks) below = below.padEnd(label.length + 2 + column) + text;
  return [...lines, below.trimEnd()].filter((each, i) => i < height || each !== '').join('\n');
};
