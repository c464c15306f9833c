import type { Scope } from '../../contract/routes.ts';
import { type ApiKey, hasScope } from '../core/api-key.ts';
import type { ApiKeyStore } from '../store/api-key-store.ts';
import { RequestError } from './problem.ts';

/**
 * @returns the key that came as `Authorization: Bearer`, or as `X-Api-Key` since some senders of telemetry can set no other
 * @throws {RequestError} when there is none that works
 */
export async function authenticate(headers: Headers, keys: ApiKeyStore, now: Date): Promise<ApiKey> {
  return openWith(findRawKey(headers), keys, now);
}

/**
 * The same for who sends signals: without a header, the key may be the query parameter `token`. Addresses end up in the
 * logs of others, so there an ingest key alone is accepted.
 *
 * @throws {RequestError}
 */
export async function authenticateSender(request: Request, keys: ApiKeyStore, now: Date): Promise<ApiKey> {
  const token = new URL(request.url).searchParams.get('token');
  const fromHeader = findRawKey(request.headers);
  if (fromHeader !== null || token === null) {
    return openWith(fromHeader, keys, now);
  }
  const key = await openWith(token, keys, now);
  if (key.scope !== 'ingest') {
    throw new RequestError('insufficient-scope', `a key in an address must be an ingest key; yours is ${key.scope}`);
  }
  return key;
}

function findRawKey(headers: Headers): string | null {
  return /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1] ?? headers.get('x-api-key');
}

/** @throws {RequestError} */
export async function openWith(rawKey: string | null, keys: ApiKeyStore, now: Date): Promise<ApiKey> {
  if (rawKey === null) {
    throw new RequestError('unauthorized', 'send an API key: Authorization: Bearer <API_KEY>', {
      headers: { 'www-authenticate': 'Bearer realm="tocsin"' },
    });
  }
  const key = await keys.authenticate(rawKey, now);
  if (key === null) {
    throw new RequestError('unauthorized', 'this API key is unknown, has expired or was revoked', {
      headers: { 'www-authenticate': 'Bearer realm="tocsin", error="invalid_token"' },
    });
  }
  return key;
}

/** Whether `authenticate` would still let the caller in. */
export async function isAuthentic(headers: Headers, keys: ApiKeyStore, now: Date): Promise<boolean> {
  try {
    await authenticate(headers, keys, now);
    return true;
  } catch (error) {
    if (error instanceof RequestError) {
      return false;
    }
    throw error;
  }
}

/** @throws {RequestError} */
export function demandScope(key: ApiKey, scope: Scope): void {
  if (!hasScope(key, scope)) {
    throw new RequestError('insufficient-scope', `this needs an API key of scope ${scope}; yours is ${key.scope}`, {
      headers: { 'www-authenticate': `Bearer realm="tocsin", error="insufficient_scope", scope="${scope}"` },
    });
  }
}
