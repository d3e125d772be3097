/** One curve: a value in [0, 1] for each update, the first before any. */
export interface Series {
  readonly name: string;
  readonly values: readonly number[];
  /** Number of its colour, so that curves that belong together share one. @default its place among the curves */
  readonly colour?: number;
  /** Lengths of strokes and gaps, as SVG writes them: `6 4`. @default an unbroken line */
  readonly dash?: string;
}

const BAR_WIDTH = 50;

/** A line an update, with a bar. */
export const textChart = (values: readonly number[]): string =>
  values
    .map((value, update) => {
      const bar = '█'.repeat(Math.round(value * BAR_WIDTH));
      return `${String(update).padStart(3)}  ${value.toFixed(2)}  ${bar}`;
    })
    .join('\n');

const [WIDTH, HEIGHT, MARGIN] = [640, 360, 48] as const;
const COLOURS = ['#1f6feb', '#d1242f', '#1a7f37', '#8250df', '#bf8700', '#57606a'] as const;
/** Of the legend: height of a line, length of the stroke before a name. */
const [LINE, KEY] = [16, 22] as const;
const TICKS = [0, 0.25, 0.5, 0.75, 1] as const;

const escapeXml = (text: string): string => text.replace(/[&<>"]/g, (char) => `&#${char.charCodeAt(0)};`);

/** Curves over updates as a picture of its own. */
export const svgChart = (title: string, series: readonly Series[]): string => {
  const last = Math.max(1, ...series.map(({ values }) => values.length - 1));
  const x = (update: number): string => (MARGIN + (update / last) * (WIDTH - 2 * MARGIN)).toFixed(1);
  const y = (value: number): string => (HEIGHT - MARGIN - value * (HEIGHT - 2 * MARGIN)).toFixed(1);
  const text = (at: string, words: string, anchor = 'middle'): string =>
    `<text ${at} text-anchor="${anchor}">${escapeXml(words)}</text>`;
  const ticks = TICKS.map(
    (tick) =>
      `<line x1="${x(0)}" x2="${x(last)}" y1="${y(tick)}" y2="${y(tick)}" stroke="#d0d7de"/>` +
      text(`x="${MARGIN - 8}" y="${y(tick)}" dy="4"`, String(tick), 'end'),
  );
  const curves = series.map(({ name, values, colour: number, dash }, at) => {
    const colour = COLOURS[(number ?? at) % COLOURS.length] ?? COLOURS[0];
    const points = values.map((value, update) => `${x(update)},${y(value)}`).join(' ');
    const stroke = `stroke="${colour}" stroke-width="2"${dash === undefined ? '' : ` stroke-dasharray="${dash}"`}`;
    const [left, top] = [MARGIN + 12, MARGIN + 12 + LINE * at];
    const key = `<line x1="${left}" x2="${left + KEY}" y1="${top - 4}" y2="${top - 4}" ${stroke}/>`;
    const label = text(`x="${left + KEY + 6}" y="${top}" fill="${colour}"`, name, 'start');
    return `<polyline points="${points}" fill="none" ${stroke}/>${key}${label}`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    text(`x="${WIDTH / 2}" y="24" font-size="15"`, title),
    ...ticks,
    text(`x="${x(0)}" y="${HEIGHT - MARGIN + 18}"`, '0'),
    text(`x="${x(last)}" y="${HEIGHT - MARGIN + 18}"`, String(last)),
    text(`x="${WIDTH / 2}" y="${HEIGHT - 12}"`, 'weight updates'),
    ...curves,
    '</svg>\n',
  ].join('\n');
};
