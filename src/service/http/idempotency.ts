import { createHash } from 'node:crypto';
import type { IdempotencyStore } from '../store/idempotency-store.ts';
import type { Stores } from '../store/stores.ts';
import { RequestError } from './problem.ts';

const MAX_KEY_LENGTH = 255;
const RETRY_AFTER_SECONDS = '1';

interface Handled {
  readonly response: Response;
  /** What is stored instead, when the response contains a secret. */
  readonly kept?: Response;
}

export interface OnceDeps {
  readonly idempotency: IdempotencyStore;
  /** Runs `work` over stores of one transaction. */
  readonly inOneTransaction: <Result>(work: (stores: Stores) => Promise<Result>) => Promise<Result>;
}

/**
 * Handles a request with an `Idempotency-Key` once. For 24 hours the same request gets the same response, without
 * secrets. The response is stored in the transaction of what the request changes, so a process that dies leaves both or
 * neither. Only success is stored: an error changes nothing, so the key can be used again.
 *
 * @param request its body must not have been read
 * @param handle may read a copy of the request only, and writes by these stores
 * @throws {RequestError} when the key is invalid, belongs to another request, or its request is still running
 */
export async function handleOnce(
  request: Request,
  apiKeyId: string,
  { idempotency, inOneTransaction }: OnceDeps,
  handle: (stores?: Stores) => Promise<Handled>,
): Promise<Response> {
  const key = request.headers.get('idempotency-key');
  if (key === null) {
    return (await handle()).response;
  }
  if (!/^[\x20-\x7e]+$/.test(key) || key.length > MAX_KEY_LENGTH) {
    throw new RequestError('invalid-idempotency-key', `an Idempotency-Key has 1 to ${MAX_KEY_LENGTH} ASCII characters`);
  }
  const found = await idempotency.claim(apiKeyId, key, await digestOf(request));
  switch (found.outcome) {
    case 'done':
      // A 204 may not have an empty body either.
      return new Response(found.response.body || null, {
        status: found.response.status,
        headers: { ...found.response.headers, 'idempotent-replayed': 'true' },
      });
    case 'other-request':
      throw new RequestError(
        'idempotency-key-reused',
        'this Idempotency-Key belongs to another request: use a new one',
      );
    case 'in-flight':
      throw inFlight();
    case 'claimed':
      try {
        return await inOneTransaction(async (stores) => {
          const { response, kept = response.clone() } = await handle(stores);
          const { status } = kept;
          const result = { status, headers: Object.fromEntries(kept.headers), body: await kept.text() };
          if (!(await stores.idempotency.keep(found.claim, apiKeyId, key, result))) {
            throw inFlight();
          }
          return response;
        });
      } catch (error) {
        await idempotency.release(found.claim, apiKeyId, key);
        throw error;
      }
  }
}

function inFlight(): RequestError {
  return new RequestError('request-in-flight', 'the first request with this Idempotency-Key is still running', {
    headers: { 'retry-after': RETRY_AFTER_SECONDS },
  });
}

/** Digest of what is asked for. A repeated request may have a newer `If-Match`: what was done once is not done again. */
async function digestOf(request: Request): Promise<string> {
  const { pathname, search } = new URL(request.url);
  const text = await request.clone().text();
  return createHash('sha256')
    .update(JSON.stringify([request.method, pathname, search, text]))
    .digest('base64url');
}
