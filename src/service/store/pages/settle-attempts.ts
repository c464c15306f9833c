import { type Selectable, sql } from 'kysely';
import { CLOCK_NOW } from '../../../database/lease.ts';
import { prepared } from '../../../database/prepared.ts';
import { bringForward, keepEffects } from '../../../effects/new-effects.ts';
import { type AttemptState, afterFailure } from '../../on-call/waking/attempts.ts';
import { isLastResort, nextOf } from '../../on-call/waking/policy.ts';
import type { PageAttemptsTable } from '../schema/waking-columns.ts';
import { attemptKind, stepEffect } from './page-effects.ts';
import { type PageRow, type StoredAttempt, type StoredPage, selectPages, type Tx, toPage } from './page-store.ts';

/** Every transaction locks a page before its attempts. null: it is a test of one way. */
async function lockPageOf(tx: Tx, attemptId: string): Promise<StoredPage | null> {
  const { rows } = await sql<PageRow>`
    ${selectPages} where pages.id = (select page_id from page_attempts where id = ${attemptId}) for update of pages
  `.execute(tx);
  return rows.map(toPage)[0] ?? null;
}

/** An attempt that its provider has accepted. */
export interface Accepted {
  readonly id: string;
  /** What the provider knows it by; null: nothing. */
  readonly reference: string | null;
}

export async function acceptAttempts(tx: Tx, accepted: readonly Accepted[]): Promise<void> {
  const ids = accepted.map(({ id }) => id);
  await sql`
    ${prepared('lock-accepted')} select from pages where id in (select page_id from page_attempts where id = any(${ids}::text[]))
    order by id for update
  `.execute(tx);
  await sql`
    ${prepared('accept-attempts')} with settled as (
      update page_attempts set reference = given.reference,
        state = case when ${IS_FINAL} then state else 'accepted' end,
        detail = case when ${IS_FINAL} then detail end,
        settled_at = case when ${IS_FINAL} then settled_at else ${CLOCK_NOW} end
      from unnest(${ids}::text[], ${accepted.map(({ reference }) => reference)}::text[]) as given (id, reference)
      where page_attempts.id = given.id returning page_id, cycle, state
    )
    update pages set reached_cycle = reached.cycle
    from (select page_id, max(cycle) as cycle from settled where state = 'accepted' group by page_id) as reached
    where pages.id = reached.page_id and reached_cycle < reached.cycle
  `.execute(tx);
}

/** An answer, and the taking back of a message, stay. */
const IS_FINAL = sql<boolean>`state in ('answered', 'retracted')`;

/** How an attempt has failed. */
export interface AttemptFailure {
  readonly detail: string;
  /** Its address does not exist any more. */
  readonly isGone?: boolean;
  /** Certainly nothing arrived by the last call. */
  readonly isCertain?: boolean;
}

/** What can reach somebody instead of an attempt that has failed does not wait for its own clock. */
export async function failAttempt(tx: Tx, id: string, failure: AttemptFailure): Promise<void> {
  const { detail, isGone = false, isCertain = false } = failure;
  const page = await lockPageOf(tx, id);
  const row = await settleAttempt(tx, id, 'failed', detail);
  if (row === null) {
    return;
  }
  if (isCertain) {
    await sql`update page_attempts set doubts = greatest(0, doubts - 1) where id = ${id}`.execute(tx);
  }
  if (isGone) {
    await tx.updateTable('ways').set({ unusable_because: detail }).where('id', '=', row.way_id).execute();
  }
  if (page === null || !page.isLive) {
    return;
  }
  const attempts = await tx.selectFrom('page_attempts').selectAll().where('page_id', '=', page.id).execute();
  const failed = toAttemptOfStep(row);
  const { sooner, goesOn } = afterFailure(attempts.map(toAttemptOfStep), failed);
  const next = attempts.find((attempt) => attempt.id === sooner);
  if (next !== undefined) {
    await bringForward(tx, { kind: attemptKind(next.kind), subject: next.id });
  }
  const { position, policy, reachedCycle } = page;
  const isCurrent = position.cycle === failed.cycle && position.step === failed.step;
  if (goesOn && isCurrent && !isLastResort(policy, position)) {
    const { to } = nextOf(policy, position, reachedCycle >= position.cycle);
    const following = stepEffect(page.id, to, 0);
    await keepEffects(tx, [following]); // a cycle that reached nobody is not repeated, as was planned when its last step began
    await bringForward(tx, following);
  }
}

/** What is to be reported of: its incident and its page are locked, in that order. */
export async function lockAttempt(
  tx: Tx,
  id: string,
): Promise<Pick<StoredAttempt, 'state'> & { readonly isOver: boolean }> {
  await sql`
    select from incidents where id = (
      select incident_id from pages join page_attempts on page_id = pages.id where page_attempts.id = ${id}
    ) for update
  `.execute(tx);
  const page = await lockPageOf(tx, id);
  const { state } = await tx.selectFrom('page_attempts').select('state').where('id', '=', id).executeTakeFirstOrThrow();
  return { state, isOver: page?.isLive === false };
}

function toAttemptOfStep(row: Selectable<PageAttemptsTable>) {
  const { id, cycle, step, person_id: personId, state, due_at: dueAt } = row;
  return { id, cycle, step, personId, state, dueAt };
}

/** An answer, and the taking back of a message, stay. */
export async function settleAttempt(
  tx: Pick<Tx, 'updateTable'>,
  id: string,
  state: AttemptState,
  detail: string | null,
): Promise<Selectable<PageAttemptsTable> | null> {
  const row = await tx
    .updateTable('page_attempts')
    .set({ state, detail, settled_at: CLOCK_NOW })
    .where('id', '=', id)
    .where('state', 'not in', ['answered', 'retracted'])
    .returningAll()
    .executeTakeFirst();
  return row ?? null;
}
