import { type InferResult, type Kysely, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Incident, IncidentSummary } from '../../contract/resources.ts';
import { type Confirmation, confirmedIncident, isAcknowledged, type KnownIncident } from '../domain/incident.ts';
import { isReopened, isSameSnapshot, mergeSnapshot } from '../domain/snapshot.ts';
import { URGENCY, type Urgency } from '../domain/urgency.ts';
import { insertCards, redrawIncident } from './cards.ts';
import { redraw } from './messages.ts';
import type { Tables } from './tables.ts';

/** The longest time between asking the service for many pages and storing the last of them. */
const LONGEST_READ_MS = 5 * 60_000;

export interface Observation {
  readonly urgency: Urgency;
  /** When the service was asked. A slow answer must not undo a newer one. */
  readonly asOf: Date;
  /** Store it even if it is closed and was never seen open. */
  readonly isNews?: boolean;
  /** It came by a way that may be slower than the others: `updated_at` decides. */
  readonly mayLag?: boolean;
}

export interface Observed {
  /** null: closed before it was ever seen, and no news. */
  readonly known: KnownIncident | null;
  /** What cards show has changed. */
  readonly hasChanged: boolean;
}

export interface IncidentStore {
  find(incidentId: string): Promise<KnownIncident | null>;
  /** The known ones among the given ids. */
  findAll(incidentIds: readonly string[]): Promise<Map<string, KnownIncident>>;
  findIdByNumber(number: number): Promise<string | null>;
  /** The given ids that are known and not gone. */
  knownAmong(incidentIds: readonly string[]): Promise<Set<string>>;
  /** The given incidents that are new or differ from what is known. */
  changedAmong(incidents: readonly IncidentSummary[]): Promise<IncidentSummary[]>;
  /** Ids of the incidents that are believed to be open. */
  openIds(): Promise<string[]>;
  /** Stores what the service showed. A new incident gets a card in each subscribed channel. */
  observe(incident: Incident | IncidentSummary, observation: Observation): Promise<Observed>;
  /**
   * Stores a write that the service confirmed. It replaces a confirmation from before `readAt`, which the service did
   * not carry out.
   *
   * @param readAt when the service was asked, before the write, and showed nothing of the kind
   * @returns false when somebody else's confirmation was there first
   */
  confirm(incidentId: string, confirmation: Confirmation, readAt: Date): Promise<boolean>;
  /** The service no longer has it. Its card says so until the service shows it again. */
  markGone(incidentId: string): Promise<void>;
  /** Something beside the incident has changed what its card shows. */
  touch(incidentId: string): Promise<void>;
}

type IncidentRow = InferResult<ReturnType<typeof selectIncidents>>[number];

/** With the waiting actions on each; those of one person and kind count as one. */
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
    compute: (before: IncidentRow) => { state: StoredState; urgency: Urgency; asOf?: Date } | null,
  ): Promise<{ before: IncidentRow; hasChanged: boolean; state: StoredState } | null> {
    return db.transaction().execute(async (tx) => {
      const before = await selectIncidents(tx, [incidentId]).forUpdate().executeTakeFirst();
      if (before === undefined) {
        return null;
      }
      const next = compute(before);
      if (next === null) {
        return { before, hasChanged: false, state: before };
      }
      await tx
        .updateTable('incidents')
        .set(columnsOf(next.state, next.asOf ?? before.as_of))
        .where('incident_id', '=', incidentId)
        .execute();
      await redrawIncident(incidentId, next.urgency).execute(tx);
      return { before, hasChanged: true, state: next.state };
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
        return { known: toKnown(known), hasChanged: false }; // the usual case, without a transaction
      }
      const changed = await change(incident.id, (before) => takeOver(before, incident, observation));
      return changed === null
        ? { known: null, hasChanged: false }
        : { known: toKnown({ ...changed.before, ...changed.state }), hasChanged: changed.hasChanged };
    },

    async confirm(incidentId, confirmation, readAt) {
      const confirmed = await change(incidentId, ({ snapshot, confirmations, is_gone }) => {
        const earlier = confirmations.find(({ kind }) => kind === confirmation.kind);
        if (earlier !== undefined && new Date(earlier.at) >= readAt) {
          return null;
        }
        const others = confirmations.filter(({ kind }) => kind !== confirmation.kind);
        return {
          state: stateOf(snapshot, [...others, confirmation], is_gone),
          urgency: URGENCY.person,
        };
      });
      return confirmed?.hasChanged ?? false;
    },

    async markGone(incidentId) {
      await change(incidentId, ({ snapshot, confirmations, is_gone }) =>
        is_gone ? null : { state: stateOf(snapshot, confirmations, true), urgency: URGENCY.state },
      );
    },

    async touch(incidentId) {
      await redrawIncident(incidentId, URGENCY.person).execute(db);
    },
  };
}

/** What is stored of an incident; all but the first three is computed from these. */
interface StoredState {
  readonly snapshot: Incident;
  readonly confirmations: Confirmation[];
  readonly is_gone: boolean;
  readonly incident: Incident;
}

function stateOf(snapshot: Incident, confirmations: Confirmation[], isGone: boolean): StoredState {
  return { snapshot, confirmations, is_gone: isGone, incident: confirmedIncident(snapshot, confirmations) };
}

/** @param asOf when the service was asked for the snapshot */
function columnsOf({ snapshot, confirmations, is_gone, incident }: StoredState, asOf: Date) {
  return {
    number: incident.number ?? null,
    snapshot: JSON.stringify(snapshot),
    confirmations: JSON.stringify(confirmations),
    incident: JSON.stringify(incident),
    is_open: incident.status === 'open' && !is_gone,
    is_acknowledged: isAcknowledged(incident),
    root_service: incident.root_service,
    opened_at: new Date(incident.opened_at),
    closed_at: closedAtOf(incident, asOf),
    as_of: asOf,
    is_gone,
  };
}

/** A service that does not show when it closed an incident had done so by `asOf`. */
function closedAtOf({ status, closed_at: closedAt }: Incident, asOf: Date): Date | null {
  if (status !== 'closed') {
    return null;
  }
  const at = new Date(closedAt ?? Number.NaN);
  return Number.isNaN(at.getTime()) ? asOf : at;
}

/** @returns the incident as it is from now on; null: nothing new */
function takeOver(
  before: IncidentRow,
  incident: Incident | IncidentSummary,
  { urgency, asOf, mayLag = false }: Observation,
): { state: StoredState; urgency: Urgency; asOf: Date } | null {
  const after = mergeSnapshot(before.snapshot, incident);
  const isNew = before.is_gone || !isSameSnapshot(before.snapshot, after);
  if (isLate(asOf, before.as_of) || (mayLag && isOlder(after, before.snapshot)) || !isNew) {
    return null;
  }
  const confirmations = isReopened(before.snapshot, after) ? [] : before.confirmations;
  const isState = before.is_gone || hasNewState(before.snapshot, after);
  return {
    state: stateOf(after, confirmations, false),
    urgency: isState && urgency > URGENCY.state ? URGENCY.state : urgency,
    asOf,
  };
}

/** Asked for before what is known was. A time far ahead is from a clock that was set back since. */
function isLate(asOf: Date, knownAsOf: Date): boolean {
  const aheadMs = knownAsOf.getTime() - asOf.getTime();
  return aheadMs > 0 && aheadMs < LONGEST_READ_MS;
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

/** The incident and its cards, in one statement. */
async function insertIncident(
  db: Kysely<Tables>,
  incident: Incident | IncidentSummary,
  { urgency, asOf }: Observation,
): Promise<Observed> {
  const { signal_count: signals } = incident;
  const state = stateOf(mergeSnapshot(null, incident), [], false);
  const { rows } = await sql`
    with inserted as (
      ${db
        .insertInto('incidents')
        .values({ incident_id: incident.id, ...columnsOf(state, asOf), first_signal_count: signals })
        .onConflict((conflict) => conflict.doNothing())
        .returning('incident_id')}
    ), cards as (
      ${insertCards(sql`inserted`, urgency < URGENCY.opened ? urgency : URGENCY.opened)} returning storm_id
    ), storm as (
      ${redraw(sql<boolean>`id in (select storm_id from cards)`, URGENCY.state)}
    )
    select from inserted`.execute(db);
  // Without a row another process was faster; the next poll brings what differs.
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
