import { type Kysely, type RawBuilder, sql } from 'kysely';
import { fromNow } from '../../database/lease.ts';
import { lastFixes } from '../incident/past-fixes.ts';
import type { Tables } from '../tables.ts';

/** Rows that one statement looks at, so that it holds locks only for moments. */
const BATCH = 200;
const DAY_MS = 24 * 60 * 60_000;
/** How long rules can be brought back, and how long posted notices are remembered. */
const BRIEF = fromNow(-30 * DAY_MS);
/** The fixes of a root service that stay, more than are ever shown. */
const KEPT_FIXES = 10;

/** Deletes what nobody needs any more, by the database's clock. */
export interface Retention {
  /**
   * Looks at the next batch of a table.
   *
   * @param days how long closed incidents with their messages, actions and audit entries are kept; null: forever
   * @returns false: this was the last batch of the last table
   */
  prune(days: number | null): Promise<boolean>;
}

/** The row that a sweep has reached. */
interface Position {
  /** Not a `Date`, which has no microseconds. */
  readonly at: string;
  readonly id: string;
}

/** Looks at the next batch of a table. @returns whether there may be another */
type Step = (cutoff: RawBuilder<Date>) => Promise<boolean>;

export function createRetention(db: Kysely<Tables>): Retention {
  const brief: readonly Step[] = [oldNotices, oldDeletedRules, oldPauses, oldDuties, oldReadMessages].map((remove) =>
    createRemoval(db, remove),
  );
  const all: readonly Step[] = [
    ...brief,
    ...[pruneIncidents, pruneActions, pruneAuditLog].map((batch) => createSweep(db, batch)),
    ...[endedStorms, unseenPeople].map((remove) => createRemoval(db, remove)),
  ];
  let turn = 0;

  return {
    async prune(days) {
      const steps = days === null ? brief : all;
      const hasMore = await steps[turn]?.(fromNow(-(days ?? 0) * DAY_MS));
      turn = hasMore === true ? turn : turn + 1;
      turn = turn < steps.length ? turn : 0;
      return hasMore === true || turn > 0;
    },
  };
}

/** Goes through the expired rows by age, because some of them are still needed. */
function createSweep(
  db: Kysely<Tables>,
  batch: (reached: Position | null, cutoff: RawBuilder<Date>) => RawBuilder<Position>,
): Step {
  let reached: Position | null = null;
  return async (cutoff) => {
    const { rows } = await batch(reached, cutoff).execute(db);
    reached = rows[0] ?? null;
    return reached !== null;
  };
}

function createRemoval(db: Kysely<Tables>, remove: (cutoff: RawBuilder<Date>) => RawBuilder<unknown>): Step {
  return async (cutoff) => {
    const { numAffectedRows = 0n } = await remove(cutoff).execute(db);
    return numAffectedRows >= BATCH;
  };
}

/** Where a sweep goes on: the end of the last batch. */
function after(
  position: Position | null,
  at: RawBuilder<unknown>,
  id: RawBuilder<unknown>,
  type: 'text' | 'uuid' | 'bigint',
) {
  return position === null
    ? sql<boolean>`true`
    : sql<boolean>`(${at}, ${id}) > (${position.at}::timestamptz, ${position.id}::${sql.raw(type)})`;
}

const LAST_OF_BATCH = sql<Position>`select at::text, id::text from batch order by batch.at desc, batch.id desc limit 1`;

/** Closed incidents, and those that the service no longer has, with their messages and actions. */
function pruneIncidents(position: Position | null, cutoff: RawBuilder<Date>): RawBuilder<Position> {
  const at = sql`coalesce(closed_at, '-infinity')`;
  return sql<Position>`
    with batch as (
      select ${at} as at, incident_id as id, root_service from incidents
      where not is_open and ${at} < ${cutoff} and ${after(position, at, sql`incident_id`, 'text')}
      order by ${at}, incident_id limit ${BATCH}
    ), needed as materialized (
      select fix."incidentId" as id from (select distinct root_service from batch) as root
        cross join lateral (${lastFixes(sql`root.root_service`, '', KEPT_FIXES)}) as fix
      union all
      select unnest(array[incident->>'previous_incident_id', incident->>'merged_into']) from incidents where is_open
      union all
      select jsonb_array_elements_text(data->'incidentIds') from messages where kind in ('list', 'signals')
      union all
      select incident_id from actions join batch on incident_id = batch.id
      where settled_at is null or settled_at >= ${BRIEF}
      union all
      select subject from messages join batch on subject = batch.id
      where leased_until > clock_now() or needs_redraw and due_since >= ${BRIEF} or exists (
        select from messages as storm
        where storm.id = messages.storm_id and coalesce((storm.data->>'endedAt')::timestamptz, 'infinity') >= ${cutoff})
    ), removed as (
      delete from incidents using batch
      where incident_id = batch.id and not is_open and as_of < ${cutoff}
        and not exists (select from needed where needed.id = batch.id)
      returning incident_id, opened_at
    ), messages_removed as (
      delete from messages where subject in (select incident_id from removed)
    ), actions_removed as (
      delete from actions where incident_id in (select incident_id from removed)
    ), effects_removed as (
      delete from effects where subject in (select incident_id from removed)
    ), forgotten as (
      update installation set forgotten_until = greatest(forgotten_until, newest.opened_at)
      from (select max(least(opened_at, ${cutoff})) as opened_at from removed) as newest
      where newest.opened_at is not null
    )
    ${LAST_OF_BATCH}`;
}

/** Actions on what the bot does not know, or knows no more. A waiting action asks for what was done since it was stored. */
function pruneActions(position: Position | null, cutoff: RawBuilder<Date>): RawBuilder<Position> {
  return sql<Position>`
    with batch as (
      select settled_at as at, id, incident_id from actions
      where settled_at < ${cutoff} and ${after(position, sql`settled_at`, sql`id`, 'uuid')}
      order by settled_at, id limit ${BATCH}
    ), removed as (
      delete from actions using batch
      where actions.id = batch.id and ${isUnknown(sql`batch.incident_id`)}
        and batch.at < (
          select coalesce(min(waiting.created_at), 'infinity') from actions as waiting where waiting.settled_at is null)
    )
    ${LAST_OF_BATCH}`;
}

function pruneAuditLog(position: Position | null, cutoff: RawBuilder<Date>): RawBuilder<Position> {
  return sql<Position>`
    with batch as (
      select at, id, incident_id from audit_log
      where at < ${cutoff} and ${after(position, sql`at`, sql`id`, 'bigint')}
      order by at, id limit ${BATCH}
    ), removed as (
      delete from audit_log using batch where audit_log.id = batch.id and ${isUnknown(sql`batch.incident_id`)}
    )
    ${LAST_OF_BATCH}`;
}

/** An incident that is stored can be exported, and its card names people by their actions. */
function isUnknown(incidentId: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`not exists (select from incidents where incidents.incident_id = ${incidentId})`;
}

const oldNotices = () => sql`
  delete from messages where id in (
    select id from messages where kind in ('notice', 'sign-in', 'wake', 'swap') and created_at < ${BRIEF}
      and (leased_until is null or leased_until < clock_now())
    order by created_at limit ${BATCH})`;

const oldDeletedRules = () => sql`delete from deleted_rules where deleted_at < ${BRIEF}`;

/** What was done once about somebody's turn, about waking them, or about a message. */
const oldDuties = () => sql`
  delete from effects where id in (
    select id from effects
    where settled_at < ${BRIEF} and kind in ('late edit', 'wake report', 'on-call handover', 'swap', 'swap answer')
    limit ${BATCH})`;

/** What another app said, and was sent. */
const oldReadMessages = () => sql`
  delete from read_messages where seq in (
    select seq from read_messages where kept_at < ${BRIEF} and sent_at is not null order by kept_at limit ${BATCH})`;

/** A failure so long ago says nothing about the next call. */
const oldPauses = () => sql`delete from slack_pauses where until < ${BRIEF}`;

/** Storm messages whose incidents are all deleted. */
function endedStorms(cutoff: RawBuilder<Date>): RawBuilder<unknown> {
  return sql`
    delete from messages where id in (
      select id from messages as storm
      where kind = 'storm' and created_at < ${cutoff} and (data->>'endedAt')::timestamptz < ${cutoff}
        and not exists (select from messages as card where card.storm_id = storm.id)
      order by created_at limit ${BATCH})`;
}

/** People whom Slack was not asked about for so long, unless an open incident names them: they may be reminded. */
function unseenPeople(cutoff: RawBuilder<Date>): RawBuilder<unknown> {
  return sql`
    delete from people where slack_user_id in (
      select slack_user_id from people where looked_up_at < ${cutoff} and not exists (
        select from incidents where is_open and people.name in (
          incident->>'lead', incident->>'communications', incident->>'acknowledged_by', incident->>'declared_by',
          incident->'mute'->>'created_by'))
      limit ${BATCH})`;
}
