import { type Kysely, sql, type Transaction } from 'kysely';
import type { IncidentEventType } from '../../../contract/events.ts';
import type { Mute, MuteTarget } from '../../../contract/resources.ts';
import { isMuted } from '../../../incident/mute.ts';
import { IncidentClosedError, TooManyMutesError } from '../../core/errors.ts';
import { createId, findTimeOfId } from '../../core/ids.ts';
import type { Incident, TimelineMoment } from '../../core/incident.ts';
import { appendEvents } from '../events/event-store.ts';
import { type IncidentRow, selectIncidents, toIncident, toMute } from '../incidents/incident-row.ts';
import { isReference, matches } from '../incidents/incident-store.ts';
import { appendToTimelines } from '../incidents/timeline.ts';
import type { MutesTable, ServiceTables } from '../schema/tables.ts';

type Tx = Transaction<ServiceTables>;

/** Mutes at the same time. */
export const MAX_MUTES = 500;

export interface NewMute {
  readonly target: MuteTarget;
  /** Id or number of the incident, id of the integration, or name of the service. */
  readonly value: string;
  readonly until: Date;
  readonly reason: string | null;
  readonly user: string;
}

/**
 * Mutes. They end by their time, so nothing has to run for that. Creating and ending one writes the timeline and an event
 * of each open incident that it applies to, in the same transaction.
 */
export interface MuteStore {
  /** Those that have not ended, the one that ends first first. */
  list(now: Date): Promise<Mute[]>;
  /**
   * Replaces the mute of the same target and value.
   *
   * @returns null: there is no such incident or integration
   * @throws {IncidentClosedError}
   * @throws {TooManyMutesError}
   */
  create(mute: NewMute, now: Date): Promise<Mute | null>;
  /** @returns false: there is no such mute */
  delete(id: string, user: string, now: Date): Promise<boolean>;
  /** Removes the mutes that have ended, and tells their incidents. */
  removeEnded(now: Date): Promise<void>;
}

export function createMuteStore(db: Kysely<ServiceTables>): MuteStore {
  return {
    async list(now) {
      const rows = await db.selectFrom('mutes').selectAll().where('until', '>', now).orderBy('until').execute();
      return rows.map(toMute);
    },

    create: ({ target, value: reference, until, reason, user }, now) =>
      db.transaction().execute(async (tx) => {
        const value = await findValue(tx, target, reference);
        if (value === null) {
          return null;
        }
        await demandRoom(tx, target, value);
        const row = { id: createId('mut', now), target, value, until, reason, created_by: user, created_at: now };
        const { target: _target, value: _value, ...changed } = row;
        await tx
          .insertInto('mutes')
          .values(row)
          .onConflict((conflict) => conflict.columns(['target', 'value']).doUpdateSet(changed))
          .execute();
        const text = `until ${until.toISOString()}${reason === null ? '' : `: ${reason}`}`;
        await tellIncidents(tx, row, { at: now, event: 'muted', by: user, text });
        return toMute(row);
      }),

    delete: (id, user, now) =>
      db.transaction().execute(async (tx) => {
        if (findTimeOfId('mut', id) === null) {
          return false;
        }
        const row = await tx
          .deleteFrom('mutes')
          .where('id', '=', id)
          .where('until', '>', now)
          .returningAll()
          .executeTakeFirst();
        if (row !== undefined) {
          await tellIncidents(tx, row, { at: now, event: 'unmuted', by: user, text: null });
        }
        return row !== undefined;
      }),

    async removeEnded(now) {
      const ended = await db.selectFrom('mutes').select('id').where('until', '<=', now).orderBy('until').execute();
      for (const { id } of ended) {
        await db.transaction().execute(async (tx) => {
          // Another process may have removed it, and a person may have replaced it.
          const row = await tx
            .deleteFrom('mutes')
            .where('id', '=', id)
            .where('until', '<=', now)
            .returningAll()
            .executeTakeFirst();
          if (row !== undefined) {
            await tellIncidents(tx, row, { at: now, event: 'unmuted', by: null, text: null });
          }
        });
      }
    },
  };
}

/** The value as it is stored. @returns null: there is no such incident or integration */
async function findValue(tx: Tx, target: MuteTarget, reference: string): Promise<string | null> {
  switch (target) {
    case 'service':
      return reference;
    case 'incident': {
      if (!isReference(reference)) {
        return null;
      }
      const { rows } = await sql<{ id: string; closed_at: Date | null }>`
        select id, closed_at from incidents where ${matches(reference)}
      `.execute(tx);
      const [found] = rows;
      if (found?.closed_at) {
        throw new IncidentClosedError(found.id);
      }
      return found?.id ?? null;
    }
    case 'integration': {
      const found = await tx.selectFrom('integrations').select('id').where('id', '=', reference).executeTakeFirst();
      return found?.id ?? null;
    }
  }
}

async function demandRoom(tx: Tx, target: MuteTarget, value: string): Promise<void> {
  const { rows } = await sql<{ others: string }>`
    select count(*) as others from mutes where (target, value) <> (${target}, ${value})
  `.execute(tx);
  if (Number(rows[0]?.others) >= MAX_MUTES) {
    throw new TooManyMutesError(MAX_MUTES);
  }
}

/** Call it after the mute was changed. */
async function tellIncidents(
  tx: Tx,
  { target, value }: Pick<MutesTable, 'target' | 'value'>,
  moment: TimelineMoment,
): Promise<void> {
  const { rows } = await sql<IncidentRow>`
    ${selectIncidents} where closed_at is null and ${sql.ref(COLUMN_OF[target])} = ${value}
    order by number for update of incidents
  `.execute(tx);
  if (rows.length === 0) {
    return;
  }
  const incidents = rows.map((row) => ({ ...toIncident(row), updatedAt: moment.at }));
  await tx
    .updateTable('incidents')
    .set({ updated_at: moment.at })
    .where(
      'id',
      'in',
      incidents.map(({ id }) => id),
    )
    .execute();
  await appendToTimelines(
    tx,
    incidents.map(({ id }) => ({ ...moment, incidentId: id })),
  );
  await appendEvents(
    tx,
    incidents.map((incident) => ({ type: eventTypeOf(moment, incident), incident })),
    moment.at,
  );
}

/** Another mute may still apply. */
function eventTypeOf({ event, at }: TimelineMoment, incident: Incident): IncidentEventType {
  return event === 'unmuted' && !isMuted(incident, at) ? 'incident.unmuted' : 'incident.updated';
}

const COLUMN_OF = {
  incident: 'incidents.id',
  service: 'incidents.root_service',
  integration: 'incidents.sole_integration',
} as const satisfies Record<MuteTarget, string>;
