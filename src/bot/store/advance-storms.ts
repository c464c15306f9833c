import { randomUUID } from 'node:crypto';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { StormRules } from '../domain/storm.ts';
import { LANES } from './lanes.ts';
import type { Tables } from './tables.ts';

/** Of an incident that is called `i`. */
export const isOpen = sql<boolean>`(i.status = 'open' and not i.is_gone)`;

/** Begins, calms and ends storms of that channel by the rules; withholds cards, and releases them. */
export async function advanceStorms(
  db: Kysely<Tables>,
  channelId: string,
  now: Date,
  rules: StormRules,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`storm ${channelId}`}, 0))`.execute(trx);
    await gather(trx, channelId, now, rules);
    await end(trx, channelId, now, rules);
  });
}

async function gather(trx: Transaction<Tables>, channelId: string, now: Date, rules: StormRules): Promise<void> {
  const since = (ms: number) => new Date(now.getTime() - ms);
  const { rows } = await sql<{ fresh: string; recent: string; first: Date | null }>`
    select count(*) filter (where created_at > ${since(rules.windowMs)}) as fresh,
      count(*) filter (where created_at > ${since(rules.calmMs)}) as recent,
      min(created_at) filter (where created_at > ${since(rules.windowMs)}) as first
    from cards
    where channel_id = ${channelId} and created_at > ${since(Math.max(rules.windowMs, rules.calmMs))}`.execute(trx);
  const fresh = Number(rows[0]?.fresh ?? 0);
  const recent = Number(rows[0]?.recent ?? 0);
  const running = await trx
    .selectFrom('storms')
    .select('id')
    .where('channel_id', '=', channelId)
    .where('calm_at', 'is', null)
    .executeTakeFirst();
  if (running === undefined && fresh <= rules.incidents) {
    return;
  }
  const id = running?.id ?? randomUUID();
  if (running === undefined) {
    const startedAt = rows[0]?.first ?? now;
    await trx.insertInto('storms').values({ id, channel_id: channelId, started_at: startedAt }).execute();
  }
  await sql`
    update cards set storm_id = ${id}, is_withheld = true, leased_until = null
    where channel_id = ${channelId} and ts is null and attempt_id is null and storm_id is null
      and shown_revision = 0 and (leased_until is null or leased_until <= ${now})`.execute(trx);
  if (running !== undefined && recent <= rules.calmIncidents) {
    await trx.updateTable('storms').set({ calm_at: now }).where('id', '=', id).execute();
  }
}

async function end(trx: Transaction<Tables>, channelId: string, now: Date, rules: StormRules): Promise<void> {
  const { rows } = await sql<{ id: string }>`
    update storms set ended_at = ${now}
    where channel_id = ${channelId} and calm_at is not null and ended_at is null and ${rules.leftOpen} >= (
      select count(*) from cards c join incidents i using (incident_id) where c.storm_id = storms.id and ${isOpen})
    returning id`.execute(trx);
  for (const { id } of rows) {
    await sql`
      update cards set is_withheld = false, due_since = now(), lane = ${LANES.opened}, next_attempt_at = '-infinity'
      from incidents i
      where cards.storm_id = ${id} and i.incident_id = cards.incident_id and ${isOpen}`.execute(trx);
    // The storm's message has said it all of those that are closed, until one of them is open again.
    await sql`
      update cards set shown_revision = desired_revision, is_withheld = false
      where storm_id = ${id} and is_withheld`.execute(trx);
  }
}
