import type { Scope } from '../../contract/route.ts';
import { type ApiKey, hasScope } from '../core/api-key.ts';
import type { KeyLookup } from './key-gate.ts';
import { RequestError } from './problem.ts';

/**
 * Finds the key in `Authorization: Bearer`, or in `X-Api-Key` for senders that cannot set that; GitLab has
 * a header of its own.
 *
 * @throws {RequestError} without a working key
 */
export async function authenticate(headers: Headers, keys: KeyLookup, now: Date): Promise<ApiKey> {
  return authenticateRawKey(findRawKey(headers), keys, now);
}

/**
 * The same for senders of signals, whose products name the scheme of `Authorization` as they like (`GenieKey`, `Splunk`, `Token`),
 * or name none. Of `Basic`, the password or else the name of the user is the key. The key may also be a part of the path or the
 * query parameter `token`. URLs end up in logs, so only ingest keys are accepted there.
 *
 * @param inPath a part of the path that is a key; absent: the path has none
 * @throws {RequestError}
 */
export async function authenticateSender(
  request: Request,
  keys: KeyLookup,
  now: Date,
  inPath?: string,
): Promise<ApiKey> {
  const token = inPath ?? new URL(request.url).searchParams.get('token');
  const fromHeader = findRawKey(request.headers) ?? (token === null ? findSenderKey(request.headers) : null);
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
  return (
    /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1] ??
    headers.get('x-api-key') ??
    headers.get('x-gitlab-token')
  );
}

function findSenderKey(headers: Headers): string | null {
  const [, scheme = '', credentials = ''] = /^(?:(\S+) +)?(\S+) *$/.exec(headers.get('authorization') ?? '') ?? [];
  if (scheme.toLowerCase() !== 'basic') {
    return credentials || null;
  }
  const [name = '', ...password] = Buffer.from(credentials, 'base64').toString().split(':');
  return password.join(':') || name || null;
}

/** @throws {RequestError} */
export async function authenticateRawKey(rawKey: string | null, keys: KeyLookup, now: Date): Promise<ApiKey> {
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

/** @throws {RequestError} */
export function demandScope(key: ApiKey, scope: Scope): void {
  if (!hasScope(key, scope)) {
    throw new RequestError('insufficient-scope', `this needs an API key of scope ${scope}; yours is ${key.scope}`, {
      headers: { 'www-authenticate': `Bearer realm="tocsin", error="insufficient_scope", scope="${scope}"` },
    });
  }
}
