import type { Scope } from '../../contract/routes.ts';
import { type ApiKey, hasScope } from '../core/api-key.ts';
import type { ApiKeyStore } from '../store/api-key-store.ts';
import { RequestError } from './problem.ts';

/**
 * @returns the key that came as `Authorization: Bearer`, or as `X-Api-Key` since some senders of telemetry can set no other
 * @throws {RequestError} when there is none that works
 */
export async function authenticate(headers: Headers, keys: ApiKeyStore, now: Date): Promise<ApiKey> {
  const rawKey = /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1] ?? headers.get('x-api-key');
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
    throw new RequestError('insufficient-scope', `this needs a ${scope} API key; yours is ${key.scope}`, {
      headers: { 'www-authenticate': `Bearer realm="tocsin", error="insufficient_scope", scope="${scope}"` },
    });
  }
}
