import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { CLOCK_NOW, fromNow } from '../../database/lease.ts';
import { hoursToMilliseconds, minutesToMilliseconds } from '../../runtime/dates.ts';
import type { ServiceTables } from './schema/tables.ts';

/** How long a response is kept. */
const RETENTION_MS = hoursToMilliseconds(24);

/** A request that takes longer is considered lost; a retry may take its place. */
const MAX_REQUEST_MS = minutesToMilliseconds(1);

export interface KeptResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `claimed`: the caller must handle the request and keep its response in one transaction, or release the claim. */
export type Claim =
  | { readonly outcome: 'claimed'; readonly claim: string }
  | { readonly outcome: 'done'; readonly response: KeptResponse }
  | { readonly outcome: 'in-flight' | 'other-request' };

/**
 * Responses to requests with an `Idempotency-Key`, shared by all processes. Each API key has its own space of keys. Times
 * use the clock of the database.
 */
export interface IdempotencyStore {
  /** @param requestDigest distinguishes requests */
  claim(apiKeyId: string, idempotencyKey: string, requestDigest: string): Promise<Claim>;
  /** @returns false: a retry has taken the place of this request, so what it did must not be stored */
  keep(claim: string, apiKeyId: string, idempotencyKey: string, response: KeptResponse): Promise<boolean>;
  release(claim: string, apiKeyId: string, idempotencyKey: string): Promise<void>;
  /** Removes expired responses. */
  prune(): Promise<void>;
}

export function createIdempotencyStore(db: Kysely<ServiceTables>): IdempotencyStore {
  return {
    async claim(apiKeyId, idempotencyKey, requestDigest) {
      const claim = randomUUID();
      // A single statement, so that only one of several concurrent requests gets the row.
      const { rows: claimed } = await sql<{ claim: string }>`
        insert into idempotency_keys as existing (api_key_id, idempotency_key, claim, request_digest, claimed_at)
        values (${apiKeyId}, ${idempotencyKey}, ${claim}, ${requestDigest}, ${CLOCK_NOW})
        on conflict (api_key_id, idempotency_key) do update
        set claim = excluded.claim, request_digest = excluded.request_digest, claimed_at = excluded.claimed_at,
          status = null, headers = null, body = null
        where existing.claimed_at <= ${fromNow(-RETENTION_MS)}
          or (existing.status is null and existing.claimed_at <= ${fromNow(-MAX_REQUEST_MS)}
            and existing.request_digest = excluded.request_digest)
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
        return { outcome: 'in-flight' }; // without a row it was released just now; the sender may retry
      }
      return { outcome: 'done', response: { status: row.status, headers: row.headers ?? {}, body: row.body ?? '' } };
    },

    async keep(claim, apiKeyId, idempotencyKey, { status, headers, body }) {
      const { numAffectedRows } = await sql`
        update idempotency_keys set status = ${status}, headers = ${JSON.stringify(headers)}::jsonb, body = ${body}
        where api_key_id = ${apiKeyId} and idempotency_key = ${idempotencyKey} and claim = ${claim}
      `.execute(db);
      return numAffectedRows === 1n;
    },

    async release(claim, apiKeyId, idempotencyKey) {
      await db
        .deleteFrom('idempotency_keys')
        .where('api_key_id', '=', apiKeyId)
        .where('idempotency_key', '=', idempotencyKey)
        .where('claim', '=', claim)
        .where('status', 'is', null) // the commit may have succeeded although its answer was lost
        .execute();
    },

    async prune() {
      await db.deleteFrom('idempotency_keys').where('claimed_at', '<=', fromNow(-RETENTION_MS)).execute();
    },
  };
}
