import { round } from './scale.ts';

export interface Bar {
  /** After the beginning of the whole. */
  readonly startMs: number;
  /** null: a moment. */
  readonly durationMs: number | null;
}

/** The least share of the width, so that everything can be seen. */
const LEAST = 0.8;

/** When something began and how long it took, within the whole. It takes the width that it is given. */
export function WaterfallBar({ bar: { startMs, durationMs }, wholeMs }: { bar: Bar; wholeMs: number }) {
  const share = (ms: number) => (wholeMs === 0 ? 0 : (100 * ms) / wholeMs);
  const width = Math.max(LEAST, share(durationMs ?? 0));
  const x = Math.min(share(startMs), 100 - width);
  return (
    <svg class="waterfall" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect class={durationMs === null ? 'moment' : 'bar'} x={round(x)} y="1" width={round(width)} height="8" />
    </svg>
  );
}
