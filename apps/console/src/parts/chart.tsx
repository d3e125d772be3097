import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import UPlot from 'uplot';

export interface Line {
  readonly name: string;
  /** null: nothing is known there. */
  readonly values: readonly (number | null)[];
  /** Name of a colour of the theme, without the dashes. */
  readonly color: string;
}

interface ChartProps {
  readonly title: string;
  readonly xName: string;
  readonly x: readonly number[];
  readonly lines: readonly Line[];
  readonly height?: number;
}

const MARGIN = 34;

/** Tells whoever draws by hand that the colours have changed. */
export const useThemeChange = (): number => {
  const [count, setCount] = useState(0);
  useEffect(() => {
    const onChange = (): void => {
      setCount((before) => before + 1);
    };
    addEventListener('themechange', onChange);
    return () => {
      removeEventListener('themechange', onChange);
    };
  }, []);
  return count;
};

/** Room around the values; one that never changes is a line in the middle. */
const rangeOf = (low: number | null, high: number | null): [number, number] => {
  if (low === null || high === null) return [0, 1];
  if (low === high) return [low - 1, high + 1];
  const [from, to] = UPlot.rangeNum(low, high, 0.1, true);
  return [from ?? low, to ?? high];
};

const colorOf = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** Lines over a whole number, with the same numbers as a table for who cannot see them. */
export const Chart = ({ title, xName, x, lines, height = 170 }: ChartProps): JSX.Element => {
  const host = useRef<HTMLDivElement>(null);
  const theme = useThemeChange();
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const axis = { stroke: colorOf('faint'), grid: { stroke: colorOf('line'), width: 1 }, ticks: { show: false } };
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height,
        scales: { x: { time: false }, y: { range: (_plot, low, high) => rangeOf(low, high) } },
        axes: [
          { ...axis, size: MARGIN, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] },
          { ...axis, size: 52 },
        ],
        legend: { show: false },
        cursor: { points: { size: 7 }, y: false },
        series: [
          { label: xName },
          ...lines.map(({ name, color }) => ({
            label: name,
            stroke: colorOf(color),
            width: 2,
            spanGaps: true,
            points: { show: x.length < 40, size: 5, fill: colorOf(color) },
          })),
        ],
      },
      [[...x], ...lines.map(({ values }) => [...values])],
      element,
    );
    const resized = new ResizeObserver(() => {
      plot.setSize({ width: element.clientWidth, height });
    });
    resized.observe(element);
    return () => {
      resized.disconnect();
      plot.destroy();
    };
  }, [theme, x, lines, height]);
  return (
    <section class="card chart" aria-label={title}>
      <h2>{title}</h2>
      {lines.length > 1 && (
        <p class="legend">
          {lines.map(({ name, color }) => (
            <span key={name} class={`key ${color}`}>
              {name}
            </span>
          ))}
        </p>
      )}
      <div ref={host} class="plot" aria-hidden="true" />
      <details>
        <summary>Numbers</summary>
        <div class="scroll" tabIndex={0} role="region" aria-label={`Numbers of ${title}`}>
          <table>
            <thead>
              <tr>
                <th scope="col" class="number">
                  {xName}
                </th>
                {lines.map(({ name }) => (
                  <th key={name} scope="col" class="number">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {x.map((at, i) => (
                <tr key={at}>
                  <th scope="row" class="number">
                    {at}
                  </th>
                  {lines.map(({ name, values }) => (
                    <td key={name} class="number">
                      {formatNumber(values[i] ?? null)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  );
};

const formatNumber = (value: number | null): string =>
  value === null ? '–' : Number.isInteger(value) ? String(value) : Number(value.toPrecision(4)).toString();
