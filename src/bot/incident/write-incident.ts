import type { ColumnType, Generated } from 'kysely';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Incident, IncidentSummary } from '../../contract/resources.ts';
import { WITHOUT_FLUSH } from '../../database/durability.ts';
import { prepared } from '../../database/prepared.ts';
import { isAcknowledged } from '../../incident/acknowledged.ts';
import type { IncidentId } from '../slack/identifiers.ts';
import type { Tables } from '../tables.ts';
import type { Confirmation, KnownIncident } from './incident.ts';
import { type IncidentState, type Observation, type StateChange, stateOf } from './observation.ts';
import type { Snapshot } from './snapshot.ts';
import { mergeSnapshot } from './snapshot.ts';
import { URGENCY, type Urgency } from './urgency.ts';

declare module '../tables.ts' {
  interface Tables {
    incidents: {
      incident_id: IncidentId;
      number: ColumnType<string | null, number | null, number | null>;
      /** The incident as the service last showed it. */
      snapshot: ColumnType<Snapshot, string, string>;
      confirmations: ColumnType<readonly Confirmation[], string, string>;
      /** The snapshot completed by the confirmations, as cards show it. The columns below are derived from it. */
      incident: ColumnType<Snapshot, string, string>;
      is_open: boolean;
      is_acknowledged: boolean;
      root_service: string;
      opened_at: Date;
      closed_at: Date | null;
      /** When the snapshot was requested, by the clock of the requesting process. */
      as_of: Date;
      /** Counts the changes, so that none is overwritten. */
      version: Generated<string>;
      first_signal_count: ColumnType<string, number, never>;
      /** The service no longer has it. */
      is_gone: Generated<boolean>;
      is_unread: Generated<boolean>;
    };
  }
}

export interface Observed {
  /** null: it was already closed when first seen, and is not recent. */
  readonly known: StoredIncident | null;
  /** Whether the content of the cards has changed. */
  readonly hasChanged: boolean;
}

/** An incident as it was stored when it was read or written. */
export interface StoredIncident extends KnownIncident, IncidentState {
  /** Changes with each write. */
  readonly version: string;
  /** See `Freshness`. */
  readonly staleSince: Date | null;
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

/** Where an incident belongs, as it was read before the statement that writes the incident. */
export interface Placing {
  /** false: the rules have changed since, and nothing may be written. */
  readonly isCurrent: RawBuilder<boolean>;
  /** Adds its cards, unless `written` is empty: the relation of what was written. Returns their `storm_id`. */
  insertCards(written: RawBuilder<unknown>, urgency: Urgency): RawBuilder<unknown>;
}

export interface IncidentChange {
  readonly incidentId: IncidentId;
  readonly urgency: Urgency;
  /** It may belong elsewhere. */
  readonly isMoved: boolean;
  /** The relation with the `incident_id` of what was written; empty: another process was first. */
  readonly written: RawBuilder<unknown>;
}

/** What follows from what is written, in the same statement. The statements have names that differ. */
export interface Consequences {
  /** @param isAgain the last placing was not current */
  place(db: Kysely<Tables>, state: IncidentState, isAgain: boolean): Promise<Placing>;
  isMoved(before: Snapshot, after: Snapshot): boolean;
  /** `cards` is the relation of the cards that were added. */
  ofInsert(written: RawBuilder<unknown>): Readonly<Record<string, RawBuilder<unknown>>>;
  ofChange(change: IncidentChange): Readonly<Record<string, RawBuilder<unknown>>>;
}

function statements(named: Readonly<Record<string, RawBuilder<unknown>>>): RawBuilder<unknown> {
  return sql.join(Object.entries(named).map(([name, statement]) => sql`${sql.ref(name)} as (${statement})`));
}

/** @returns its new version; null: the incident or the rules have changed since they were read */
export async function replaceIncident(
  db: Kysely<Tables>,
  before: StoredIncident,
  { state, urgency }: NonNullable<StateChange>,
  consequences: Consequences,
): Promise<string | null> {
  const { id: incidentId } = before.incident;
  const isMoved = consequences.isMoved(before.incident, state.incident) && state.incident.status === 'open';
  const placing = isMoved ? await consequences.place(db, state, true) : null;
  const written = sql`changed`;
  const { rows } = await sql<{ version: string }>`
    ${prepared('replace-incident')}
    with changed as (
      ${db
        .updateTable('incidents')
        .set({ ...columnsOf(state), version: sql`version + 1` })
        .where('incident_id', '=', incidentId)
        .where('version', '=', before.version)
        .where(placing?.isCurrent ?? sql<boolean>`true`)
        .where(WITHOUT_FLUSH)
        .returning(['incident_id', 'version'])}
    ), ${statements({
      ...(placing !== null && { cards: placing.insertCards(written, URGENCY.opened) }),
      ...consequences.ofChange({ incidentId, urgency, isMoved, written }),
    })}
    select version from changed`.execute(db);
  return rows[0]?.version ?? null;
}

/** It is open, or opened after those that were deleted. */
function isUnforgotten({ is_open, opened_at }: ReturnType<typeof columnsOf>): RawBuilder<boolean> {
  return sql<boolean>`(${is_open}::boolean
    or ${opened_at} > (select coalesce(forgotten_until, '-infinity') from installation))`;
}

/**
 * Inserts an incident and its cards, in one statement.
 *
 * @returns null: it is known already, or was deleted after its retention
 */
export async function insertIncident(
  db: Kysely<Tables>,
  incident: Incident | IncidentSummary,
  { urgency, asOf }: Observation,
  consequences: Consequences,
): Promise<Observed | null> {
  const { id, signal_count: firstSignalCount } = incident;
  const state = stateOf({ snapshot: mergeSnapshot(null, incident), confirmations: [], isGone: false, asOf });
  const columns = { incident_id: id, ...columnsOf(state), first_signal_count: firstSignalCount };
  const known = {
    ...state,
    isUnread: false,
    waiting: [],
    firstSignalCount,
    related: [],
    people: [],
    staleSince: null,
  };
  const written = sql`inserted`;
  for (let isAgain = false; ; isAgain = true) {
    const placing = await consequences.place(db, state, isAgain);
    const { rows } = await sql<{ version: string | null; has_rules: boolean }>`
      ${prepared('insert-incident')}
      with inserted as (
        insert into incidents (${sql.join(Object.keys(columns).map((name) => sql.ref(name)))})
        select ${sql.join(Object.values(columns))} where ${placing.isCurrent} and ${isUnforgotten(columns)}
        on conflict do nothing
        returning incident_id, version
      ), ${statements({
        cards: sql`${placing.insertCards(written, urgency < URGENCY.opened ? urgency : URGENCY.opened)} returning storm_id`,
        ...consequences.ofInsert(written),
      })}
      select (select inserted.version from inserted), ${placing.isCurrent} as has_rules
      where ${WITHOUT_FLUSH}`.execute(db);
    const [row] = rows;
    if (row !== undefined && row.version !== null) {
      return { known: { ...known, version: row.version }, hasChanged: true };
    }
    if (row?.has_rules !== false) {
      return null;
    }
  }
}
