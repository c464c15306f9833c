import { type RawBuilder, sql } from 'kysely';
import { isDue } from '../../database/lease.ts';
import { LEASE_MS } from '../../effects/renewal.ts';
import { URGENCY, type Urgency } from '../incident/urgency.ts';

/** The message of a storm that goes on. */
export const STORM_GOES_ON = sql<boolean>`(kind = 'storm' and data->>'endedAt' is null)`;

/** Upper bound for `retry_at`. */
export const LONGEST_RETRY_MS = 15 * 60_000;

/** Upper bound for `held_until`. A longer hold is renewed. */
export const LONGEST_HOLD_MS = 24 * 60 * 60_000;

/** Condition on `messages`: due and not leased. */
export const isClaimable = sql<boolean>`(needs_redraw and not is_withheld
  and ${isDue('retry_at', LONGEST_RETRY_MS)} and ${isDue('held_until', LONGEST_HOLD_MS)}
  and ${isDue('leased_until', LEASE_MS)})`;

/** The ids of the open incidents, as an array: few, whatever exists. The planner would expect a join to find more. */
export const OPEN = sql`array(select incident_id from incidents where is_open)`;

/** The order in which due messages are claimed, as in the index `messages_due`. */
export const TURN = {
  urgency: sql`case when refusals < 3 then urgency else ${sql.lit(URGENCY.count)} end`,
  since: sql`greatest(due_since, retry_at)`,
} as const;

/**
 * Makes messages due. A message that is already due keeps its place in the queue.
 *
 * @param options.digest null: the content in Slack is unknown, so the message is sent even if nothing has changed
 * @param options.releases whether to ask again until when held messages are held
 */
export function redraw(
  where: RawBuilder<boolean>,
  urgency: Urgency,
  { digest, releases = false }: { digest?: null; releases?: boolean } = {},
): RawBuilder<unknown> {
  return sql`
    update messages set needs_redraw = true, revision = revision + 1,
      ${digest === null ? sql`digest = null,` : sql``}
      ${releases ? sql`held_until = null,` : sql``}
      due_since = case when needs_redraw then due_since else clock_now() end,
      urgency = case when needs_redraw then least(urgency, ${urgency}::smallint) else ${urgency}::smallint end
    where ${where}`;
}
