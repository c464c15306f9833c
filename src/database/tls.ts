import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { DatabaseStartError, errorCode } from './errors.ts';

/** The parameters of libpq that this file reads. */
export const TLS_PARAMETERS = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'sslpassword'];

/** One way to connect; false: without TLS. */
export type Encryption = ConnectionOptions | false;

const MODES = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full'] as const;
type Mode = (typeof MODES)[number];

/**
 * What `sslmode` and the certificates mean to libpq (PostgreSQL, "SSL Support", table "SSL Mode Descriptions"). Unlike
 * libpq, no certificates are looked for in the home folder.
 *
 * @returns the ways to connect, in the order in which they are tried
 * @throws DatabaseStartError
 */
export function readEncryption(parameters: URLSearchParams): Encryption[] {
  const root = parameters.get('sslrootcert');
  const isSystem = root === 'system';
  const mode = findMode(parameters.get('sslmode') ?? (isSystem ? 'verify-full' : 'prefer'));
  if (isSystem && mode !== 'verify-full') {
    throw new DatabaseStartError(`sslrootcert=system in DATABASE_URL needs sslmode=verify-full, not ${mode}`);
  }
  const cert = readPart(parameters, 'sslcert');
  const key = readPart(parameters, 'sslkey');
  const passphrase = parameters.get('sslpassword');
  const own = { ...(cert && { cert }), ...(key && { key }), ...(passphrase !== null && { passphrase }) };
  const ca = isSystem ? null : readPart(parameters, 'sslrootcert');
  const unverified = { ...own, rejectUnauthorized: false };
  switch (mode) {
    case 'disable':
      return [false];
    case 'allow':
      return [false, unverified];
    case 'prefer':
      return [unverified, false];
    case 'require':
      return [ca === null ? unverified : { ...own, ca, checkServerIdentity: acceptAnyName }];
    case 'verify-ca':
      return [{ ...own, ca: demandRoot(ca, mode), checkServerIdentity: acceptAnyName }];
    case 'verify-full':
      return [isSystem ? own : { ...own, ca: demandRoot(ca, mode) }];
  }
}

/** `verify-ca` trusts every certificate of the authority, whatever its name. */
function acceptAnyName(): undefined {
  return undefined;
}

function findMode(text: string): Mode {
  const mode = MODES.find((known) => known === text);
  if (mode === undefined) {
    throw new DatabaseStartError(`sslmode in DATABASE_URL must be one of ${MODES.join(', ')}`);
  }
  return mode;
}

function demandRoot(ca: string | null, mode: Mode): string {
  if (ca === null) {
    throw new DatabaseStartError(
      `sslmode=${mode} in DATABASE_URL needs sslrootcert, the file of the authority's certificate, or sslrootcert=system`,
    );
  }
  return ca;
}

function readPart(parameters: URLSearchParams, name: string): string | null {
  const path = parameters.get(name);
  if (path === null) {
    return null;
  }
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new DatabaseStartError(`the file of ${name} in DATABASE_URL cannot be read (${errorCode(cause)})`, { cause });
  }
}
