import type { Scope } from '../../contract/routes.ts';

/** An API key as it may be shown: never the raw value, nor its hash. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly scope: Scope;
  /** The integration that it was made with, and ends with; null: it stands for itself. */
  readonly integrationId: string | null;
  /** The start of the raw value, which tells keys apart and opens nothing: `tcn_rw_Qz31…`. */
  readonly hint: string;
  readonly createdAt: Date;
  /** To the minute; null: never used. */
  readonly lastUsedAt: Date | null;
  /** Set by a rotation: until then the old key works beside the new one. null: it works until it is revoked. */
  readonly expiresAt: Date | null;
  /** null: it was not revoked. */
  readonly revokedAt: Date | null;
}

export function isWorking(key: Pick<ApiKey, 'expiresAt' | 'revokedAt'>, now: Date): boolean {
  return key.revokedAt === null && (key.expiresAt === null || now < key.expiresAt);
}

/** Tells one sender from another, whichever of its keys it uses. */
export function senderOf({ id, integrationId }: ApiKey): string {
  return integrationId ?? id;
}

/** A read-write key may do whatever the others may. */
export function hasScope(key: ApiKey, needed: Scope): boolean {
  return key.scope === needed || key.scope === 'read-write';
}
