import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { ServiceTables } from '../store/schema/tables.ts';
import { createJetStreamLog } from './jetstream-log.ts';
import { postgresLog } from './postgres-log.ts';
import type { TelemetryLog } from './telemetry-log.ts';

/** @param natsUrl see `isNatsUrl`; null: the database keeps everything */
export function openLog(natsUrl: string | null, db: Kysely<ServiceTables>, logger?: Logger): TelemetryLog {
  return natsUrl === null ? postgresLog : createJetStreamLog({ url: natsUrl, db, logger });
}
