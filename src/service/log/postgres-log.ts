import { deleteRows, inTable, selectRows } from './log-table.ts';
import type { TelemetryLog } from './telemetry-log.ts';

/** Keeps everything in the table. */
export const postgresLog: TelemetryLog = {
  prepare: async (partition, entry) => inTable(partition, entry),
  readAfter: selectRows,
  trim: async (db, partition, upTo) => void (await deleteRows(db, partition, upTo)),
  check: async () => undefined,
  [Symbol.asyncDispose]: async () => undefined,
};
