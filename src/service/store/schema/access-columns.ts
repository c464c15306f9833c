import type { Generated, GeneratedAlways } from 'kysely';
import type { Scope } from '../../../contract/route.ts';
import type { Role } from '../../../contract/sign-in.ts';
import type { IntegrationChangeType } from '../../core/integration-change.ts';
import type { KeyEvent } from '../../core/key-event.ts';
import type { SignInMethod } from '../../core/session.ts';
import type { SignInEvent } from '../../core/sign-in-event.ts';

export interface ApiKeysTable {
  id: string;
  /** The part of the raw key that identifies the row. */
  lookup: string;
  name: string;
  scope: Scope;
  salt: Buffer;
  hash: Buffer;
  created_at: Date;
  last_used_at: Generated<Date | null>;
  expires_at: Generated<Date | null>;
  revoked_at: Generated<Date | null>;
  /** The integration that owns an ingest key. */
  integration_id: Generated<string | null>;
}

export interface ApiKeyEventsTable {
  id: GeneratedAlways<string>;
  key_id: string;
  type: KeyEvent['type'];
  /** See `KeyActor`. */
  actor: string;
  actor_id: string | null;
  successor_id: string | null;
  occurred_at: Date;
}

/** See `Session`. */
export interface SessionsTable {
  id: string;
  token_hash: Buffer;
  identity: string;
  user_name: string;
  person_name: string;
  slack_user_id: string | null;
  user_id: string | null;
  role: Role;
  method: SignInMethod;
  api_key_id: string | null;
  granted_by: string[];
  address: string;
  user_agent: string;
  created_at: Date;
  last_seen_at: Date;
}

/** See `SignInEvent`. */
export interface SignInEventsTable {
  id: GeneratedAlways<string>;
  type: SignInEvent['type'];
  actor: string;
  actor_id: string | null;
  person_name: string;
  user_id: string | null;
  role: Role;
  method: SignInMethod;
  address: string;
  user_agent: string;
  occurred_at: Date;
}

/** See `IntegrationChange`. */
export interface IntegrationChangesTable {
  id: GeneratedAlways<string>;
  type: IntegrationChangeType;
  integration_id: string;
  integration_type: string;
  integration_name: string | null;
  /** See `KeyActor`. */
  actor: string;
  actor_id: string | null;
  occurred_at: Date;
}

/** See `SignInLink`. A link that was used is deleted. */
export interface SignInLinksTable {
  token_hash: Buffer;
  identity: string;
  user_name: string;
  person_name: string;
  slack_user_id: string | null;
  user_id: string | null;
  role: Role;
  /** The key that made it; null: it was made on the machine of the service. */
  api_key_id: string | null;
  return_to: string | null;
  created_at: Date;
  expires_at: Date;
}

export interface IdempotencyKeysTable {
  api_key_id: string;
  idempotency_key: string;
  claim: string;
  request_digest: string;
  claimed_at: Date;
  /** null, like the two columns below, while the first request is running. */
  status: number | null;
  headers: Record<string, string> | null;
  body: string | null;
}
