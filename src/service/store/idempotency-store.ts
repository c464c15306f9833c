import { randomUUID } from 'node:crypto';
import { subHours } from 'date-fns/subHours';
import { subMinutes } from 'date-fns/subMinutes';
import { type Kysely, sql } from 'kysely';
import type { ServiceTables } from './tables.ts';

/** How long an answer is kept. */
const KEPT_HOURS = 24;

/** A request that takes longer has died with its process: another may take its place. */
const LONGEST_REQUEST_MINUTES = 1;

export interface KeptAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `claimed`: the request is ours to answer, then to keep or release by `claim`. */
export type Claim =
  | { readonly outcome: 'claimed'; readonly claim: string }
  | { readonly outcome: 'answered'; readonly answer: KeptAnswer }
  | { readonly outcome: 'in-flight' | 'other-request' };

/** Answers to requests with an `Idempotency-Key`, one space of keys for each API key, shared by all processes. */
export interface IdempotencyStore {
  /** @param requestDigest tells one request from another */
  claim(apiKeyId: string, idempotencyKey: string, requestDigest: string, now: Date): Promise<Claim>;
  keep(claim: string, apiKeyId: string, idempotencyKey: string, answer: KeptAnswer): Promise<void>;
  release(claim: string, apiKeyId: string, idempotencyKey: string): Promise<void>;
  /** Removes what has expired. */
  prune(now: Date): Promise<void>;
}

export function createIdempotencyStore(db: Kysely<ServiceTables>): IdempotencyStore {
  return {
    async claim(apiKeyId, idempotencyKey, requestDigest, now) {
      const claim = randomUUID();
      // One statement, so that one of many at once gets the row. It sees the row as it was, if the row is not ours.
      const { rows: claimed } = await sql<{ claim: string }>`
        insert into idempotency_keys as standing (api_key_id, idempotency_key, claim, request_digest, claimed_at)
        values (${apiKeyId}, ${idempotencyKey}, ${claim}, ${requestDigest}, ${now})
        on conflict (api_key_id, idempotency_key) do update
        set claim = excluded.claim, request_digest = excluded.request_digest, claimed_at = excluded.claimed_at,
          status = null, headers = null, body = null
        where standing.claimed_at <= ${subHours(now, KEPT_HOURS)}
          or (standing.status is null and standing.claimed_at <= ${subMinutes(now, LONGEST_REQUEST_MINUTES)}
            and standing.request_digest = excluded.request_digest)
        returning claim
      `.execute(db);
      if (claimed.length > 0) {
        return { outcome: 'claimed', claim };
      }
      const row = await db
        .selectFrom('idempotency_keys')
        .selectAll()
        .where('api_key_id', '=', apiKeyId)
        .where('idempotency_key', '=', idempotencyKey)
        .executeTakeFirst();
      if (row !== undefined && row.request_digest !== requestDigest) {
        return { outcome: 'other-request' };
      }
      if (row === undefined || row.status === null) {
        return { outcome: 'in-flight' }; // no row: it was released a moment ago, and the sender may try again
      }
      return { outcome: 'answered', answer: { status: row.status, headers: row.headers ?? {}, body: row.body ?? '' } };
    },

    async keep(claim, apiKeyId, idempotencyKey, { status, headers, body }) {
      await sql`
        update idempotency_keys set status = ${status}, headers = ${JSON.stringify(headers)}::jsonb, body = ${body}
        where api_key_id = ${apiKeyId} and idempotency_key = ${idempotencyKey} and claim = ${claim}
      `.execute(db);
    },

    async release(claim, apiKeyId, idempotencyKey) {
      await db
        .deleteFrom('idempotency_keys')
        .where('api_key_id', '=', apiKeyId)
        .where('idempotency_key', '=', idempotencyKey)
        .where('claim', '=', claim)
        .execute();
    },

    async prune(now) {
      await db.deleteFrom('idempotency_keys').where('claimed_at', '<=', subHours(now, KEPT_HOURS)).execute();
    },
  };
}
