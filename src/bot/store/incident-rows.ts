import { type InferResult, type Kysely, type Selectable, sql, type Transaction, type Updateable } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Incident, IncidentSummary } from '../../contract/resources.ts';
import { type Confirmation, confirmedIncident } from '../known-incident.ts';
import type { WaitingAction } from '../views/incident-card.ts';
import { isAcknowledged } from '../views/incident-words.ts';
import { dueIn, LANES, type Lane } from './lanes.ts';
import { isSameSnapshot, mergeSnapshot } from './snapshot.ts';
import type { Tables } from './tables.ts';

export interface Observation {
  readonly lane: Lane;
  /** When it was asked for: an answer on its way for long must not undo a newer one. */
  readonly asOf: Date;
  readonly isNews?: boolean;
  /** What came by other ways may be newer: then `updated_at` tells. */
  readonly mayLag?: boolean;
}

export interface KnownIncident {
  readonly incident: Incident;
  readonly waiting: readonly WaitingAction[];
  /** null: it is known from a version that did not keep it. */
  readonly firstSignalCount: number | null;
  readonly revision: string;
}

export interface Observed {
  /** null: it is none of ours. */
  readonly known: KnownIncident | null;
  /** What cards show has changed. */
  readonly hasChanged: boolean;
}

type IncidentRow = InferResult<ReturnType<typeof selectIncident>>[number];

/** With the actions on it that wait. */
export function selectIncident(db: Kysely<Tables>, incidentId: string) {
  return db
    .selectFrom('incidents')
    .selectAll()
    .select((eb) =>
      jsonArrayFrom(
        eb
          .selectFrom('pending_actions')
          .select(['kind', sql<string>`coalesce(user_name, slack_user_id)`.as('user')])
          .whereRef('pending_actions.incident_id', '=', 'incidents.incident_id')
          .where('settled_at', 'is', null)
          .where('attempts', '>', 0)
          .orderBy('created_at'),
      ).as('waiting'),
    )
    .where('incident_id', '=', incidentId);
}

export function toKnown({ waiting, revision, snapshot, ...row }: IncidentRow): KnownIncident {
  return {
    incident: confirmedIncident(snapshot, confirmations(row)),
    waiting,
    firstSignalCount: row.first_signal_count === null ? null : Number(row.first_signal_count),
    revision,
  };
}

/** The incident and its cards, in one statement. */
export async function insertIncident(
  db: Kysely<Tables>,
  incident: Incident | IncidentSummary,
  { lane, asOf }: Observation,
): Promise<Observed> {
  const snapshot = mergeSnapshot(null, incident);
  const inserted = await db
    .with('inserted', (cte) =>
      cte
        .insertInto('incidents')
        .values({
          incident_id: incident.id,
          number: incident.number ?? null,
          status: incident.status,
          as_of: asOf,
          snapshot: JSON.stringify(snapshot),
          first_signal_count: incident.signal_count,
          acknowledged_by: null,
          acknowledged_at: null,
          resolved_by: null,
          closed_at: null,
          resolution_note: null,
        })
        .onConflict((conflict) => conflict.doNothing())
        .returning(['incident_id', 'revision']),
    )
    .with('made', (cte) =>
      cte
        .insertInto('cards')
        .columns(['incident_id', 'channel_id', 'desired_revision', 'lane', 'created_at'])
        .expression((eb) =>
          eb
            .selectFrom(['inserted', 'subscriptions'])
            .select([
              'inserted.incident_id',
              'subscriptions.channel_id',
              'inserted.revision',
              sql<number>`${Math.min(lane, LANES.opened)}::smallint`.as('lane'),
              sql<Date>`${asOf}::timestamptz`.as('created_at'),
            ]),
        )
        .onConflict((conflict) => conflict.doNothing()),
    )
    .selectFrom('inserted')
    .select('revision')
    .executeTakeFirst();
  return inserted === undefined
    ? { known: null, hasChanged: false } // another process was faster; the next poll brings what differs
    : {
        known: {
          incident: snapshot,
          waiting: [],
          firstSignalCount: incident.signal_count,
          revision: inserted.revision,
        },
        hasChanged: true,
      };
}

export async function updateIncident(
  trx: Transaction<Tables>,
  incident: Incident | IncidentSummary,
  { lane, asOf, mayLag = false }: Observation,
): Promise<Observed> {
  const before = await selectIncident(trx, incident.id).forUpdate().executeTakeFirstOrThrow();
  const after = mergeSnapshot(before.snapshot, incident);
  if (asOf < before.as_of || (mayLag && isOlder(after, before.snapshot)) || isSameSnapshot(before.snapshot, after)) {
    return { known: toKnown(before), hasChanged: false };
  }
  await raiseRevision(trx, incident.id, hasNewState(before.snapshot, after) ? Math.min(lane, LANES.state) : lane, {
    number: after.number ?? null,
    status: after.status,
    snapshot: JSON.stringify(after),
    as_of: asOf,
    is_gone: false,
  });
  const revision = String(BigInt(before.revision) + 1n);
  return { known: toKnown({ ...before, snapshot: after, revision }), hasChanged: true };
}

function isOlder(one: Incident, other: Incident): boolean {
  return (
    one.updated_at !== undefined &&
    other.updated_at !== undefined &&
    Date.parse(one.updated_at) < Date.parse(other.updated_at)
  );
}

function hasNewState(before: Incident, after: Incident): boolean {
  return before.status !== after.status || isAcknowledged(before) !== isAcknowledged(after);
}

/**
 * Changes an incident, and makes its cards due, in one statement.
 *
 * @param unless set already: nothing changes
 * @returns whether it changed
 */
export async function raiseRevision(
  db: Kysely<Tables>,
  incidentId: string,
  lane: number,
  changes: Updateable<Tables['incidents']> = {},
  unless?: 'acknowledged_at' | 'closed_at',
): Promise<boolean> {
  const raised = await db
    .with('raised', (cte) =>
      cte
        .updateTable('incidents')
        .set({ ...changes, revision: sql`revision + 1` })
        .where('incident_id', '=', incidentId)
        .$if(unless !== undefined, (query) => query.where(unless ?? 'closed_at', 'is', null))
        .returning(['incident_id', 'revision']),
    )
    .with('due', (cte) =>
      cte
        .updateTable('cards')
        .from('raised')
        .set({ desired_revision: sql`raised.revision`, ...dueIn(lane) })
        .whereRef('cards.incident_id', '=', 'raised.incident_id'),
    )
    .selectFrom('raised')
    .select('revision')
    .executeTakeFirst();
  return raised !== undefined;
}

function confirmations(row: Omit<Selectable<Tables['incidents']>, 'snapshot' | 'revision'>): Confirmation[] {
  const found: Confirmation[] = [];
  if (row.acknowledged_at !== null && row.acknowledged_by !== null) {
    found.push({ kind: 'acknowledge', user: row.acknowledged_by, at: row.acknowledged_at });
  }
  if (row.closed_at !== null && row.resolved_by !== null) {
    found.push({ kind: 'resolve', user: row.resolved_by, at: row.closed_at, note: row.resolution_note ?? '' });
  }
  return found;
}
