import { createHash } from 'node:crypto';
import type { IdempotencyStore } from '../store/idempotency-store.ts';
import { RequestError } from './problem.ts';

const MAX_KEY_LENGTH = 255;
const RETRY_AFTER_SECONDS = '1';

interface Answer {
  readonly response: Response;
  /** What is kept of it, where that is less: an answer with a secret is told from without it later. */
  readonly kept?: Response;
}

/**
 * Answers a request with an `Idempotency-Key` once; the same request again gets the same answer for 24 hours, without
 * what is shown only once. Only what was done is kept: a refusal changes nothing, so the key is free again.
 *
 * @param request not yet read
 * @param answer does the work, and reads a copy of the request at most
 * @throws {RequestError} when the key is no key, belongs to another request, or its request is still under way
 */
export async function answerOnce(
  request: Request,
  apiKeyId: string,
  { answers, now }: { readonly answers: IdempotencyStore; readonly now: () => Date },
  answer: () => Promise<Answer>,
): Promise<Response> {
  const key = request.headers.get('idempotency-key');
  if (key === null) {
    return (await answer()).response;
  }
  if (!/^[\x20-\x7e]+$/.test(key) || key.length > MAX_KEY_LENGTH) {
    throw new RequestError('invalid-idempotency-key', `an Idempotency-Key has 1 to ${MAX_KEY_LENGTH} ASCII characters`);
  }
  const found = await answers.claim(apiKeyId, key, await digestOf(request), now());
  switch (found.outcome) {
    case 'answered':
      return new Response(found.answer.body, {
        status: found.answer.status,
        headers: { ...found.answer.headers, 'idempotent-replayed': 'true' },
      });
    case 'other-request':
      throw new RequestError(
        'idempotency-key-reused',
        'this Idempotency-Key belongs to another request: make a new one',
      );
    case 'in-flight':
      throw new RequestError('request-in-flight', 'the first request with this Idempotency-Key is still under way', {
        headers: { 'retry-after': RETRY_AFTER_SECONDS },
      });
    case 'claimed': {
      const { response, kept = response.clone() } = await answer().catch(async (error: unknown) => {
        await answers.release(found.claim, apiKeyId, key);
        throw error;
      });
      const headers = Object.fromEntries(kept.headers);
      await answers.keep(found.claim, apiKeyId, key, { status: kept.status, headers, body: await kept.text() });
      return response;
    }
  }
}

/** Of everything that makes the answer what it is, but for the key. */
async function digestOf(request: Request): Promise<string> {
  const { pathname, search } = new URL(request.url);
  const condition = request.headers.get('if-match') ?? '';
  const text = await request.clone().text();
  return createHash('sha256')
    .update(JSON.stringify([request.method, pathname, search, condition, text]))
    .digest('base64url');
}
