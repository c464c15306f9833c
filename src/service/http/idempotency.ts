import { createHash } from 'node:crypto';
import type { IdempotencyStore } from '../store/idempotency-store.ts';
import { RequestError } from './problem.ts';

const MAX_KEY_LENGTH = 255;
const RETRY_AFTER_SECONDS = '1';

interface Handled {
  readonly response: Response;
  /** What is stored instead, when the response contains a secret. */
  readonly kept?: Response;
}

/**
 * Handles a request with an `Idempotency-Key` once. For 24 hours the same request gets the same response, without
 * secrets. Only success is stored: an error changes nothing, so the key can be used again.
 *
 * @param request its body must not have been read
 * @param handle may read a copy of the request only
 * @throws {RequestError} when the key is invalid, belongs to another request, or its request is still running
 */
export async function handleOnce(
  request: Request,
  apiKeyId: string,
  idempotency: IdempotencyStore,
  handle: () => Promise<Handled>,
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
      return new Response(found.response.body, {
        status: found.response.status,
        headers: { ...found.response.headers, 'idempotent-replayed': 'true' },
      });
    case 'other-request':
      throw new RequestError(
        'idempotency-key-reused',
        'this Idempotency-Key belongs to another request: use a new one',
      );
    case 'in-flight':
      throw new RequestError('request-in-flight', 'the first request with this Idempotency-Key is still running', {
        headers: { 'retry-after': RETRY_AFTER_SECONDS },
      });
    case 'claimed': {
      const { response, kept = response.clone() } = await handle().catch(async (error: unknown) => {
        await idempotency.release(found.claim, apiKeyId, key);
        throw error;
      });
      const headers = Object.fromEntries(kept.headers);
      await idempotency.keep(found.claim, apiKeyId, key, { status: kept.status, headers, body: await kept.text() });
      return response;
    }
  }
}

/** Digest of what is asked for. A repeated request may have a newer `If-Match`: what was done once is not done again. */
async function digestOf(request: Request): Promise<string> {
  const { pathname, search } = new URL(request.url);
  const text = await request.clone().text();
  return createHash('sha256')
    .update(JSON.stringify([request.method, pathname, search, text]))
    .digest('base64url');
}
