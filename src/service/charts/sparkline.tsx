import { round } from './scale.ts';

const WIDTH = 120;
const HEIGHT = 28;
/** So that one minute does not fill it. */
const LEAST_BARS = 30;

/**
 * Counts as bars, without axes. The caller says the same in words beside it, so it is hidden from screen readers.
 *
 * @param counts oldest first
 */
export function Sparkline({ counts }: { counts: readonly number[] }) {
  const most = Math.max(1, ...counts);
  const step = WIDTH / Math.max(LEAST_BARS, counts.length);
  return (
    <svg class="sparkline" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} aria-hidden="true">
      <line class="axis" x1="0" x2={WIDTH} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} />
      {counts.map((count, index) => {
        const height = count === 0 ? 0 : Math.max(2, (count / most) * (HEIGHT - 2));
        return count === 0 ? null : (
          <rect
            class="bar"
            x={round(WIDTH - (counts.length - index) * step)}
            y={round(HEIGHT - height)}
            width={round(Math.max(1, step - 1))}
            height={round(height)}
          />
        );
      })}
    </svg>
  );
}
