import { type Kysely, type RawBuilder, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Incident, IncidentSummary } from '../../contract/resources.ts';
import { WITHOUT_FLUSH } from '../../database/durability.ts';
import { isAcknowledged, type KnownIncident, type KnownPerson } from '../domain/incident.ts';
import {
  type ConfirmedWrite,
  confirmWrite,
  type IncidentState,
  loseIncident,
  type Observation,
  observeIncident,
  type StateChange,
  stateOf,
} from '../domain/observation.ts';
import { type Placement, placementKey, placementsOf } from '../domain/rule.ts';
import { byUrgency } from '../domain/severity.ts';
import { isSameSnapshot, mergeSnapshot, type Snapshot } from '../domain/snapshot.ts';
import { URGENCY, type Urgency } from '../domain/urgency.ts';
import { insertCards, redrawCards } from './cards.ts';
import { redraw } from './due.ts';
import { redrawHomes } from './homes.ts';
import { placedRows, readRules } from './rules.ts';
import type { Tables } from './tables.ts';

export interface Observed {
  /** null: it was already closed when first seen, and is not recent. */
  readonly known: KnownIncident | null;
  /** Whether the content of the cards has changed. */
  readonly hasChanged: boolean;
}

const UNKNOWN: Observed = { known: null, hasChanged: false };

export interface IncidentStore {
  find(incidentId: string): Promise<KnownIncident | null>;
  /** The known ones among the given ids. */
  findAll(incidentIds: readonly string[]): Promise<Map<string, Snapshot>>;
  findIdByNumber(number: number): Promise<string | null>;
  /** The given ids that are known and not gone. */
  knownAmong(incidentIds: readonly string[]): Promise<Set<string>>;
  /** The given incidents that are new or differ from the stored state. */
  changedAmong(incidents: readonly IncidentSummary[]): Promise<IncidentSummary[]>;
  /** Open incidents with this root service in any case, the worst first. @param rootService null: all */
  listOpen(rootService: string | null): Promise<Snapshot[]>;
  /** The open ones, and those that closed since then: by the time of the service, else when the bot saw it. */
  since(at: Date): Promise<Snapshot[]>;
  /** Ids of the incidents whose stored state is open. */
  openIds(): Promise<string[]>;
  /** Open incidents, newest first. */
  newestOpen(limit: number): Promise<Snapshot[]>;
  /** Stores what the service showed. The incident gets a card in each channel whose rules want it. */
  observe(incident: Incident | IncidentSummary, observation: Observation): Promise<Observed>;
  /**
   * Stores a write that the service confirmed.
   *
   * @returns `isFirst`: no other confirmation came first
   */
  confirm(incidentId: string, write: ConfirmedWrite): Promise<Observed & { readonly isFirst: boolean }>;
  /** Marks an incident that the service no longer has. Its card says so until the service shows it again. */
  markGone(incidentId: string): Promise<void>;
  /** Replaces the set of incidents that the service no longer lists as open, and that could not be read since. */
  setUnread(incidentIds: readonly string[]): Promise<void>;
  /** Redraws the cards of an incident after a change outside the incident itself. */
  touch(incidentId: string): Promise<void>;
}

interface StoredIncident extends KnownIncident, IncidentState {
  readonly version: string;
}

/**
 * The people named in an incident whom Slack knows: those whose action it was, and others by e-mail address, which is
 * unique. Display names are not, so nobody is found by them.
 */
const PEOPLE = sql<readonly KnownPerson[]>`(
  select coalesce(json_agg(json_build_object('name', name, 'slackUserId', slack_user_id)), '[]') from (
    select name, min(slack_user_id) as slack_user_id from (
      select user_name as name, slack_user_id from actions
      where actions.incident_id = incidents.incident_id and user_name is not null
      union
      select name, slack_user_id from people
      where position('@' in name) > 1 and name in (
        incidents.incident->>'acknowledged_by', incidents.incident->>'resolved_by',
        incidents.incident->'mute'->>'created_by')
    ) as known
    group by name having count(distinct slack_user_id) = 1
  ) as unambiguous)`;

/** Selects an incident with its pending actions and related incidents. Actions of one person and kind count as one. */
function selectIncident(db: Kysely<Tables>, incidentId: string) {
  return db
    .selectFrom('incidents')
    .select(['snapshot', 'confirmations', 'is_gone as isGone', 'is_unread as isUnread', 'incident', 'as_of as asOf'])
    .select((eb) => [
      'version',
      'first_signal_count as firstSignalCount',
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
      sql<readonly Snapshot[]>`(
        select coalesce(json_agg(other.incident), '[]') from incidents as other
        where other.incident_id in (
          incidents.incident->>'previous_incident_id', incidents.incident->>'merged_into'))`.as('related'),
      PEOPLE.as('people'),
    ])
    .where('incident_id', '=', incidentId);
}

export function createIncidentStore(db: Kysely<Tables>): IncidentStore {
  const snapshotsOf = (incidentIds: readonly string[]) =>
    db
      .selectFrom('incidents')
      .select(['incident_id', 'snapshot'])
      .where('incident_id', '=', sql<string>`any(${incidentIds}::text[])`)
      .where('is_gone', '=', false)
      .execute();

  async function find(incidentId: string): Promise<StoredIncident | null> {
    const row = await selectIncident(db, incidentId).executeTakeFirst();
    return row === undefined ? null : { ...row, firstSignalCount: Number(row.firstSignalCount) };
  }

  /**
   * Changes an incident and makes its cards due, in one statement. If another process changed it first, the rule is
   * applied to that state.
   *
   * @returns null: it is not known
   */
  async function change(incidentId: string, rule: (before: IncidentState) => StateChange): Promise<Observed | null> {
    for (let known = await find(incidentId); known !== null; known = await find(incidentId)) {
      const changed = rule(known);
      if (changed === null) {
        return { known, hasChanged: false };
      }
      if (await replace(db, known, changed)) {
        return { known: { ...known, ...changed.state }, hasChanged: true };
      }
    }
    return null;
  }

  return {
    find,

    async findAll(incidentIds) {
      const rows = await db
        .selectFrom('incidents')
        .select(['incident_id', 'incident'])
        .where('incident_id', '=', sql<string>`any(${incidentIds}::text[])`)
        .execute();
      return new Map(rows.map((row) => [row.incident_id, row.incident]));
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

    async listOpen(rootService) {
      const rows = await db
        .selectFrom('incidents')
        .select('incident')
        .where('is_open', '=', true)
        .$if(rootService !== null, (query) =>
          query.where(sql`lower(root_service)`, '=', sql<string>`lower(${rootService})`),
        )
        .execute();
      return rows.map((row) => row.incident).sort(byUrgency);
    },

    async since(at) {
      const { rows } = await sql<{ incident: Snapshot }>`
        select incident from incidents where is_open or closed_at >= ${at}`.execute(db);
      return rows.map((row) => row.incident);
    },

    async openIds() {
      const rows = await db.selectFrom('incidents').select('incident_id').where('is_open', '=', true).execute();
      return rows.map((row) => row.incident_id);
    },

    async newestOpen(limit) {
      const rows = await db
        .selectFrom('incidents')
        .select('incident')
        .where('is_open', '=', true)
        .orderBy('opened_at', 'desc')
        .limit(limit)
        .execute();
      return rows.map(({ incident }) => incident);
    },

    async observe(incident, observation) {
      const inserted = observation.isFirst === true ? await insertIncident(db, incident, observation) : null;
      if (inserted !== null) {
        return inserted;
      }
      const changed = await change(incident.id, (before) => observeIncident(before, incident, observation));
      if (changed !== null) {
        return changed;
      }
      const isOurs = incident.status === 'open' || observation.isNews === true;
      // If another process is faster, the next poll stores any difference.
      return (isOurs ? await insertIncident(db, incident, observation) : null) ?? UNKNOWN;
    },

    async confirm(incidentId, write) {
      let isFirst = false;
      const changed = await change(incidentId, (before) => {
        const confirmed = confirmWrite(before, write);
        isFirst = confirmed.isFirst;
        return confirmed.change;
      });
      return { ...(changed ?? UNKNOWN), isFirst };
    },

    async markGone(incidentId) {
      await change(incidentId, loseIncident);
    },

    async setUnread(incidentIds) {
      await sql`
        update incidents set is_unread = not is_unread
        where is_unread <> (incident_id = any(${incidentIds}::text[]))`.execute(db);
    },

    async touch(incidentId) {
      await redrawCards(sql`${incidentId}`, URGENCY.person).execute(db);
    },
  };
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

/** @returns false: the incident or the rules have changed since they were read */
async function replace(
  db: Kysely<Tables>,
  before: StoredIncident,
  { state, urgency }: NonNullable<StateChange>,
): Promise<boolean> {
  const { id } = before.incident;
  const isMoved = placementKey(before.incident) !== placementKey(state.incident) && state.incident.status === 'open';
  const placed = isMoved ? await place(db, state) : null;
  const { rows } = await sql`
    with changed as (
      ${db
        .updateTable('incidents')
        .set({ ...columnsOf(state), version: sql`version + 1` })
        .where('incident_id', '=', id)
        .where('version', '=', before.version)
        .where(placed === null ? sql<boolean>`true` : hasRules(placed.version))
        .where(WITHOUT_FLUSH)
        .returning('incident_id')}
    ), cards as (
      ${insertPlaced(sql`changed`, id, placed?.placements ?? [], URGENCY.opened)} returning storm_id
    ), due as (
      ${redrawCards(sql`select incident_id from changed`, urgency, isMoved)}
    ), homes as (
      ${redrawHomes(sql<boolean>`exists (select from changed)`)}
    )
    select from changed`.execute(db);
  return rows.length > 0;
}

/** Where the rules want the incident. */
async function place(db: Kysely<Tables>, { incident, asOf }: IncidentState) {
  const { rules, version } = await readRules(db);
  return { placements: placementsOf(rules, incident, asOf), version };
}

function hasRules(version: string): RawBuilder<boolean> {
  return sql<boolean>`${version} = (select rules_version from installation)`;
}

/** Adds the cards of an incident if `written`, the relation of what was written, is not empty. */
function insertPlaced(
  written: RawBuilder<unknown>,
  incidentId: string,
  placements: readonly Placement[],
  urgency: Urgency,
): RawBuilder<unknown> {
  const placed = placedRows(placements.map((placement) => ({ ...placement, incidentId })));
  return insertCards(sql`(select * from ${placed} as placed where exists (select from ${written}))`, urgency);
}

/**
 * Inserts an incident and its cards, in one statement.
 *
 * @returns null: it is known already
 */
async function insertIncident(
  db: Kysely<Tables>,
  incident: Incident | IncidentSummary,
  { urgency, asOf }: Observation,
): Promise<Observed | null> {
  const { id, signal_count: firstSignalCount } = incident;
  const state = stateOf({ snapshot: mergeSnapshot(null, incident), confirmations: [], isGone: false, asOf });
  const row = { incident_id: id, ...columnsOf(state), first_signal_count: firstSignalCount };
  const known = {
    incident: state.incident,
    isGone: false,
    isUnread: false,
    waiting: [],
    firstSignalCount,
    related: [],
    people: [],
  };
  for (;;) {
    const { placements, version } = await place(db, state);
    const { rows } = await sql<{ is_inserted: boolean; has_rules: boolean }>`
      with inserted as (
        insert into incidents (${sql.join(Object.keys(row).map((name) => sql.ref(name)))})
        select ${sql.join(Object.values(row))} where ${hasRules(version)}
        on conflict do nothing
        returning incident_id
      ), cards as (
        ${insertPlaced(sql`inserted`, id, placements, urgency < URGENCY.opened ? urgency : URGENCY.opened)}
        returning storm_id
      ), storm as (
        ${redraw(sql<boolean>`id in (select storm_id from cards)`, URGENCY.state)}
      ), homes as (
        ${redrawHomes(sql<boolean>`exists (select from inserted)`)}
      )
      select exists (select from inserted) as is_inserted, ${hasRules(version)} as has_rules
      where ${WITHOUT_FLUSH}`.execute(db);
    if (rows[0]?.is_inserted === true) {
      return { known, hasChanged: true };
    }
    if (rows[0]?.has_rules !== false) {
      return null;
    }
  }
}
