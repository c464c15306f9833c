import { type Kysely, sql } from 'kysely';
import type { Incident, IncidentSummary } from '../../contract/resources.ts';
import type { Confirmation } from '../domain/confirmed-incident.ts';
import { isSameSnapshot, mergeSnapshot } from '../domain/snapshot.ts';
import {
  insertIncident,
  type KnownIncident,
  type Observation,
  type Observed,
  raiseRevision,
  selectIncidents,
  toKnown,
  updateIncident,
} from './incident-rows.ts';
import { LANES } from './lanes.ts';
import type { Tables } from './tables.ts';

export interface IncidentStore {
  find(incidentId: string): Promise<KnownIncident | null>;
  /** Of the given ids, those that are known. */
  findAll(incidentIds: readonly string[]): Promise<Map<string, KnownIncident>>;
  findIdByNumber(number: number): Promise<string | null>;
  /** Of the given ids, those that are known and not gone. */
  knownAmong(incidentIds: readonly string[]): Promise<Set<string>>;
  /** Of the given incidents, those that are new or say something new. */
  changedAmong(incidents: readonly IncidentSummary[]): Promise<IncidentSummary[]>;
  /** Ids of the incidents that we believe to be open. */
  openIds(): Promise<string[]>;
  /**
   * Takes over what the service said. A card for every subscription comes with a new incident; a new one that is closed
   * already gets in only with `isNews`. Says nothing of fields that `incident` leaves out.
   */
  observe(incident: Incident | IncidentSummary, observation: Observation): Promise<Observed>;
  /**
   * Takes the place of one from before `readAt`, which the service has not carried out.
   *
   * @param readAt when the service was asked and showed nothing of the kind, before the write
   * @returns false when somebody else's confirmation was there first
   */
  confirm(incidentId: string, confirmation: Confirmation, readAt: Date): Promise<boolean>;
  /** The service does not know it any more, and its card says so, until the service lists or shows it again. */
  markGone(incidentId: string): Promise<void>;
  /** Something beside the incident has changed what its card shows. */
  touch(incidentId: string): Promise<void>;
  /** The newest `opened_at` when the feed first ran against a service; `first` is kept if this is the first time. */
  watermark(serviceId: string, first: Date): Promise<Date>;
}

export function createIncidentStore(db: Kysely<Tables>): IncidentStore {
  const knownOf = (incidentIds: readonly string[]) =>
    db
      .selectFrom('incidents')
      .select(['incident_id', 'snapshot'])
      .where('incident_id', '=', sql<string>`any(${incidentIds}::text[])`)
      .where('is_gone', '=', false)
      .execute();

  async function changedAmong(incidents: readonly IncidentSummary[]): Promise<IncidentSummary[]> {
    const rows = await knownOf(incidents.map((incident) => incident.id));
    const snapshots = new Map(rows.map((row) => [row.incident_id, row.snapshot]));
    return incidents.filter((incident) => {
      const before = snapshots.get(incident.id);
      return before === undefined || !isSameSnapshot(before, mergeSnapshot(before, incident));
    });
  }

  return {
    async find(incidentId) {
      const row = await selectIncidents(db, [incidentId]).executeTakeFirst();
      return row === undefined ? null : toKnown(row);
    },

    async findAll(incidentIds) {
      const rows = await selectIncidents(db, incidentIds).execute();
      return new Map(rows.map((row) => [row.incident_id, toKnown(row)]));
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
      const rows = await knownOf(incidentIds);
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
      const before = await selectIncidents(db, [incident.id]).executeTakeFirst();
      if (before === undefined) {
        const isOurs = incident.status === 'open' || observation.isNews === true;
        return isOurs ? insertIncident(db, incident, observation) : { known: null, hasChanged: false };
      }
      if (!before.is_gone && isSameSnapshot(before.snapshot, mergeSnapshot(before.snapshot, incident))) {
        return { known: toKnown(before), hasChanged: false }; // as nearly always, without a transaction
      }
      return db.transaction().execute((trx) => updateIncident(trx, incident, observation));
    },

    confirm(incidentId, confirmation, readAt) {
      const { kind, user, at } = confirmation;
      const [column, changes] =
        kind === 'acknowledge'
          ? (['acknowledged_at', { acknowledged_by: user, acknowledged_at: at }] as const)
          : (['closed_at', { resolved_by: user, closed_at: at, resolution_note: confirmation.note }] as const);
      const isFirst = sql<boolean>`(${sql.ref(column)} is null or ${sql.ref(column)} < ${readAt})`;
      return raiseRevision(db, incidentId, LANES.person, changes, isFirst);
    },

    async markGone(incidentId) {
      await raiseRevision(db, incidentId, LANES.state, { is_gone: true }, sql<boolean>`not is_gone`);
    },

    async touch(incidentId) {
      await raiseRevision(db, incidentId, LANES.person);
    },

    async watermark(serviceId, first) {
      await db
        .insertInto('feed_starts')
        .values({ base_url: serviceId, watermark: first })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      const row = await db
        .selectFrom('feed_starts')
        .select('watermark')
        .where('base_url', '=', serviceId)
        .executeTakeFirstOrThrow();
      return row.watermark;
    },
  };
}
