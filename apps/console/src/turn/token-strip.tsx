import type { JSX } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useThemeChange } from '../parts/chart';
import type { Lens } from './token-values';

const HEIGHT = 56;

/** Pixels of one column: the largest value of its tokens. */
export const columnsOf = (values: readonly number[], width: number): number[] =>
  Array.from({ length: Math.min(width, values.length) }, (_, column, count = Math.min(width, values.length)) => {
    const [from, to] = [
      Math.floor((column * values.length) / count),
      Math.floor(((column + 1) * values.length) / count),
    ];
    return values
      .slice(from, Math.max(to, from + 1))
      .reduce((most, each) => (Math.abs(each) > Math.abs(most) ? each : most), 0);
  });

interface StripProps {
  readonly values: readonly number[];
  readonly scale: number;
  readonly lens: Lens;
  readonly at: number | null;
  readonly onGo: (place: number) => void;
}

/** The whole answer at a glance; a click leads to the token there. */
export const TokenStrip = ({ values, scale, lens, at, onGo }: StripProps): JSX.Element => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useThemeChange();
  useEffect(() => {
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (!element || !context) return;
    const width = element.clientWidth;
    const density = devicePixelRatio;
    element.width = width * density;
    element.height = HEIGHT * density;
    context.scale(density, density);
    const style = getComputedStyle(element);
    const color = (name: string): string => style.getPropertyValue(`--${name}`);
    const columns = columnsOf(values, width);
    const step = width / Math.max(1, columns.length);
    const middle = lens === 'surprise' ? HEIGHT : HEIGHT / 2;
    columns.forEach((value, i) => {
      const size = Math.sqrt(Math.min(1, Math.abs(value) / scale)) * (lens === 'surprise' ? HEIGHT : HEIGHT / 2);
      context.fillStyle = color(lens === 'surprise' ? 'surprise' : value > 0 ? 'up' : 'down');
      const isUp = lens === 'surprise' || value > 0;
      context.fillRect(i * step, isUp ? middle - size : middle, Math.max(1, step - (step > 3 ? 1 : 0)), size);
    });
    context.fillStyle = color('line');
    context.fillRect(0, middle - 0.5, width, 1);
  }, [values, scale, lens, theme]);
  const share = at === null ? null : ((at + 0.5) / Math.max(1, values.length)) * 100;
  return (
    <div class="strip">
      <canvas
        ref={canvas}
        aria-hidden="true"
        onClick={(event) => {
          const { left, width } = event.currentTarget.getBoundingClientRect();
          onGo(Math.floor(((event.clientX - left) / width) * values.length));
        }}
      />
      {share !== null && <i class="strip-at" style={{ left: `${share}%` }} />}
    </div>
  );
};
