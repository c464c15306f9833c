import type { ColumnType, Generated, GeneratedAlways, JSONColumnType } from 'kysely';
import type { PolicyPlan, WayKind } from '../../../contract/waking.ts';
import type { AttemptState } from '../../on-call/waking/attempts.ts';
import type { WakeFacts, WakePolicy } from '../../on-call/waking/policy.ts';

export interface PoliciesTable {
  id: string;
  /** Policies are tried in this order. */
  position: GeneratedAlways<string>;
  name: string;
  plan: JSONColumnType<PolicyPlan>;
  created_at: Date;
  changed_at: Date;
  changed_by: string;
  changed_by_id: string | null;
}

export interface WaysTable {
  id: string;
  person_id: string;
  kind: WayKind;
  /** As the way reads it. */
  address: JSONColumnType<object>;
  loud_after_s: number | null;
  quiet_after_s: number | null;
  created_at: Date;
  verified_at: Date | null;
  last_answered_at: Date | null;
  unusable_because: string | null;
  /** The code that was sent; null: none is valid. */
  code_hash: Buffer | null;
  code_until: Date | null;
  code_tries: Generated<number>;
}

/** `taken`: somebody acknowledged the incident. `ended`: it was closed, merged or muted. */
export type PageState = 'held' | 'waking' | 'exhausted' | 'taken' | 'ended';

export interface PagesTable {
  id: string;
  /** null: a drill. */
  incident_id: string | null;
  /** As it was when the page began, so that an edit changes no page. */
  policy: ColumnType<WakePolicy, string, never>;
  state: PageState;
  cycle: Generated<number>;
  /** Of the last step that began; -1: none did. */
  step: Generated<number>;
  /** The last cycle in which a provider accepted an attempt; -1: none did. */
  reached_cycle: Generated<number>;
  /** It rings the owner of an incident that still fails. */
  is_reminder: Generated<boolean>;
  started_at: Date;
  ended_at: Date | null;
  ended_by: string | null;
  ended_by_id: string | null;
}

export interface PageAttemptsTable {
  id: string;
  /** null: a test of one way. */
  page_id: string | null;
  cycle: number;
  step: number;
  /** null: a channel. */
  person_id: string | null;
  /** null: a channel, or a way that was removed. */
  way_id: string | null;
  kind: WayKind;
  /** Of a channel; null: the way has it. */
  address: ColumnType<object | null, string | null, never>;
  state: AttemptState;
  /** What the provider knows it by. */
  reference: string | null;
  /** Calls of which it is not known that nothing arrived. */
  doubts: Generated<number>;
  /** Why it failed. */
  detail: string | null;
  due_at: Date;
  began_at: Date | null;
  settled_at: Date | null;
  answered_at: Date | null;
  /** Pages that its message lists: an answer takes them, and no others. */
  listed: string[];
}

/** See `IncidentHistory`. */
export interface WakeHistoryTable {
  incident_id: string;
  sequence: GeneratedAlways<string>;
  at: Date;
  facts: JSONColumnType<WakeFacts>;
}

/** One row. */
export interface WakingKeysTable {
  vapid_public: string;
  vapid_private: string;
  /** Makes the tokens of answers. */
  answer_secret: Buffer;
}
