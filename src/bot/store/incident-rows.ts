import {
  type Expression,
  type InferResult,
  type Kysely,
  type Selectable,
  sql,
  type Transaction,
  type Updateable,
} from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Incident, IncidentSummary } from '../../contract/resources.ts';
import { type Confirmation, confirmedIncident } from '../domain/confirmed-incident.ts';
import { isReopened, isSameSnapshot, mergeSnapshot } from '../domain/snapshot.ts';
import type { WaitingAction } from '../views/incident-card.ts';
import { isAcknowledged } from '../views/incident-words.ts';
import { dueIn, LANES, type Lane } from './lanes.ts';
import type { Tables } from './tables.ts';

/** Longer than a poll of many pages takes from its start until the last of it is written down. */
const LONGEST_WAY_MS = 5 * 60_000;

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
  /** The service no longer knows it. */
  readonly isGone: boolean;
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

type IncidentRow = InferResult<ReturnType<typeof selectIncidents>>[number];

/** With the actions on each that wait, those of one person and kind as one. */
export function selectIncidents(db: Kysely<Tables>, incidentIds: readonly string[]) {
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
          .groupBy(['kind', 'user_name', 'slack_user_id'])
          .orderBy((group) => group.fn.min('created_at')),
      ).as('waiting'),
    )
    .where('incident_id', '=', sql<string>`any(${incidentIds}::text[])`);
}

export function toKnown({ waiting, revision, snapshot, ...row }: IncidentRow): KnownIncident {
  return {
    incident: confirmedIncident(snapshot, confirmations(row)),
    isGone: row.is_gone,
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
          ...NOTHING_CONFIRMED,
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
          isGone: false,
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
  const before = await selectIncidents(trx, [incident.id]).forUpdate().executeTakeFirstOrThrow();
  const after = mergeSnapshot(before.snapshot, incident);
  const isNew = before.is_gone || !isSameSnapshot(before.snapshot, after);
  if (isLate(asOf, before.as_of) || (mayLag && isOlder(after, before.snapshot)) || !isNew) {
    return { known: toKnown(before), hasChanged: false };
  }
  const forgotten = isReopened(before.snapshot, after) ? NOTHING_CONFIRMED : {};
  const isState = before.is_gone || hasNewState(before.snapshot, after);
  await raiseRevision(trx, incident.id, isState ? Math.min(lane, LANES.state) : lane, {
    number: after.number ?? null,
    status: after.status,
    snapshot: JSON.stringify(after),
    as_of: asOf,
    is_gone: false,
    ...forgotten,
  });
  const revision = String(BigInt(before.revision) + 1n);
  const row = { ...before, ...forgotten, is_gone: false, snapshot: after, revision };
  return { known: toKnown(row), hasChanged: true };
}

const NOTHING_CONFIRMED = {
  acknowledged_by: null,
  acknowledged_at: null,
  resolved_by: null,
  closed_at: null,
  resolution_note: null,
} as const;

/** Asked for before what is known was; a time far ahead is from a clock that has been set back since. */
function isLate(asOf: Date, knownAsOf: Date): boolean {
  const aheadMs = knownAsOf.getTime() - asOf.getTime();
  return aheadMs > 0 && aheadMs < LONGEST_WAY_MS;
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
 * @param where else nothing changes
 * @returns whether it changed
 */
export async function raiseRevision(
  db: Kysely<Tables>,
  incidentId: string,
  lane: number,
  changes: Updateable<Tables['incidents']> = {},
  where: Expression<boolean> = sql<boolean>`true`,
): Promise<boolean> {
  const raised = await db
    .with('raised', (cte) =>
      cte
        .updateTable('incidents')
        .set({ ...changes, revision: sql`revision + 1` })
        .where('incident_id', '=', incidentId)
        .where(where)
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
