import { niceCeiling, round } from './scale.ts';

/** The letters keep their size, so a phone gets a chart of its own instead of a small picture of the wide one. */
const SIZES = { wide: { width: 720, maxTicks: 6 }, narrow: { width: 360, maxTicks: 4 } };
const HEIGHT = 228;
const PLOT = { left: 40, top: 44, bottom: 190 };
/** Half a time of day. */
const RIGHT_MARGIN = 16;
const MINUTE_MS = 60_000;
const LABEL_LENGTH = 22;
const LABEL_WIDTH = 130;
const LABEL_ROWS = 2;

export interface FailuresChart {
  /** Start of the first bar. */
  readonly from: Date;
  /** What each bar stands for. */
  readonly minutesPerBar: number;
  /** Failures in each of these times, oldest first. */
  readonly counts: readonly number[];
  readonly marks: readonly ChartMark[];
}

/** Something that happened, shown as a line across the chart. */
export interface ChartMark {
  readonly at: Date;
  /** `deploy`, `acknowledged` and so on: the class of the line. */
  readonly kind: string;
  readonly label: string;
}

/** Failures over time, with marks. The style sheet shows the chart of the size that fits. */
export function FailuresChart({ chart, name, size }: { chart: FailuresChart; name: string; size: keyof typeof SIZES }) {
  const { width, maxTicks } = SIZES[size];
  const right = width - RIGHT_MARGIN;
  const { from, counts, minutesPerBar } = chart;
  const ceiling = niceCeiling(Math.max(1, ...counts));
  const span = Math.max(1, counts.length);
  const step = (right - PLOT.left) / span;
  const toX = (at: Date) => PLOT.left + ((at.getTime() - from.getTime()) / (minutesPerBar * MINUTE_MS)) * step;
  const toY = (count: number) => PLOT.bottom - (count / ceiling) * (PLOT.bottom - PLOT.top);
  return (
    <svg class={`chart ${size}`} viewBox={`0 0 ${width} ${HEIGHT}`} role="img" aria-label={name}>
      {[0, ceiling / 2, ceiling].filter(Number.isInteger).map((count) => (
        <>
          <line class="grid" x1={PLOT.left} x2={right} y1={round(toY(count))} y2={round(toY(count))} />
          <text class="tick" x={PLOT.left - 6} y={round(toY(count) + 4)} text-anchor="end">
            {count.toLocaleString('en')}
          </text>
        </>
      ))}
      {counts.map((count, index) =>
        count === 0 ? null : (
          <rect
            class="bar"
            x={round(PLOT.left + index * step + 0.5)}
            y={round(Math.min(toY(count), PLOT.bottom - 1.5))}
            width={round(Math.max(1, step - 1))}
            height={round(Math.max(1.5, PLOT.bottom - toY(count)))}
          />
        ),
      )}
      {ticksOf(from, span * minutesPerBar, maxTicks).map((at) => (
        <text class="tick" x={round(toX(at))} y={PLOT.bottom + 18} text-anchor="middle">
          {timeOfDay(at)}
        </text>
      ))}
      <text class="tick" x={right} y={HEIGHT - 2} text-anchor="end">
        UTC
      </text>
      {placeMarks(chart.marks, toX, right).map(({ mark, x, row, anchor }) => (
        <g class={`mark mark-${mark.kind}`}>
          <line x1={round(x)} x2={round(x)} y1={PLOT.top - 4} y2={PLOT.bottom} />
          <text x={round(anchor === 'start' ? x + 3 : x - 3)} y={PLOT.top - 8 - row * 14} text-anchor={anchor}>
            {shorten(mark.label)}
          </text>
        </g>
      ))}
    </svg>
  );
}

/** Marks within the plot. Neighbours take turns in the rows of labels, so that they stay readable. */
function placeMarks(marks: readonly ChartMark[], toX: (at: Date) => number, right: number) {
  const endOfRow: number[] = Array.from({ length: LABEL_ROWS }, () => 0);
  return marks
    .map((mark) => ({ mark, x: toX(mark.at) }))
    .filter(({ x }) => x >= PLOT.left && x <= right)
    .toSorted((one, other) => one.x - other.x)
    .map(({ mark, x }) => {
      const anchor: 'start' | 'end' = x + LABEL_WIDTH > right ? 'end' : 'start';
      const start = anchor === 'start' ? x : x - LABEL_WIDTH;
      const free = endOfRow.findIndex((end) => end <= start);
      const row = free === -1 ? LABEL_ROWS - 1 : free;
      endOfRow[row] = start + LABEL_WIDTH;
      return { mark, x, row, anchor };
    });
}

/** Whole multiples of a round number of minutes. */
function ticksOf(from: Date, minutes: number, maxTicks: number): Date[] {
  const step = [1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 1440].find((each) => minutes / each <= maxTicks) ?? 2880;
  const stepMs = step * MINUTE_MS;
  const first = Math.ceil(from.getTime() / stepMs) * stepMs;
  const last = from.getTime() + (minutes - 0.5) * MINUTE_MS;
  return Array.from(
    { length: Math.max(0, Math.floor((last - first) / stepMs) + 1) },
    (_, index) => new Date(first + index * stepMs),
  );
}

/** `14:05`, in UTC. */
export function timeOfDay(at: Date): string {
  return at.toISOString().slice(11, 16);
}

function shorten(label: string): string {
  return label.length > LABEL_LENGTH ? `${label.slice(0, LABEL_LENGTH - 1).trimEnd()}…` : label;
}
