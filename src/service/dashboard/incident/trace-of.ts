import type { StoredSignal } from '../../core/signal.ts';

/** What is stored of one trace: its failed spans, and the lines that it logged. */
export interface Trace {
  readonly id: string;
  /** In the order in which they began. */
  readonly steps: readonly Step[];
  /** From the first beginning to the last end. */
  readonly durationMs: number;
}

/** A failed span, or a line of the log. */
export interface Step {
  readonly signalId: string;
  readonly service: string;
  readonly text: string;
  /** After the beginning of the trace. */
  readonly startMs: number;
  /** null: it is a line, which takes no time. */
  readonly durationMs: number | null;
}

const MAX_STEPS = 30;

/**
 * The trace with most steps, the first of equal ones; null: no signal is part of a trace.
 *
 * @param told signal of what the failure says; its trace is taken if it has several steps
 */
export function traceOf(signals: readonly StoredSignal[], told?: string): Trace | null {
  const steps = signals.filter(
    ({ traceId, detail }) => traceId !== null && (detail.type === 'trace' || detail.type === 'log'),
  );
  const traces = [...Map.groupBy(steps, ({ traceId }) => traceId ?? '')];
  const [id, own] =
    traces.find(([, each]) => each.length > 1 && each.some((signal) => signal.id === told)) ??
    traces.reduce<readonly [string, readonly StoredSignal[]]>(
      (most, each) => (each[1].length > most[1].length ? each : most),
      ['', []],
    );
  if (own.length === 0) {
    return null;
  }
  const beginning = Math.min(...own.map(beginningOf));
  const end = Math.max(...own.map(({ observedAt }) => observedAt.getTime()));
  return {
    id,
    durationMs: end - beginning,
    steps: own
      .toSorted((one, other) => beginningOf(one) - beginningOf(other) || durationOf(other) - durationOf(one))
      .slice(0, MAX_STEPS)
      .map((signal) => ({
        signalId: signal.id,
        service: signal.service,
        text: signal.detail.type === 'log' ? signal.summary : operationOf(signal),
        startMs: beginningOf(signal) - beginning,
        durationMs: signal.detail.type === 'log' ? null : durationOf(signal),
      })),
  };
}

/** A span is observed when it ends. */
function beginningOf(signal: StoredSignal): number {
  return signal.observedAt.getTime() - durationOf(signal);
}

function durationOf({ detail }: StoredSignal): number {
  return detail.type === 'trace' ? detail.durationMs : 0;
}

function operationOf({ attributes, summary }: StoredSignal): string {
  const name = attributes['span.name'];
  return typeof name === 'string' && name !== '' ? name : summary;
}
