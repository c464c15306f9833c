import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import type { ObservedSignal } from '../../core/signal.ts';
import type { ServiceTables } from '../schema/tables.ts';
import { toStorableJson } from '../shared/json.ts';

/** A word of a state that nobody has explained yet, at one failure. */
export interface AskedState {
  readonly word: string;
  readonly firstAt: Date;
  readonly lastAt: Date;
  readonly times: number;
  /** Whether it is kept back until somebody explains the word; else it counts as a failure already. */
  readonly isWaiting: boolean;
  /** What it is if it is a failure. */
  readonly signal: ObservedSignal;
}

export interface AskedStateStore {
  add(
    integrationId: string,
    asked: readonly Pick<AskedState, 'word' | 'isWaiting' | 'signal'>[],
    now: Date,
  ): Promise<void>;
  /** The oldest first. */
  list(integrationId: string): Promise<readonly AskedState[]>;
  /** Forgets what was asked about a word. */
  remove(integrationId: string, word: string): Promise<void>;
}

/** Failures of an integration for which something is asked. Of further ones only their payloads are kept. */
const MOST = 1_000;

/** Its dates, which JSON has as texts. */
const Dates = z.object({ observedAt: z.coerce.date(), lastSeenAt: z.coerce.date() });

export function createAskedStateStore(db: Kysely<ServiceTables>): AskedStateStore {
  return {
    async add(integrationId, asked, now) {
      for (const { word, isWaiting, signal } of asked) {
        await sql`
          insert into asked_states (integration_id, word, fingerprint, first_at, last_at, is_waiting, signal)
          select id, ${word}, ${signal.fingerprint}, ${now}, ${now}, ${isWaiting}, ${toStorableJson(signal)}::jsonb
          from integrations where id = ${integrationId}
            and (select count(*) from asked_states where integration_id = ${integrationId}) < ${MOST}
          on conflict (integration_id, word, fingerprint) do update
          set last_at = excluded.last_at, times = asked_states.times + 1, signal = excluded.signal,
            is_waiting = asked_states.is_waiting or excluded.is_waiting
        `.execute(db);
      }
    },

    async list(integrationId) {
      const rows = await db
        .selectFrom('asked_states')
        .selectAll()
        .where('integration_id', '=', integrationId)
        .orderBy('first_at')
        .limit(MOST)
        .execute();
      return rows.map((row) => {
        const signal = row.signal as ObservedSignal; // only `add` writes it
        return {
          word: row.word,
          firstAt: row.first_at,
          lastAt: row.last_at,
          times: Number(row.times),
          isWaiting: row.is_waiting,
          signal: { ...signal, ...Dates.parse(signal) },
        };
      });
    },

    async remove(integrationId, word) {
      await db
        .deleteFrom('asked_states')
        .where('integration_id', '=', integrationId)
        .where('word', '=', word)
        .execute();
    },
  };
}
