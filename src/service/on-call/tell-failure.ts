import { sql, type Transaction } from 'kysely';
import { WAY_WORDS, type WayKind } from '../../contract/waking.ts';
import { appendToTimelines } from '../store/incidents/timeline.ts';
import {
  type AttemptFailure,
  acceptAttempts,
  failAttempt,
  lockAttempt,
  settleAttempt,
} from '../store/pages/settle-attempts.ts';
import type { ServiceTables } from '../store/schema/tables.ts';

interface Failed {
  readonly incidentId: string;
  readonly name: string;
  readonly kind: WayKind;
  readonly at: Date;
}

/** Says in the timeline that somebody was not reached by a way, and why. */
async function tellFailure(tx: Transaction<ServiceTables>, attemptId: string, why: string): Promise<void> {
  const { rows } = await sql<Failed>`
    select incident_id as "incidentId", coalesce(people.name, person_id, 'a channel') as name, kind, clock_now() as at
    from page_attempts as attempt join pages on pages.id = page_id left join people on people.id = person_id
    where attempt.id = ${attemptId} and incident_id is not null and attempt.state not in ('answered', 'retracted')
  `.execute(tx);
  const moments = rows.map(({ incidentId, name, kind, at }) => ({
    incidentId,
    at,
    event: 'paged' as const,
    by: null,
    text: `${name} was not reached by ${WAY_WORDS[kind]}: ${why}.`,
  }));
  await appendToTimelines(tx, moments);
}

/** An attempt has failed. @param isFinal it is not tried again, which the timeline says */
export async function endFailed(
  tx: Transaction<ServiceTables>,
  id: string,
  { isFinal = false, ...failure }: AttemptFailure & { readonly isFinal?: boolean },
): Promise<void> {
  if (isFinal) {
    await tellFailure(tx, id, failure.detail); // locks the incident, so it comes before the lock of the page
  }
  await failAttempt(tx, id, failure);
}

/**
 * A bot tells of an attempt, or nobody did in time. What was answered or taken back stays. After the end of the page, what
 * may have arrived counts as accepted, so that it is taken back.
 */
export async function endReported(
  tx: Transaction<ServiceTables>,
  id: string,
  told: 'accepted' | 'failed',
  detail: string | null,
): Promise<void> {
  const { state, isOver } = await lockAttempt(tx, id);
  if (state !== 'sending' && !(state === 'failed' && told === 'accepted' && !isOver)) {
    return;
  }
  if (isOver) {
    await settleAttempt(tx, id, 'accepted', detail);
  } else if (told === 'failed') {
    await endFailed(tx, id, { detail: detail ?? 'the bot could not tell them', isFinal: true });
  } else {
    await acceptAttempts(tx, [{ id, reference: null }]);
  }
}
