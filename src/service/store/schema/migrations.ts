import { type RawBuilder, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { createClock } from '../../../database/lease.ts';
import { createEffectsIndex, createEffectsIndexByKind, createEffectsTable } from '../../../effects/kept-effects.ts';
import { addAccess, addActorIds, addMoreActorIds, createKeys, createSessions } from './access-tables.ts';
import {
  addAskedStates,
  addUnkept,
  addWebhookEffects,
  createEvents,
  createIntegrations,
  createWebhooks,
} from './event-tables.ts';
import {
  addAlertNames,
  addByHand,
  addLabels,
  addLessons,
  addServiceFailures,
  createIncidentDetails,
  createIncidents,
  createSignals,
  letIncidentsGo,
  reorderUrgent,
} from './incident-tables.ts';
import { addLogPartitions, createCorrelation } from './log-tables.ts';
import { addFirstTimes, addMutePlans } from './mute-tables.ts';
import { addCalendars, addOnCall } from './on-call-tables.ts';
import { addSlackArm } from './slack-arm-tables.ts';
import { addSystems } from './system-tables.ts';
import { addAnsweredIndex, addWakeHistory, addWaking } from './waking-tables.ts';
import { addWays } from './ways-tables.ts';

/** The schema `tocsin_service`. Forward only: a released migration is never edited. */
export const serviceMigrations: Readonly<Record<string, Migration>> = {
  '0001-initial': run(
    createClock,
    createKeys,
    createSessions,
    createIncidents,
    createIncidentDetails,
    createSignals,
    createCorrelation,
    createIntegrations,
    createEvents,
    createWebhooks,
  ),
  '0002-by-hand': run(addByHand),
  '0003-access': run(addAccess),
  '0004-labels': run(addLabels),
  '0005-lessons': run(addLessons),
  '0006-mute-plans': run(addMutePlans),
  '0007-actor-ids': run(addActorIds),
  '0008-service-failures': run(addServiceFailures),
  '0009-longest-open': run(reorderUrgent),
  '0010-asked-states': run(addAskedStates),
  '0011-alert-names': run(addAlertNames),
  '0012-first-times': run(addFirstTimes),
  '0013-unkept': run(addUnkept),
  '0014-effects': run(createEffectsTable, createEffectsIndex),
  '0015-on-call': run(addOnCall),
  '0016-waking': run(addWaking),
  '0017-ways': run(addWays),
  '0018-slack-arm': run(addSlackArm),
  '0019-wake-history': run(addWakeHistory),
  '0020-calendars': run(addCalendars),
  '0021-answered-index': run(addAnsweredIndex),
  '0022-effects-by-kind': run(createEffectsIndexByKind, sql`drop index effects_due`),
  '0023-log-partitions': run(addLogPartitions),
  '0024-systems': run(addSystems),
  '0025-incident-retention': run(letIncidentsGo),
  '0026-webhook-effects': run(addWebhookEffects),
  '0027-more-actor-ids': run(addMoreActorIds),
};

function run(...statements: readonly RawBuilder<unknown>[]): Migration {
  return {
    async up(db) {
      for (const statement of statements) {
        await statement.execute(db);
      }
    },
  };
}
