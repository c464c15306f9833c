import { type Kysely, sql, type Transaction } from 'kysely';
import type { WayKind } from '../../../contract/waking.ts';
import { CLOCK_NOW } from '../../../database/lease.ts';
import type { Position, WakePolicy } from '../../on-call/waking/policy.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { hearKind } from './page-effects.ts';

export type Tx = Transaction<ServiceTables>;

/** An attempt that somebody answers. */
export interface AskedAttempt {
  readonly id: string;
  /** null: a test. */
  readonly pageId: string | null;
  /** null: a channel. */
  readonly personId: string | null;
  readonly wayId: string | null;
  readonly listed: readonly string[];
  readonly isDrill: boolean;
  readonly isAnswered: boolean;
  /** It began more than a day ago, so its link does not answer any more. */
  readonly isOld: boolean;
  /** Those listed that nobody has yet. */
  readonly incidents: readonly { readonly number: number; readonly title: string }[];
}

/** @returns null: there is none, or it has not begun */
export async function findAsked(tx: Tx, id: string): Promise<AskedAttempt | null> {
  const { rows } = await sql<AskedAttempt>`
    select attempt.id, page_id as "pageId", person_id as "personId", way_id as "wayId", listed,
      (page_id is not null and pages.incident_id is null) as "isDrill", answered_at is not null as "isAnswered",
      began_at <= ${CLOCK_NOW} - interval '24 hours' as "isOld",
      (
        select coalesce(jsonb_agg(jsonb_build_object('number', number, 'title', title) order by number), '[]')
        from pages as asked join incidents on incidents.id = asked.incident_id
        where asked.id = any(listed) and asked.ended_at is null
      ) as incidents
    from page_attempts as attempt left join pages on pages.id = page_id
    where attempt.id = ${id} and began_at is not null
  `.execute(tx);
  return rows[0] ?? null;
}

/** The page of an attempt, and the incidents that its answer takes, that of the page first. */
export async function readAsked(
  db: Kysely<ServiceTables>,
  attemptId: string,
): Promise<{ readonly pageId: string | null; readonly incidentIds: readonly string[] }> {
  const { rows } = await sql<{ pageId: string | null; incidentIds: string[] }>`
    select page_id as "pageId", (
      select coalesce(array_agg(incident_id order by id <> page_id, id), '{}') from pages
      where id = any(listed) and incident_id is not null
    ) as "incidentIds"
    from page_attempts where id = ${attemptId}
  `.execute(db);
  return rows[0] ?? { pageId: null, incidentIds: [] };
}

/** A page that is answered. */
export interface AnsweredPage {
  readonly id: string;
  /** null: a drill. */
  readonly incidentId: string | null;
  /** Its incident was acknowledged before. */
  readonly isReminder: boolean;
  readonly policy: WakePolicy;
  readonly position: Position;
}

/** Those of them that are live. Locks the incidents first, as every change of one does, then the pages. */
export async function lockAsked(tx: Tx, pageIds: readonly string[]): Promise<AnsweredPage[]> {
  await sql`
    select from incidents where id in (select incident_id from pages where id = any(${[...pageIds]}::text[]))
    order by number for update
  `.execute(tx);
  const { rows } = await sql<Omit<AnsweredPage, 'position'> & Position>`
    select id, incident_id as "incidentId", is_reminder as "isReminder", policy, cycle, step from pages
    where id = any(${[...pageIds]}::text[]) and ended_at is null order by id for update
  `.execute(tx);
  return rows.map(({ cycle, step, ...page }) => ({ ...page, position: { cycle, step } }));
}

/**
 * The person has answered: what was planned to wake them for the same is not wanted any more, and the way works.
 *
 * @returns how many people have answered each page
 */
export async function recordAnswer(tx: Tx, asked: AskedAttempt, at: Date): Promise<ReadonlyMap<string, number>> {
  await sql`
    update page_attempts set state = 'answered', answered_at = ${CLOCK_NOW}, settled_at = ${CLOCK_NOW}
    where id = ${asked.id} and answered_at is null
  `.execute(tx);
  await sql`
    update page_attempts set state = 'void', settled_at = ${CLOCK_NOW}
    where person_id = ${asked.personId} and page_id = any(${[...asked.listed]}::text[]) and state = 'planned'
  `.execute(tx);
  await sql`
    update ways set last_answered_at = ${at}, verified_at = coalesce(verified_at, ${at}) where id = ${asked.wayId}
  `.execute(tx);
  const { rows } = await sql<{ pageId: string; people: number }>`
    select "pageId", count(distinct coalesce(person_id, id))::int as people
    from page_attempts cross join unnest(listed) as "pageId"
    where state = 'answered' and listed && ${[...asked.listed]}::text[] and "pageId" = any(${[...asked.listed]}::text[])
    group by "pageId"
  `.execute(tx);
  return new Map(rows.map(({ pageId, people }) => [pageId, people]));
}

/** Asks providers of a kind now whether somebody has answered. */
export async function hearSoon(db: Kysely<ServiceTables>, kind: WayKind): Promise<void> {
  await sql`
    update effects set due_at = least(due_at, ${CLOCK_NOW})
    where id in (select id from effects where kind = ${hearKind(kind)} and settled_at is null for update skip locked)
  `.execute(db);
}
