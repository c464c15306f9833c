import { type Kysely, type RawBuilder, sql } from 'kysely';
import { fromNow } from '../../../database/lease.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import { URGENCY } from '../../incident/urgency.ts';
import { WORST } from '../../incident/worst-first.ts';
import { redraw } from '../../messages/due.ts';
import { insertMessages } from '../../messages/insert-messages.ts';
import type { Message } from '../../messages/message.ts';
import type { Writes } from '../../messages/message-store.ts';
import type { SlackUserId } from '../../slack/identifiers.ts';
import type { Asker } from '../../slack/person.ts';
import type { Tables } from '../../tables.ts';

declare module '../../messages/message.ts' {
  interface MessageTypes {
    home: { placeId: SlackUserId; subject: SlackUserId; data: unknown; attemptData: null };
  }
}

/** Some incidents, and how many there are. */
export interface Listed {
  readonly incidents: readonly Snapshot[];
  readonly total: number;
}

/** The open incidents as the Home tab of a person groups them. Each is in one group. The most severe come first. */
export interface HomeIncidents {
  /** Acknowledged by the person, or theirs to lead or to communicate. */
  readonly mine: Listed;
  readonly untaken: Listed;
  /** Muted incidents, about which nothing new is posted for now. */
  readonly muted: Listed;
  readonly openTotal: number;
}

/** How long a Home tab is refreshed after it was opened. Slack does not report when people stop looking at it. */
const LOOKED_AT_MS = 10 * 60_000;

const isLookedAt = sql<boolean>`((data->>'openedAt')::timestamptz > ${fromNow(-LOOKED_AT_MS)})`;

/** Home tabs of the app. One is kept for each person who has opened it lately. */
export interface HomeStore {
  /** @param isEmpty Slack shows nothing in it, so it is published even if nothing has changed */
  opened(slackUserId: SlackUserId, isEmpty: boolean): Promise<void>;
  /** Deletes tabs that were not opened for ten minutes. Their content in Slack says when it was read. */
  forgetOld(): Promise<void>;
  incidents(asker: Asker, limit: number): Promise<HomeIncidents>;
}

const GROUP = ({ name, ids, groups }: Asker) => sql`case
  when (incident->'mute'->>'until')::timestamptz > clock_now() then 'muted'
  when array[incident->>'lead', incident->>'communications'] && ${[name, ...groups]}::text[] then 'mine'
  when not is_acknowledged then 'untaken'
  when incident->>'acknowledged_by_id' = any(${[...ids]}::text[]) then 'mine'
  when incident->>'acknowledged_by_id' is null and incident->>'acknowledged_by' = ${name} then 'mine'
  else 'other' end`;

export function createHomeStore(db: Kysely<Tables>): HomeStore {
  return {
    async opened(slackUserId, isEmpty) {
      await db.transaction().execute(async (tx) => {
        await sql`insert into channels (channel_id) values (${slackUserId}) on conflict do nothing`.execute(tx);
        const columns = {
          channel_id: slackUserId,
          subject: slackUserId,
          data: sql`jsonb_build_object('openedAt', clock_now())`,
        };
        const onConflict = sql`update
          set data = excluded.data, needs_redraw = true, revision = messages.revision + 1, urgency = excluded.urgency,
            due_since = case when messages.needs_redraw then messages.due_since else clock_now() end,
            retry_at = case when messages.failures > 0 then messages.retry_at end,
            digest = case when ${isEmpty} then null else messages.digest end`;
        await insertMessages('home', URGENCY.state, columns, { onConflict }).execute(tx);
      });
    },

    async forgetOld() {
      await sql`delete from messages where kind = 'home' and leased_until is null and ${isLookedAt} is not true`.execute(
        db,
      );
    },

    async incidents(asker, limit) {
      const { rows } = await sql<{ group: string; total: string; incidents: Snapshot[] }>`
        select "group", count(*) as total,
          coalesce(json_agg(incident order by place) filter (where place <= ${limit}), '[]') as incidents
        from (
          select incident, "group", row_number() over (partition by "group" order by ${WORST}) as place
          from (select incident, incident_id, opened_at, ${GROUP(asker)} as "group" from incidents where is_open) as grouped
        ) as placed
        group by "group"`.execute(db);
      const listed = (group: string): Listed => {
        const row = rows.find((each) => each.group === group);
        return { incidents: row?.incidents ?? [], total: Number(row?.total ?? 0) };
      };
      const openTotal = rows.reduce((total, row) => total + Number(row.total), 0);
      return { mine: listed('mine'), untaken: listed('untaken'), muted: listed('muted'), openTotal };
    },
  };
}

/** Makes the Home tabs due that people look at and that are not due already, if `condition` is true. */
export function redrawHomes(condition: RawBuilder<boolean> = sql`true`): RawBuilder<unknown> {
  return redraw(
    sql<boolean>`kind = 'home' and ${isLookedAt} and (not needs_redraw or leased_until is not null) and ${condition}`,
    URGENCY.count,
  );
}

/** Forgets the Home tab of a person until they open it again, unless they just did. */
export function deleteHome({ id, revision }: Message): Writes {
  return async (tx) => {
    await tx.deleteFrom('messages').where('id', '=', id).where('revision', '=', revision).execute();
  };
}
