import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Incident, IncidentSummary } from '../../contract/resources.ts';
import { WITHOUT_FLUSH } from '../../database/durability.ts';
import { prepared } from '../../database/prepared.ts';
import { isAcknowledged } from '../../incident/acknowledged.ts';
import type { IncidentId } from '../domain/identifiers.ts';
import type { KnownIncident } from '../domain/incident.ts';
import { type IncidentState, type Observation, type StateChange, stateOf } from '../domain/observation.ts';
import { type Placement, placementKey, placementsOf } from '../domain/rule.ts';
import { mergeSnapshot } from '../domain/snapshot.ts';
import { URGENCY, type Urgency } from '../domain/urgency.ts';
import { insertCards, redrawCards } from './cards.ts';
import { redraw } from './due.ts';
import { redrawHomes } from './homes.ts';
import { redrawOpenViews } from './open-views.ts';
import { placedRows, readRules } from './rules.ts';
import type { Tables } from './tables.ts';

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

/** @returns its new version; null: the incident or the rules have changed since they were read */
export async function replaceIncident(
  db: Kysely<Tables>,
  before: StoredIncident,
  { state, urgency }: NonNullable<StateChange>,
): Promise<string | null> {
  const { id } = before.incident;
  const isMoved = placementKey(before.incident) !== placementKey(state.incident) && state.incident.status === 'open';
  const placed = isMoved ? await place(db, state) : null;
  const { rows } = await sql<{ version: string }>`
    ${prepared('replace-incident')}
    with changed as (
      ${db
        .updateTable('incidents')
        .set({ ...columnsOf(state), version: sql`version + 1` })
        .where('incident_id', '=', id)
        .where('version', '=', before.version)
        .where(placed === null ? sql<boolean>`true` : hasRules(placed.version))
        .where(WITHOUT_FLUSH)
        .returning(['incident_id', 'version'])}
    ), cards as (
      ${insertPlaced(sql`changed`, id, placed?.placements ?? [], URGENCY.opened)} returning storm_id
    ), due as (
      ${redrawCards(sql`select incident_id from changed`, urgency, isMoved)}
    ), homes as (
      ${redrawHomes(sql<boolean>`exists (select from changed)`)}
    ), views as (
      ${redrawOpenViews(id, urgency, sql<boolean>`exists (select from changed)`)}
    )
    select version from changed`.execute(db);
  return rows[0]?.version ?? null;
}

/** Where the rules want the incident. */
async function place(db: Kysely<Tables>, { incident, asOf }: IncidentState) {
  const { rules, version } = await readRules(db);
  return { placements: placementsOf(rules, incident, asOf), version };
}

function hasRules(version: string): RawBuilder<boolean> {
  return sql<boolean>`${version} = (select rules_version from installation)`;
}

/** It is open, or opened after those that were deleted. */
function isUnforgotten({ is_open, opened_at }: ReturnType<typeof columnsOf>): RawBuilder<boolean> {
  return sql<boolean>`(${is_open}::boolean
    or ${opened_at} > (select coalesce(forgotten_until, '-infinity') from installation))`;
}

/** Adds the cards of an incident if `written`, the relation of what was written, is not empty. */
function insertPlaced(
  written: RawBuilder<unknown>,
  incidentId: IncidentId,
  placements: readonly Placement[],
  urgency: Urgency,
): RawBuilder<unknown> {
  const placed = placedRows(placements.map((placement) => ({ ...placement, incidentId })));
  return insertCards(sql`(select * from ${placed} as placed where exists (select from ${written}))`, urgency);
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
): Promise<Observed | null> {
  const { id, signal_count: firstSignalCount } = incident;
  const state = stateOf({ snapshot: mergeSnapshot(null, incident), confirmations: [], isGone: false, asOf });
  const row = { incident_id: id, ...columnsOf(state), first_signal_count: firstSignalCount };
  const known = {
    ...state,
    isUnread: false,
    waiting: [],
    firstSignalCount,
    related: [],
    people: [],
  };
  for (;;) {
    const { placements, version } = await place(db, state);
    const { rows } = await sql<{ version: string | null; has_rules: boolean }>`
      ${prepared('insert-incident')}
      with inserted as (
        insert into incidents (${sql.join(Object.keys(row).map((name) => sql.ref(name)))})
        select ${sql.join(Object.values(row))} where ${hasRules(version)} and ${isUnforgotten(row)}
        on conflict do nothing
        returning incident_id, version
      ), cards as (
        ${insertPlaced(sql`inserted`, id, placements, urgency < URGENCY.opened ? urgency : URGENCY.opened)}
        returning storm_id
      ), storm as (
        ${redraw(sql<boolean>`id in (select storm_id from cards)`, URGENCY.state)}
      ), homes as (
        ${redrawHomes(sql<boolean>`exists (select from inserted)`)}
      )
      select (select inserted.version from inserted), ${hasRules(version)} as has_rules
      where ${WITHOUT_FLUSH}`.execute(db);
    const [written] = rows;
    if (written !== undefined && written.version !== null) {
      return { known: { ...known, version: written.version }, hasChanged: true };
    }
    if (written?.has_rules !== false) {
      return null;
    }
  }
}
