import type { Scope } from '../../contract/route.ts';

/** The public facts of an API key, without the raw value and its hash. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly scope: Scope;
  /** The integration that owns it; it is revoked when the integration is deleted. null: it has no owner. */
  readonly integrationId: string | null;
  /** The non-secret start of the raw value: `tcn_rw_Qz31…`. */
  readonly hint: string;
  readonly createdAt: Date;
  /** To the minute; null: never used. */
  readonly lastUsedAt: Date | null;
  /** Set when it is created, or by a rotation. null: it works until it is revoked. */
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}

export function isWorking(key: Pick<ApiKey, 'expiresAt' | 'revokedAt'>, now: Date): boolean {
  return key.revokedAt === null && (key.expiresAt === null || now < key.expiresAt);
}

/** Identifies a sender across all keys of its integration. */
export function senderOf({ id, integrationId }: ApiKey): string {
  return integrationId ?? id;
}

/** A read-write key may do everything that the other scopes may do. */
export function hasScope(key: ApiKey, needed: Scope): boolean {
  return key.scope === needed || key.scope === 'read-write';
}
