import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Action } from '../../src/bot/actions/action.ts';
import type { AuditEntry } from '../../src/bot/actions/audit-log.ts';
import { URGENCY } from '../../src/bot/incident/urgency.ts';
import type { Attempt } from '../../src/bot/messages/attempt.ts';
import type { Message } from '../../src/bot/messages/message.ts';
import type { Shown } from '../../src/bot/messages/message-store.ts';
import type { DuePlace } from '../../src/bot/messages/places.ts';
import type { Permit } from '../../src/bot/messages/throttle.ts';
import { migrations } from '../../src/bot/migrations.ts';
import { recordShown } from '../../src/bot/rooms/card/cards.ts';
import { factsOf } from '../../src/bot/rooms/card/facts.ts';
import { STORM_RULES } from '../../src/bot/rooms/storm/storm.ts';
import { createStore, type Store } from '../../src/bot/store.ts';
import { BOT_SCHEMA, type Tables } from '../../src/bot/tables.ts';
import type { Incident } from '../../src/contract/resources.ts';
import { borrowTestDatabase } from './database.ts';
import { advanceDatabaseClock } from './database-clock.ts';

export const NOW = new Date('2026-01-31T08:00:00.000Z');
export const LATER = new Date(NOW.getTime() + 10 * 60_000);
export const CHANNEL = 'C0INCIDENT';
export const MINUTE_MS = 60_000;
/** Longer than every lease. */
export const LEASE_EXPIRED_MS = 61_000;

/** What the protocol confirms after a post. */
export const SHOWN: Shown = { ts: '1.1', digest: 'd', restMs: 0, isSent: true };

const ALL_CALLS = ['chat.postMessage', 'chat.update', 'conversations.history', 'conversations.replies'] as const;

export interface TestStore {
  readonly store: Store;
  readonly db: Kysely<Tables>;
  /** Moves the clock of the database ahead. */
  readonly advance: (ms: number) => Promise<void>;
}

export function incident(id: string, fields: Partial<Incident> = {}): Incident {
  const opened_at = NOW.toISOString();
  return { id, status: 'open', signal_count: 1, root_service: 'payments', opened_at, ...fields };
}

export function attempt(at: Date): Attempt {
  return { id: randomUUID(), firstAt: at, lastAt: at };
}

/** Runs over the store of a throw-away database, with one subscribed channel. */
export async function withStore(run: (test: TestStore) => Promise<void>): Promise<void> {
  await using database = await borrowTestDatabase();
  const store = await createStore(database);
  await store.subscriptions.subscribe({ channelId: CHANNEL, setting: '#incidents' });
  const db = await database.open<Tables>(BOT_SCHEMA, migrations);
  await run({ store, db, advance: (ms) => advanceDatabaseClock(database, BOT_SCHEMA, ms) });
}

/** Stores open incidents, whose cards are then due. */
export async function open(store: Store, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await store.incidents.observe(incident(id), { urgency: URGENCY.opened, asOf: NOW });
  }
}

export async function openAndClaim(store: Store): Promise<Message> {
  await open(store, 'a');
  return present(await claim(store));
}

export async function duePlace(store: Store, channelId = CHANNEL): Promise<DuePlace | null> {
  const places = await store.duePlaces(STORM_RULES);
  return places.find((place) => place.placeId === channelId) ?? null;
}

/** Claims whatever is due, regardless of the rate: the bucket stays full. */
export async function claim(store: Store, channelId = CHANNEL, permit: Partial<Permit> = {}): Promise<Message | null> {
  const place = await duePlace(store, channelId);
  if (place === null) {
    return null;
  }
  const everything: Permit = {
    calls: ALL_CALLS,
    allowsReplies: true,
    refilled: { ...place.bucket, posts: place.bucket.posts + 1, edits: place.bucket.edits + 1 },
    waitMs: 0,
  };
  return store.messages.claim(place, { ...everything, ...permit });
}

export async function claimAll(store: Store, channelId = CHANNEL): Promise<Message[]> {
  const claimed: Message[] = [];
  for (let message = await claim(store, channelId); message !== null; message = await claim(store, channelId)) {
    claimed.push(message);
  }
  return claimed;
}

export function present<Value>(value: Value | null | undefined): Value {
  if (value === null || value === undefined) {
    throw new Error('nothing was due');
  }
  return value;
}

export const subjects = (messages: readonly Message[]): string[] => messages.map(({ subject }) => subject);

/** Confirms a message as the protocol does after a successful call. */
export async function show(store: Store, message: Message, ts = `1.${message.subject}`): Promise<number | null> {
  const shown = factsOf(incident(message.subject), NOW);
  const also =
    message.kind === 'card' ? recordShown(message, ts, shown, () => ({ told: shown, isReplyDue: false })) : undefined;
  return store.messages.confirmShown(message, { ...SHOWN, ts }, also);
}

/** @returns the subjects of what was due, sorted */
export async function showAll(store: Store, channelId = CHANNEL): Promise<string[]> {
  const shown: string[] = [];
  for (const message of await claimAll(store, channelId)) {
    await show(store, message);
    shown.push(message.subject);
  }
  return shown.toSorted();
}

/** The audit entry of an action that the service did not accept. */
export function keptEntry({ kind: action, incidentId, slackUserId, userName, channelId, origin }: Action): AuditEntry {
  return { action, incidentId, slackUserId, userName, channelId, origin, outcome: 'kept', detail: 'away' };
}

/** Makes the cards of an incident due, as an action does that is still to be sent. */
export async function touch(store: Store, incidentId: string): Promise<void> {
  const asked = { source: randomUUID(), kind: 'acknowledge', incidentId, slackUserId: 'U1', channelId: null } as const;
  const kept = await store.actions.keep({ ...asked, origin: 'button' }, null);
  if (kept.kind === 'new') {
    await store.actions.postpone(kept.action, keptEntry(kept.action), MINUTE_MS);
  }
}

/** Resolves once so many sessions wait for a lock. */
export async function untilWaiting(db: Kysely<Tables>, many: number): Promise<void> {
  for (;;) {
    const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
    if (rows.length >= many) {
      return;
    }
  }
}
