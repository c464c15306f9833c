import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Incident, IncidentSummary } from '../../contract/resources.ts';
import { type Confirmation, confirmedIncident } from '../known-incident.ts';
import type { WaitingAction } from '../views/incident-card.ts';
import { isAcknowledged } from '../views/incident-words.ts';
import { isSameSnapshot, mergeSnapshot } from './snapshot.ts';
import type { Tables } from './tables.ts';

/** Which cards the reconciler sends first. */
export const LANES = { person: 0, opened: 1, state: 2, count: 3 } as const;
export type Lane = (typeof LANES)[keyof typeof LANES];

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
  readonly revision: string;
}

export interface IncidentStore {
  find(incidentId: string): Promise<KnownIncident | null>;
  findIdByNumber(number: number): Promise<string | null>;
  /** Of the given ids, those that are known. */
  knownAmong(incidentIds: readonly string[]): Promise<Set<string>>;
  /** Of the given incidents, those that are new or say something new. */
  changedAmong(incidents: readonly IncidentSummary[]): Promise<IncidentSummary[]>;
  /** Ids of the incidents that we believe to be open. */
  openIds(): Promise<string[]>;
  /**
   * Takes over what the service said. A card for every subscription comes with a new incident; a new one that is closed
   * already gets in only with `isNews`. Says nothing of fields that `incident` leaves out.
   */
  observe(incident: Incident | IncidentSummary, observation: Observation): Promise<void>;
  /** @returns false when somebody else's confirmation was there first */
  confirm(incidentId: string, confirmation: Confirmation): Promise<boolean>;
  /** The service does not know it any more: its card stays as it is. */
  markGone(incidentId: string): Promise<void>;
  /** Something beside the incident has changed what its card shows. */
  touch(incidentId: string): Promise<void>;
  /** The newest `opened_at` when the feed first ran against a service; `first` is kept if this is the first time. */
  watermark(baseUrl: string, first: Date): Promise<Date>;
}

export function createIncidentStore(db: Kysely<Tables>): IncidentStore {
  const among = (incidentIds: readonly string[]) =>
    db
      .selectFrom('incidents')
      .select(['incident_id', 'snapshot'])
      .where('incident_id', '=', sql<string>`any(${incidentIds}::text[])`)
      .execute();

  async function changedAmong(incidents: readonly IncidentSummary[]): Promise<IncidentSummary[]> {
    const rows = await among(incidents.map((incident) => incident.id));
    const snapshots = new Map(rows.map((row) => [row.incident_id, row.snapshot]));
    return incidents.filter((incident) => {
      const before = snapshots.get(incident.id);
      return before === undefined || !isSameSnapshot(before, mergeSnapshot(before, incident));
    });
  }

  return {
    async find(incidentId) {
      const row = await db.selectFrom('incidents').selectAll().where('incident_id', '=', incidentId).executeTakeFirst();
      if (row === undefined) {
        return null;
      }
      const waiting = await db
        .selectFrom('pending_actions')
        .select(['kind', 'user_name', 'slack_user_id'])
        .where('incident_id', '=', incidentId)
        .where('settled_at', 'is', null)
        .where('attempts', '>', 0)
        .orderBy('created_at')
        .execute();
      return {
        incident: confirmedIncident(row.snapshot, confirmations(row)),
        waiting: waiting.map((action) => ({ kind: action.kind, user: action.user_name ?? action.slack_user_id })),
        revision: row.revision,
      };
    },

    async findIdByNumber(number) {
      const row = await db
        .selectFrom('incidents')
        .select('incident_id')
        .where('number', '=', String(number))
        .orderBy('revision', 'desc')
        .executeTakeFirst();
      return row?.incident_id ?? null;
    },

    async knownAmong(incidentIds) {
      const rows = await among(incidentIds);
      return new Set(rows.map((row) => row.incident_id));
    },

    changedAmong,

    async openIds() {
      const rows = await db
        .selectFrom('incidents')
        .select('incident_id')
        .where('status', '=', 'open')
        .where('is_gone', '=', false)
        .execute();
      return rows.map((row) => row.incident_id);
    },

    async observe(incident, observation) {
      if ((await changedAmong([incident])).length === 0) {
        return; // as nearly always, without a transaction
      }
      await db.transaction().execute(async (trx) => {
        const before = await trx
          .selectFrom('incidents')
          .select(['snapshot', 'as_of'])
          .where('incident_id', '=', incident.id)
          .forUpdate()
          .executeTakeFirst();
        if (before !== undefined) {
          await update(trx, before, incident, observation);
          return;
        }
        if (incident.status === 'open' || observation.isNews === true) {
          await insert(trx, incident, observation);
        }
      });
    },

    async confirm(incidentId, confirmation) {
      const first =
        confirmation.kind === 'acknowledge'
          ? db
              .updateTable('incidents')
              .set({ acknowledged_by: confirmation.user, acknowledged_at: confirmation.at })
              .where('acknowledged_at', 'is', null)
          : db
              .updateTable('incidents')
              .set({ resolved_by: confirmation.user, closed_at: confirmation.at, resolution_note: confirmation.note })
              .where('closed_at', 'is', null);
      const changed = await first.where('incident_id', '=', incidentId).returning('incident_id').execute();
      if (changed.length === 0) {
        return false;
      }
      await db.transaction().execute((trx) => raiseRevision(trx, incidentId, LANES.person));
      return true;
    },

    async markGone(incidentId) {
      await db.updateTable('incidents').set({ is_gone: true }).where('incident_id', '=', incidentId).execute();
    },

    async touch(incidentId) {
      await db.transaction().execute((trx) => raiseRevision(trx, incidentId, LANES.person));
    },

    async watermark(baseUrl, first) {
      await db
        .insertInto('feed_starts')
        .values({ base_url: baseUrl, watermark: first })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const row = await db
        .selectFrom('feed_starts')
        .select('watermark')
        .where('base_url', '=', baseUrl)
        .executeTakeFirstOrThrow();
      return row.watermark;
    },
  };
}

async function insert(
  trx: Transaction<Tables>,
  incident: Incident | IncidentSummary,
  { lane, asOf }: Observation,
): Promise<void> {
  const inserted = await trx
    .insertInto('incidents')
    .values({
      incident_id: incident.id,
      number: incident.number ?? null,
      status: incident.status,
      as_of: asOf,
      snapshot: JSON.stringify(mergeSnapshot(null, incident)),
      acknowledged_by: null,
      acknowledged_at: null,
      resolved_by: null,
      closed_at: null,
      resolution_note: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('incident_id')
    .executeTakeFirst();
  if (inserted === undefined) {
    return; // another process was faster; the next poll brings what differs
  }
  await trx
    .insertInto('cards')
    .columns(['incident_id', 'channel_id', 'desired_revision', 'lane', 'created_at'])
    .expression((eb) =>
      eb
        .selectFrom('subscriptions')
        .select([
          sql<string>`${incident.id}::text`.as('incident_id'),
          'channel_id',
          sql<string>`1::bigint`.as('desired_revision'),
          sql<number>`${Math.min(lane, LANES.opened)}::smallint`.as('lane'),
          sql<Date>`${asOf}::timestamptz`.as('created_at'),
        ]),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

async function update(
  trx: Transaction<Tables>,
  before: { snapshot: Incident; as_of: Date },
  incident: Incident | IncidentSummary,
  { lane, asOf, mayLag = false }: Observation,
): Promise<void> {
  const after = mergeSnapshot(before.snapshot, incident);
  if (asOf < before.as_of || (mayLag && isOlder(after, before.snapshot)) || isSameSnapshot(before.snapshot, after)) {
    return;
  }
  await trx
    .updateTable('incidents')
    .set({
      number: after.number ?? null,
      status: after.status,
      snapshot: JSON.stringify(after),
      as_of: asOf,
      is_gone: false,
    })
    .where('incident_id', '=', incident.id)
    .execute();
  await raiseRevision(trx, incident.id, hasNewState(before.snapshot, after) ? Math.min(lane, LANES.state) : lane);
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

async function raiseRevision(trx: Transaction<Tables>, incidentId: string, lane: number): Promise<void> {
  await trx
    .updateTable('incidents')
    .set({ revision: sql`revision + 1` })
    .where('incident_id', '=', incidentId)
    .execute();
  await trx
    .updateTable('cards')
    .set({
      desired_revision: sql`(select revision from incidents where incidents.incident_id = cards.incident_id)`,
      due_since: sql`case when shown_revision < desired_revision then due_since else now() end`,
      lane: sql`case when shown_revision < desired_revision then least(lane, ${lane}::smallint) else ${lane}::smallint end`,
    })
    .where('incident_id', '=', incidentId)
    .execute();
}

function confirmations(row: Selectable<Tables['incidents']>): Confirmation[] {
  const found: Confirmation[] = [];
  if (row.acknowledged_at !== null && row.acknowledged_by !== null) {
    found.push({ kind: 'acknowledge', user: row.acknowledged_by, at: row.acknowledged_at });
  }
  if (row.closed_at !== null && row.resolved_by !== null) {
    found.push({ kind: 'resolve', user: row.resolved_by, at: row.closed_at, note: row.resolution_note ?? '' });
  }
  return found;
}
