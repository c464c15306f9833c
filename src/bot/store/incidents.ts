import { type InferResult, type Kysely, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Incident, IncidentSummary } from '../../contract/resources.ts';
import { type Confirmation, isAcknowledged, type KnownIncident } from '../domain/incident.ts';
import {
  confirmWrite,
  type IncidentState,
  loseIncident,
  type Observation,
  observeIncident,
  type StateChange,
  stateOf,
} from '../domain/observation.ts';
import { isSameSnapshot, mergeSnapshot } from '../domain/snapshot.ts';
import { URGENCY } from '../domain/urgency.ts';
import { insertCards, redrawIncident } from './cards.ts';
import { redraw } from './messages.ts';
import type { Tables } from './tables.ts';

export interface Observed {
  /** null: it was already closed when first seen, and is not recent. */
  readonly known: KnownIncident | null;
  /** Whether the content of the cards has changed. */
  readonly hasChanged: boolean;
}

export interface IncidentStore {
  find(incidentId: string): Promise<KnownIncident | null>;
  /** The known ones among the given ids. */
  findAll(incidentIds: readonly string[]): Promise<Map<string, KnownIncident>>;
  findIdByNumber(number: number): Promise<string | null>;
  /** The given ids that are known and not gone. */
  knownAmong(incidentIds: readonly string[]): Promise<Set<string>>;
  /** The given incidents that are new or differ from the stored state. */
  changedAmong(incidents: readonly IncidentSummary[]): Promise<IncidentSummary[]>;
  /** Ids of the incidents whose stored state is open. */
  openIds(): Promise<string[]>;
  /** Stores what the service showed. A new incident gets a card in each subscribed channel. */
  observe(incident: Incident | IncidentSummary, observation: Observation): Promise<Observed>;
  /**
   * Stores a write that the service confirmed. It replaces a confirmation from before `readAt` that the service did not
   * carry out.
   *
   * @param readAt when the incident was read before the write, without such a change
   * @returns false: somebody else's confirmation came first
   */
  confirm(incidentId: string, confirmation: Confirmation, readAt: Date): Promise<boolean>;
  /** Marks an incident that the service no longer has. Its card says so until the service shows it again. */
  markGone(incidentId: string): Promise<void>;
  /** Redraws the cards of an incident after a change outside the incident itself. */
  touch(incidentId: string): Promise<void>;
}

type IncidentRow = InferResult<ReturnType<typeof selectIncidents>>[number];

/** Selects incidents with their pending actions. Actions of one person and kind count as one. */
function selectIncidents(db: Kysely<Tables>, incidentIds: readonly string[]) {
  return db
    .selectFrom('incidents')
    .selectAll()
    .select((eb) =>
      jsonArrayFrom(
        eb
          .selectFrom('actions')
          .select(['kind', sql<string>`coalesce(user_name, slack_user_id)`.as('user')])
          .whereRef('actions.incident_id', '=', 'incidents.incident_id')
          .where('settled_at', 'is', null)
          .where('attempts', '>', 0)
          .groupBy(['kind', 'user_name', 'slack_user_id'])
          .orderBy((group) => group.fn.min('created_at')),
      ).as('waiting'),
    )
    .where('incident_id', '=', sql<string>`any(${incidentIds}::text[])`);
}

export function createIncidentStore(db: Kysely<Tables>): IncidentStore {
  const snapshotsOf = (incidentIds: readonly string[]) =>
    db
      .selectFrom('incidents')
      .select(['incident_id', 'snapshot'])
      .where('incident_id', '=', sql<string>`any(${incidentIds}::text[])`)
      .where('is_gone', '=', false)
      .execute();

  /** Changes the incident under its lock and makes its cards due. */
  function change(
    incidentId: string,
    rule: (before: IncidentState) => StateChange,
  ): Promise<{ row: IncidentRow; hasChanged: boolean } | null> {
    return db.transaction().execute(async (tx) => {
      const row = await selectIncidents(tx, [incidentId]).forUpdate().executeTakeFirst();
      const changed = row === undefined ? null : rule(toState(row));
      if (row === undefined || changed === null) {
        return row === undefined ? null : { row, hasChanged: false };
      }
      const { state, urgency } = changed;
      await tx.updateTable('incidents').set(columnsOf(state)).where('incident_id', '=', incidentId).execute();
      await redrawIncident(incidentId, urgency).execute(tx);
      return { row: { ...row, incident: state.incident, is_gone: state.isGone }, hasChanged: true };
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
        .orderBy('as_of', 'desc')
        .executeTakeFirst();
      return row?.incident_id ?? null;
    },

    async knownAmong(incidentIds) {
      const rows = await snapshotsOf(incidentIds);
      return new Set(rows.map((row) => row.incident_id));
    },

    async changedAmong(incidents) {
      const rows = await snapshotsOf(incidents.map((incident) => incident.id));
      const snapshots = new Map(rows.map((row) => [row.incident_id, row.snapshot]));
      return incidents.filter((incident) => {
        const before = snapshots.get(incident.id);
        return before === undefined || !isSameSnapshot(before, mergeSnapshot(before, incident));
      });
    },

    async openIds() {
      const rows = await db.selectFrom('incidents').select('incident_id').where('is_open', '=', true).execute();
      return rows.map((row) => row.incident_id);
    },

    async observe(incident, observation) {
      const known = await selectIncidents(db, [incident.id]).executeTakeFirst();
      if (known === undefined) {
        const isOurs = incident.status === 'open' || observation.isNews === true;
        return isOurs ? insertIncident(db, incident, observation) : { known: null, hasChanged: false };
      }
      if (!known.is_gone && isSameSnapshot(known.snapshot, mergeSnapshot(known.snapshot, incident))) {
        return { known: toKnown(known), hasChanged: false }; // common case, needs no transaction
      }
      const changed = await change(incident.id, (before) => observeIncident(before, incident, observation));
      return changed === null
        ? { known: null, hasChanged: false }
        : { known: toKnown(changed.row), hasChanged: changed.hasChanged };
    },

    async confirm(incidentId, confirmation, readAt) {
      const changed = await change(incidentId, (before) => confirmWrite(before, confirmation, readAt));
      return changed?.hasChanged ?? false;
    },

    async markGone(incidentId) {
      await change(incidentId, loseIncident);
    },

    async touch(incidentId) {
      await redrawIncident(incidentId, URGENCY.person).execute(db);
    },
  };
}

function toState({ snapshot, confirmations, is_gone: isGone, incident, as_of: asOf }: IncidentRow): IncidentState {
  return { snapshot, confirmations, isGone, incident, asOf };
}

/** The columns of a row. Most are derived from the state for use in queries. */
function columnsOf({ snapshot, confirmations, isGone, incident, asOf }: IncidentState) {
  return {
    snapshot: JSON.stringify(snapshot),
    confirmations: JSON.stringify(confirmations),
    is_gone: isGone,
    incident: JSON.stringify(incident),
    number: incident.number ?? null,
    is_open: incident.status === 'open' && !isGone,
    is_acknowledged: isAcknowledged(incident),
    root_service: incident.root_service,
    opened_at: new Date(incident.opened_at),
    closed_at: closedAtOf(incident, asOf),
    as_of: asOf,
  };
}

/** Falls back to `asOf` if the service does not report when it closed the incident. */
function closedAtOf({ status, closed_at: closedAt }: Incident, asOf: Date): Date | null {
  if (status !== 'closed') {
    return null;
  }
  const at = new Date(closedAt ?? Number.NaN);
  return Number.isNaN(at.getTime()) ? asOf : at;
}

/** The incident and its cards, in one statement. */
async function insertIncident(
  db: Kysely<Tables>,
  incident: Incident | IncidentSummary,
  { urgency, asOf }: Observation,
): Promise<Observed> {
  const { signal_count: signals } = incident;
  const state = stateOf({ snapshot: mergeSnapshot(null, incident), confirmations: [], isGone: false, asOf });
  const { rows } = await sql`
    with inserted as (
      ${db
        .insertInto('incidents')
        .values({ incident_id: incident.id, ...columnsOf(state), first_signal_count: signals })
        .onConflict((conflict) => conflict.doNothing())
        .returning('incident_id')}
    ), cards as (
      ${insertCards(sql`inserted`, urgency < URGENCY.opened ? urgency : URGENCY.opened)} returning storm_id
    ), storm as (
      ${redraw(sql<boolean>`id in (select storm_id from cards)`, URGENCY.state)}
    )
    select from inserted`.execute(db);
  // No row: another process was faster. The next poll stores any difference.
  return rows.length === 0
    ? { known: null, hasChanged: false }
    : {
        known: { incident: state.incident, isGone: false, waiting: [], firstSignalCount: signals },
        hasChanged: true,
      };
}

function toKnown({ incident, is_gone, waiting, first_signal_count }: IncidentRow): KnownIncident {
  return { incident, isGone: is_gone, waiting, firstSignalCount: Number(first_signal_count) };
}
