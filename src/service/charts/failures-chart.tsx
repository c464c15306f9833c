import { fillOf, PartFills } from './part-fill.tsx';
import { niceCeiling, round } from './scale.ts';

/** The letters keep their size, so a phone gets a chart of its own instead of a small picture of the wide one. */
const SIZES = { wide: { width: 720, maxTicks: 6 }, narrow: { width: 360, maxTicks: 4 } };
const PLOT = { left: 40, height: 144 };
/** Below the plot: times of day. */
const FOOT = 38;
/** Half a time of day. */
const RIGHT_MARGIN = 16;
const MINUTE_MS = 60_000;
const LABEL_LENGTH = 22;
/** Widths of letters of 12 px, rather too wide than too narrow: small Latin ones, capitals, and all others. */
const LETTER_WIDTHS = { small: 6.2, capital: 11, other: 14 };
const LABEL_HEIGHT = 17;
/** Further labels that would overlap are counted in the last row. */
const MAX_LABEL_ROWS = 4;

export interface FailuresChart {
  /** Start of the first bar. */
  readonly from: Date;
  /** What each bar stands for. */
  readonly minutesPerBar: number;
  /** Failures in each of these times, oldest first. */
  readonly counts: readonly number[];
  /** What each bar is made of, from the bottom up: counts like those above, which add up to them. Absent: bars are not divided. */
  readonly parts?: readonly (readonly number[])[];
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
  const { from, counts, minutesPerBar, parts = [] } = chart;
  const ceiling = niceCeiling(Math.max(1, ...counts));
  const span = Math.max(1, counts.length);
  const step = (right - PLOT.left) / span;
  const toX = (at: Date) => PLOT.left + ((at.getTime() - from.getTime()) / (minutesPerBar * MINUTE_MS)) * step;
  const marks = placeMarks(chart.marks, toX, right);
  const top = 2 + LABEL_HEIGHT * Math.max(1, ...marks.map(({ row }) => row + 1));
  const bottom = top + PLOT.height;
  const toY = (count: number) => bottom - (count / ceiling) * PLOT.height;
  const drawing = `stack-${size}`;
  return (
    <svg class={`chart ${size}`} viewBox={`0 0 ${width} ${bottom + FOOT}`} role="img" aria-label={name}>
      {parts.length > 0 && <PartFills of={drawing} count={parts.length} />}
      {[0, ceiling / 2, ceiling].filter(Number.isInteger).map((count) => (
        <>
          <line class="grid" x1={PLOT.left} x2={right} y1={round(toY(count))} y2={round(toY(count))} />
          <text class="tick" x={PLOT.left - 6} y={round(toY(count) + 4)} text-anchor="end">
            {count.toLocaleString('en')}
          </text>
        </>
      ))}
      {parts.map((part, place) =>
        part.map((count, index) => {
          const below = parts.slice(0, place).reduce((sum, each) => sum + (each[index] ?? 0), 0);
          return count === 0 ? null : (
            <rect
              fill={fillOf(drawing, place)}
              x={round(PLOT.left + index * step + 0.5)}
              y={round(toY(below + count))}
              width={round(Math.max(1, step - 1))}
              height={round(Math.max(0.5, toY(below) - toY(below + count)))}
            />
          );
        }),
      )}
      {counts.map((count, index) =>
        count === 0 || parts.length > 0 ? null : (
          <rect
            class="bar"
            x={round(PLOT.left + index * step + 0.5)}
            y={round(Math.min(toY(count), bottom - 1.5))}
            width={round(Math.max(1, step - 1))}
            height={round(Math.max(1.5, bottom - toY(count)))}
          />
        ),
      )}
      {ticksOf(from, span * minutesPerBar, maxTicks).map((at) => (
        <text class="tick" data-at={at.getTime()} x={round(toX(at))} y={bottom + 18} text-anchor="middle">
          {timeOfDay(at)}
        </text>
      ))}
      <text class="tick" data-zone="" x={right} y={bottom + FOOT - 2} text-anchor="end">
        UTC
      </text>
      {marks.map(({ mark, x, row, anchor, label }) => (
        <g class={`mark mark-${mark.kind}`}>
          <title>{mark.label}</title>
          <line x1={round(x)} x2={round(x)} y1={label === '' ? top - 2 : top - 2 - row * LABEL_HEIGHT} y2={bottom} />
          {label !== '' && (
            <text x={round(anchor === 'start' ? x + 3 : x - 3)} y={top - 5 - row * LABEL_HEIGHT} text-anchor={anchor}>
              {label}
            </text>
          )}
        </g>
      ))}
    </svg>
  );
}

interface PlacedMark {
  readonly mark: ChartMark;
  readonly x: number;
  /** 0 is next to the plot. */
  readonly row: number;
  readonly anchor: 'start' | 'end';
  /** Empty: it is counted at another mark. */
  readonly label: string;
}

/**
 * Marks within the plot. A label goes to the lowest row in which nothing overlaps it. Labels that extend to the right are
 * placed from the right, and the others from the left, so that no line up to a label crosses another label. Where all rows
 * are taken, the last label counts the marks that have no room: "deploy web 2.0 +3".
 */
function placeMarks(marks: readonly ChartMark[], toX: (at: Date) => number, right: number): PlacedMark[] {
  const taken: { from: number; to: number; row: number; index: number }[] = [];
  const placed: PlacedMark[] = [];
  const crowded = new Map<number, number>();
  const visible = marks
    .map((mark) => ({ mark, x: toX(mark.at), width: widthOf(mark.label) }))
    .filter(({ x }) => x >= PLOT.left && x <= right);
  const isAtEnd = ({ x, width }: { x: number; width: number }) => x + width > right;
  const ordered = visible.toSorted((one, other) => one.x - other.x);
  const inTurn = [...ordered.filter(isAtEnd), ...ordered.filter((each) => !isAtEnd(each)).reverse()];
  for (const { mark, x, width } of inTurn) {
    const anchor = isAtEnd({ x, width }) ? 'end' : 'start';
    const from = anchor === 'start' ? x : x - width;
    const near = taken.filter((other) => other.from < from + width && other.to > from);
    const row = Array.from({ length: MAX_LABEL_ROWS }, (_, each) => each).find((each) =>
      near.every((other) => other.row !== each),
    );
    if (row === undefined) {
      const last = near.findLast((other) => other.row === MAX_LABEL_ROWS - 1)?.index ?? 0;
      crowded.set(last, (crowded.get(last) ?? 0) + 1);
      placed.push({ mark, x, row: 0, anchor, label: '' });
    } else {
      taken.push({ from, to: from + width, row, index: placed.length });
      placed.push({ mark, x, row, anchor, label: shorten(mark.label) });
    }
  }
  return placed.map((each, index) => {
    const more = crowded.get(index);
    return more === undefined ? each : { ...each, label: `${shorten(each.mark.label, LABEL_LENGTH - 3)} +${more}` };
  });
}

/** Width of a shortened label, also when it counts others: "opened +2". */
function widthOf(label: string): number {
  let width = 0;
  for (const letter of `${shorten(label, LABEL_LENGTH - 3)} +9`) {
    const isSmall = /[a-z0-9 .,:+-]/.test(letter);
    const isLatin = /[\u0021-\u017f]/.test(letter);
    width += isSmall ? LETTER_WIDTHS.small : isLatin ? LETTER_WIDTHS.capital : LETTER_WIDTHS.other;
  }
  return width;
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
function timeOfDay(at: Date): string {
  return at.toISOString().slice(11, 16);
}

function shorten(label: string, length = LABEL_LENGTH): string {
  return label.length > length ? `${label.slice(0, length - 1).trimEnd()}…` : label;
}
