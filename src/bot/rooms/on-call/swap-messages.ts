import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { URGENCY } from '../../incident/urgency.ts';
import { redraw } from '../../messages/due.ts';
import { insertMessages } from '../../messages/insert-messages.ts';
import type { MessageData } from '../../messages/message.ts';
import type { SlackUserId } from '../../slack/identifiers.ts';
import type { Tables } from '../../tables.ts';

/** A turn that somebody is asked to take, and what became of it. Times are ISO strings. */
export const SWAP_DATA = z.object({
  schedule: z.string().default(''),
  scheduleId: z.string().default(''),
  /** Whoever is first takes it. */
  isForAnybody: z.boolean().default(false),
  from: z.string().default(new Date(0).toISOString()),
  to: z.string().default(new Date(0).toISOString()),
  asker: z.string().default(''),
  state: z.enum(['asked', 'taken', 'declined', 'withdrawn', 'expired']).default('asked'),
  /** Who took it; null: nobody did. */
  taker: z.string().nullish(),
  undoUntil: z.string().nullish(),
});

declare module '../../messages/message.ts' {
  interface MessageTypes {
    swap: { placeId: SlackUserId; subject: string; data: z.infer<typeof SWAP_DATA>; attemptData: null };
  }
}

/** Asks people by direct messages to take a turn. */
export async function askForSwap(
  tx: Kysely<Tables>,
  swapId: string,
  people: readonly SlackUserId[],
  swap: MessageData<'swap'>,
): Promise<void> {
  for (const slackUserId of people) {
    const columns = { channel_id: slackUserId, subject: swapId, data: sql`${JSON.stringify(swap)}::jsonb` };
    await sql`
      with place as (
        insert into channels (channel_id) values (${slackUserId}) on conflict do nothing
      )
      ${insertMessages('swap', URGENCY.person, columns)}`.execute(tx);
  }
}

/** Says in the messages of a swap what became of it. @param only whose message; null: all */
export async function changeSwap(
  tx: Kysely<Tables>,
  swapId: string,
  change: Partial<MessageData<'swap'>>,
  only: SlackUserId | null = null,
): Promise<void> {
  const which = sql<boolean>`kind = 'swap' and subject = ${swapId} and (${only}::text is null or channel_id = ${only})`;
  await sql`update messages set data = data || ${JSON.stringify(change)}::jsonb where ${which}`.execute(tx);
  await redraw(which, URGENCY.person).execute(tx);
}

export interface SwapStore {
  /** What a swap is about; null: nobody was asked by this bot. */
  find(swapId: string): Promise<MessageData<'swap'> | null>;
}

export function createSwapStore(db: Kysely<Tables>): SwapStore {
  return {
    async find(swapId) {
      const { rows } = await sql<{ data: unknown }>`
        select data from messages where kind = 'swap' and subject = ${swapId} limit 1`.execute(db);
      return rows[0] === undefined ? null : SWAP_DATA.parse(rows[0].data);
    },
  };
}
