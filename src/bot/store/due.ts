import { type Kysely, sql } from 'kysely';
import type { StormRules } from '../domain/storm.ts';
import type { CardMethod } from './limits.ts';
import { isWanted } from './subscriptions.ts';
import type { Tables } from './tables.ts';

/** A channel in which something is not as it should be; not all of it may be due yet. */
export interface DueChannel {
  readonly channelId: string;
  /** The message of a storm may have to change there, or a storm may begin. */
  readonly isStormy: boolean;
  readonly hasCards: boolean;
  readonly hasThreads: boolean;
  /** Calls that Slack does not take there now. */
  readonly paused: readonly CardMethod[];
}

export async function findDueChannels(db: Kysely<Tables>, now: Date, rules: StormRules): Promise<DueChannel[]> {
  const since = new Date(now.getTime() - rules.windowMs);
  const { rows } = await sql<DueChannel>`
    select channel_id as "channelId",
      bool_or(what = 'storm') or ${rules.incidents} < (
        select count(*) from cards
        where cards.channel_id = due.channel_id and created_at > ${since} and ${isWanted}) as "isStormy",
      bool_or(what = 'card') as "hasCards",
      bool_or(what = 'thread') as "hasThreads",
      array(
        select method from slack_limits
        where slack_limits.channel_id = due.channel_id and paused_until > ${now}) as paused
    from (
      select distinct channel_id, 'storm' as what from storms where settled_at is null
      union all
      select distinct channel_id, 'card' from cards
      where shown_revision < desired_revision and not is_withheld and ${isWanted}
      union all
      select distinct channel_id, 'thread' from threads where told_revision < shown_revision
    ) as due
    group by channel_id`.execute(db);
  return rows;
}
