import type { Scope } from '../../contract/routes.ts';

/** An API key as it may be shown: never the raw value, nor its hash. */
export interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly scope: Scope;
  /** The start of the raw value, which tells keys apart and opens nothing: `tcn_rw_Qz31…`. */
  readonly hint: string;
  readonly createdAt: Date;
  /** To the minute; null: never used. */
  readonly lastUsedAt: Date | null;
  /** null while it works. */
  readonly revokedAt: Date | null;
}

export function hasScope(key: ApiKey, needed: Scope): boolean {
  return needed === 'read-only' || key.scope === 'read-write';
}
