import { deleteRows, inTable, selectRows } from './log-table.ts';
import type { TelemetryLog } from './telemetry-log.ts';

/** Keeps everything in the table. */
export const postgresLog: TelemetryLog = {
  prepare: async (partition, entry) => inTable(partition, entry),
  readAfter: selectRows,
  trim: deleteRows,
};
