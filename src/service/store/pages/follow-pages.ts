import { sql, type Transaction } from 'kysely';
import { CLOCK_NOW } from '../../../database/lease.ts';
import { prepared } from '../../../database/prepared.ts';
import { keepEffects } from '../../../effects/new-effects.ts';
import { createId } from '../../core/ids.ts';
import type { Incident } from '../../core/incident.ts';
import { hostOf } from '../../on-call/waking/host.ts';
import {
  FIRST,
  factsOf,
  firstDelayS,
  type LivePage,
  pageChange,
  type WakePolicy,
  wantsWaking,
} from '../../on-call/waking/policy.ts';
import { wantsReminder } from '../../on-call/waking/reminder.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { toStorableJson } from '../shared/json.ts';
import { remindEffect, stepEffect, takeBackEffect } from './page-effects.ts';
import type { StoredAttempt } from './page-store.ts';
import { keepFacts } from './wake-history.ts';

type Tx = Transaction<ServiceTables>;

/**
 * Begins and ends pages in the transaction that changes their incidents: an incident that nobody has gets a page, and the
 * page of one that somebody has ends. Call it after the incidents were locked and changed.
 *
 * A page that has ended is not continued: when the incident is open for everybody again, another run begins.
 */
export async function followPages(tx: Tx, incidents: readonly Incident[], at: Date): Promise<void> {
  const seen = incidents.map((incident) => ({ incident, facts: factsOf(incident) }));
  const { rows: live } = await sql<
    LivePage & { readonly id: string; readonly incidentId: string; readonly isReminder: boolean }
  >`
    ${prepared('lock-pages')}
    select id, incident_id as "incidentId", is_reminder as "isReminder", state = 'held' as "isHeld",
      (policy->>'hold_s')::int as "holdS"
    from pages
    where incident_id = any(${incidents.map(({ id }) => id)}::text[]) and ended_at is null order by id for update
  `.execute(tx);
  await keepFacts(tx, seen, at);
  const pageOf = new Map(live.map((page) => [page.incidentId, page]));
  for (const incident of incidents) {
    const page = pageOf.get(incident.id);
    if (page?.isReminder === true && !wantsReminder(incident, at)) {
      await endPage(tx, page.id, null, at);
      pageOf.delete(incident.id);
    }
  }
  const mayBegin = seen.some(({ incident, facts }) => !pageOf.has(incident.id) && wantsWaking(facts, at));
  const policies = mayBegin ? await readPolicies(tx) : [];
  const changes = seen.map(({ incident, facts }) => {
    const page = pageOf.get(incident.id) ?? null;
    if (page?.isReminder === true) {
      return { incident, page, change: null };
    }
    return { incident, page, change: pageChange(page, { facts, openedAt: incident.openedAt }, policies, at) };
  });
  for (const { incident, page, change } of changes) {
    if (change === 'end' && page !== null) {
      await endPage(tx, page.id, incident.acknowledgement, at);
    } else if (change !== null && change !== 'end') {
      await beginPage(tx, incident.id, change.begin, at);
    }
  }
}

/** In the order in which they are tried. */
export async function readPolicies(tx: Pick<Tx, 'selectFrom'>): Promise<WakePolicy[]> {
  const rows = await tx.selectFrom('policies').selectAll().orderBy('position').execute();
  return rows.map(({ id, plan, created_at: createdAt }) => ({ ...plan, id, createdAt }));
}

/** @param incidentId null: a drill. @returns the id of the page */
export async function beginPage(
  tx: Tx,
  incidentId: string | null,
  policy: WakePolicy,
  at: Date,
  isReminder = false,
): Promise<string> {
  const id = createId('page', at);
  const ended = { ended_at: null, ended_by: null, ended_by_id: null };
  await tx
    .insertInto('pages')
    .values({
      id,
      incident_id: incidentId,
      policy: toStorableJson(policy),
      state: 'held',
      is_reminder: isReminder,
      started_at: at,
      ...ended,
    })
    .execute();
  await keepEffects(tx, [stepEffect(id, FIRST, incidentId === null ? 0 : firstDelayS(policy) * 1_000)]);
  return id;
}

/**
 * Ends a page whose row is locked. No attempt begins after the commit (see `beginAttempt`), and what has begun is taken back.
 *
 * @param taker who has the incident; null: nobody needs to have it any more
 */
export async function endPage(
  tx: Tx,
  pageId: string,
  taker: { readonly by: string; readonly byId?: string | null | undefined } | null,
  at: Date,
): Promise<void> {
  await tx
    .updateTable('pages')
    .set({
      state: taker === null ? 'ended' : 'taken',
      ended_at: at,
      ended_by: taker?.by ?? null,
      ended_by_id: taker?.byId ?? null,
    })
    .where('id', '=', pageId)
    .execute();
  await sql`
    update page_attempts set state = 'void', settled_at = ${CLOCK_NOW} where page_id = ${pageId} and state = 'planned'
  `.execute(tx);
  await takeBackBegun(tx, pageId, null);
  await keepEffects(tx, taker === null ? [] : [remindEffect(pageId)]);
}

/** Takes back what may have arrived and was not answered. @param personId null: of everybody. The row of the page is locked. */
export async function takeBackBegun(tx: Tx, pageId: string, personId: string | null): Promise<void> {
  const { rows: begun } = await sql<Pick<StoredAttempt, 'id' | 'kind' | 'address'>>`
    select attempt.id, attempt.kind, coalesce(attempt.address, ways.address) as address
    from page_attempts as attempt left join ways on ways.id = way_id
    where page_id = ${pageId} and (state in ('sending', 'accepted') or (state = 'failed' and doubts > 0))
      and (${personId}::text is null or attempt.person_id = ${personId})
  `.execute(tx);
  const takenBack = begun.map(({ address, ...attempt }) => takeBackEffect({ ...attempt, host: hostOf(address) }));
  await keepEffects(tx, takenBack);
}
