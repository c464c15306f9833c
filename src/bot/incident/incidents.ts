import { type Kysely, sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Incident, IncidentSummary } from '../../contract/resources.ts';
import { prepared } from '../../database/prepared.ts';
import type { IncidentId } from '../slack/identifiers.ts';
import type { KnownPerson } from '../slack/person.ts';
import type { Tables } from '../tables.ts';
import {
  type ConfirmedWrite,
  confirmWrite,
  type IncidentState,
  loseIncident,
  type Observation,
  observeIncident,
  type StateChange,
} from './observation.ts';
import { isSameSnapshot, mergeSnapshot, type Snapshot } from './snapshot.ts';
import {
  type Consequences,
  insertIncident,
  type Observed,
  replaceIncident,
  type StoredIncident,
} from './write-incident.ts';

const UNKNOWN: Observed = { known: null, hasChanged: false };

export interface IncidentStore {
  find(incidentId: IncidentId): Promise<StoredIncident | null>;
  /** The known ones among the given ids. */
  findAll(incidentIds: readonly IncidentId[]): Promise<Map<string, Snapshot>>;
  /** The people named in the given incidents whom Slack knows. A name that several people have is left out. */
  peopleIn(incidentIds: readonly IncidentId[]): Promise<KnownPerson[]>;
  findIdByNumber(number: number): Promise<string | null>;
  /** The given ids that are known and not gone. */
  knownAmong(incidentIds: readonly IncidentId[]): Promise<Set<string>>;
  /** The given incidents that are new or differ from the stored state. */
  changedAmong(incidents: readonly IncidentSummary[]): Promise<IncidentSummary[]>;
  /** Open incidents with this root service in any case, in any order. @param rootService null: all */
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
   * @param read the incident as it was read before the write; null or absent: it is read now
   * @returns `isFirst`: no other confirmation came first
   */
  confirm(
    incidentId: IncidentId,
    write: ConfirmedWrite,
    read?: StoredIncident | null,
  ): Promise<Observed & { readonly isFirst: boolean }>;
  /** Marks an incident that the service no longer has. Its card says so until the service shows it again. */
  markGone(incidentId: IncidentId): Promise<void>;
}

/**
 * The people named in an incident whom Slack knows: those whose action it was, and others by e-mail address or the
 * handle of a group, which are unique. Display names are not, so nobody is found by them.
 */
const PEOPLE = sql<readonly KnownPerson[]>`(
  select coalesce(json_agg(json_build_object('name', name, 'slackUserId', slack_user_id)), '[]') from (
    select name, min(slack_user_id) as slack_user_id from (
      select user_name as name, slack_user_id from actions
      where actions.incident_id = incidents.incident_id and user_name is not null
      union
      select name, slack_user_id from people
      where (position('@' in name) > 1 or slack_user_id like 'S%') and name in (
        values (incidents.incident->>'acknowledged_by'), (incidents.incident->>'resolved_by'),
          (incidents.incident->'mute'->>'created_by'), (incidents.incident->>'lead'),
          (incidents.incident->>'communications'), (incidents.incident->>'declared_by')
        union all
        select resolved_by from jsonb_to_recordset(incidents.incident->'similar') as fix(resolved_by text)
        union all
        select previous.incident->>'resolved_by' from incidents as previous
        where previous.incident_id = incidents.incident->>'previous_incident_id')
    ) as known
    group by name having count(distinct slack_user_id) = 1
  ) as unambiguous)`;

/** Selects an incident with its pending actions and related incidents. Actions of one person and kind count as one. */
function selectIncident(db: Kysely<Tables>, incidentId: IncidentId) {
  return db
    .selectFrom('incidents')
    .modifyFront(prepared('find-incident'))
    .select(['snapshot', 'confirmations', 'is_gone as isGone', 'is_unread as isUnread', 'incident', 'as_of as asOf'])
    .select((eb) => [
      'version',
      'first_signal_count as firstSignalCount',
      jsonArrayFrom(
        eb
          .selectFrom('actions')
          .select([sql<string>`kind`.as('kind'), sql<string>`coalesce(user_name, slack_user_id)`.as('user')])
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
      sql<Date | null>`(select stale_since from installation)`.as('staleSince'),
    ])
    .where('incident_id', '=', incidentId);
}

export function createIncidentStore(db: Kysely<Tables>, consequences: Consequences): IncidentStore {
  const snapshotsOf = (incidentIds: readonly IncidentId[]) =>
    db
      .selectFrom('incidents')
      .select(['incident_id', 'snapshot'])
      .where('incident_id', '=', sql<string>`any(${incidentIds}::text[])`)
      .where('is_gone', '=', false)
      .execute();

  async function find(incidentId: IncidentId): Promise<StoredIncident | null> {
    const row = await selectIncident(db, incidentId).executeTakeFirst();
    return row === undefined ? null : { ...row, firstSignalCount: Number(row.firstSignalCount) };
  }

  /**
   * Changes an incident and makes its cards due, in one statement. If another process changed it first, the rule is
   * applied to that state.
   *
   * @param read the incident as it was read before; null: it is read now
   * @returns null: it is not known
   */
  async function change(
    incidentId: IncidentId,
    rule: (before: IncidentState) => StateChange,
    read: StoredIncident | null = null,
  ): Promise<Observed | null> {
    for (let known = read ?? (await find(incidentId)); known !== null; known = await find(incidentId)) {
      const changed = rule(known);
      if (changed === null) {
        return { known, hasChanged: false };
      }
      const version = await replaceIncident(db, known, changed, consequences);
      if (version !== null) {
        return { known: { ...known, ...changed.state, version }, hasChanged: true };
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

    async peopleIn(incidentIds) {
      const rows = await db
        .selectFrom('incidents')
        .select(PEOPLE.as('people'))
        .where('incident_id', '=', sql<string>`any(${incidentIds}::text[])`)
        .execute();
      const byName = Map.groupBy(
        rows.flatMap(({ people }) => people),
        ({ name }) => name,
      );
      return [...byName.values()].flatMap((people) =>
        new Set(people.map(({ slackUserId }) => slackUserId)).size === 1 ? people.slice(0, 1) : [],
      );
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
      return rows.map((row) => row.incident);
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
      const inserted =
        observation.isFirst === true ? await insertIncident(db, incident, observation, consequences) : null;
      if (inserted !== null) {
        return inserted;
      }
      const changed = await change(incident.id, (before) => observeIncident(before, incident, observation));
      if (changed !== null) {
        return changed;
      }
      const isOurs = incident.status === 'open' || observation.storesClosed === true;
      // If another process is faster, the next poll stores any difference.
      return (isOurs ? await insertIncident(db, incident, observation, consequences) : null) ?? UNKNOWN;
    },

    async confirm(incidentId, write, read) {
      let isFirst = false;
      const rule = (before: IncidentState) => {
        const confirmed = confirmWrite(before, write);
        isFirst = confirmed.isFirst;
        return confirmed.change;
      };
      const changed = await change(incidentId, rule, read);
      return { ...(changed ?? UNKNOWN), isFirst };
    },

    async markGone(incidentId) {
      await change(incidentId, loseIncident);
    },
  };
}
