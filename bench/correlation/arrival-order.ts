import type { Row, Rows } from './rows.ts';

/** A row, and when it reached Tocsin, in milliseconds. */
export interface Arrived {
  readonly row: Row;
  readonly at: number;
}

/**
 * Rows in the order in which they reach Tocsin. A recording lists spans by their beginning, but no tracer reports a span before it has
 * ended.
 *
 * @param rows in order of `timestamp`, or in order of `received_at`
 */
export async function* inOrderOfArrival(rows: Rows): AsyncGenerator<Arrived> {
  /** Spans that go on, the one that ends last first. */
  const running: Arrived[] = [];
  for await (const row of rows) {
    const beganAt = Date.parse(row.received_at ?? row.timestamp);
    for (let next = running.at(-1); next !== undefined && next.at <= beganAt; next = running.at(-1)) {
      running.pop();
      yield next;
    }
    const ms = row.received_at === undefined && row.kind === 'trace' ? (row.duration_ms ?? 0) : 0;
    if (ms === 0) {
      yield { row, at: beganAt };
    } else {
      insert(running, { row, at: beganAt + ms });
    }
  }
  yield* running.toReversed();
}

function insert(running: Arrived[], arrived: Arrived): void {
  let [from, to] = [0, running.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((running[middle]?.at ?? 0) > arrived.at) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  running.splice(from, 0, arrived);
}
