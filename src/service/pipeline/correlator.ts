import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Logger } from 'pino';
import type { DatabaseSource } from '../../database/database.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { TelemetryLog } from '../log/telemetry-log.ts';
import type { ServiceTables } from '../store/schema/tables.ts';
import { createPipeline } from './pipeline.ts';
import { createProgress, createSharedMemory } from './progress.ts';
import { type Correlator, type CorrelatorEvents, superviseThread } from './supervisor.ts';

/** @param deps.runsIn `this thread`: for tests of other things, since a thread takes long to start */
export function createCorrelator(deps: {
  readonly db: Kysely<ServiceTables>;
  readonly source: DatabaseSource;
  readonly log: TelemetryLog;
  /** Of the log, for a thread of its own, see `openLog`. Absent: null. */
  readonly natsUrl?: string | null;
  readonly runsIn: 'own thread' | 'this thread';
  readonly logger: Logger;
  readonly clock: Clock;
  readonly events: CorrelatorEvents;
}): Correlator {
  const { db, source, log, natsUrl = null, logger, clock, events } = deps;
  const process = randomUUID();
  if (deps.runsIn === 'own thread') {
    return superviseThread({ db, source, natsUrl, logger, clock, process, events });
  }
  const progress = createProgress(createSharedMemory());
  return createPipeline({
    db,
    logger,
    clock,
    log,

    process,
    isFirstStart: true,
    progress,
    events,
  });
}
