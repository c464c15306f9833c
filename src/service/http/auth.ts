import type { Scope } from '../../contract/routes.ts';
import { type ApiKey, hasScope } from '../core/api-key.ts';
import type { ApiKeyStore } from '../store/api-key-store.ts';
import { RequestError } from './problem.ts';

/**
 * Finds the key in `Authorization: Bearer`, or in `X-Api-Key` for senders that cannot set that.
 *
 * @throws {RequestError} without a working key
 */
export async function authenticate(headers: Headers, keys: ApiKeyStore, now: Date): Promise<ApiKey> {
  return authenticateRawKey(findRawKey(headers), keys, now);
}

/**
 * The same for senders of signals. Without a header, the key may be the query parameter `token`. URLs end up in logs, so
 * only ingest keys are accepted there.
 *
 * @throws {RequestError}
 */
export async function authenticateSender(request: Request, keys: ApiKeyStore, now: Date): Promise<ApiKey> {
  const token = new URL(request.url).searchParams.get('token');
  const fromHeader = findRawKey(request.headers);
  if (fromHeader !== null || token === null) {
    return authenticateRawKey(fromHeader, keys, now);
  }
  const key = await authenticateRawKey(token, keys, now);
  if (key.scope !== 'ingest') {
    throw new RequestError('insufficient-scope', `a key in an address must be an ingest key; yours is ${key.scope}`);
  }
  return key;
}

function findRawKey(headers: Headers): string | null {
  return /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1] ?? headers.get('x-api-key');
}

/** @throws {RequestError} */
export async function authenticateRawKey(rawKey: string | null, keys: ApiKeyStore, now: Date): Promise<ApiKey> {
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

/** Whether `authenticate` still accepts the caller. */
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
