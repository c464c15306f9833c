import type { Row } from '../../correlation/rows.ts';
import { iso } from './emit.ts';

/** Rows on their way to Tocsin, put in order of arrival. */
export interface Arrivals {
  readonly add: (row: Row, at: number) => void;
  /** Rows that arrive before a moment, in milliseconds since 1970, in order. */
  readonly until: (at: number) => Generator<Row>;
}

interface Arriving {
  readonly row: Row;
  readonly at: number;
  readonly number: number;
}

const BUCKET_MS = 1_000;

export function createArrivals(): Arrivals {
  const buckets = new Map<number, Arriving[]>();
  let number = 0;
  let next = Number.POSITIVE_INFINITY;
  return {
    add: (row, at) => {
      const bucket = Math.floor(at / BUCKET_MS);
      number += 1;
      const waiting = buckets.get(bucket);
      if (waiting === undefined) {
        buckets.set(bucket, [{ row, at, number }]);
      } else {
        waiting.push({ row, at, number });
      }
      next = Math.min(next, bucket);
    },
    *until(at) {
      const last = Math.floor(at / BUCKET_MS);
      for (; next < last && buckets.size > 0; next += 1) {
        const waiting = buckets.get(next) ?? [];
        buckets.delete(next);
        for (const { row, at: receivedAt } of waiting.toSorted((a, b) => a.at - b.at || a.number - b.number)) {
          yield { ...row, received_at: iso(receivedAt) };
        }
      }
      if (buckets.size === 0) {
        next = Number.POSITIVE_INFINITY;
      }
    },
  };
}
