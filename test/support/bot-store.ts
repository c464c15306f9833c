import type { Kysely } from 'kysely';
import type { Card } from '../../src/bot/store/cards.ts';
import { migrations } from '../../src/bot/store/migrations.ts';
import { createStore, type Store } from '../../src/bot/store/store.ts';
import { BOT_SCHEMA, type Tables } from '../../src/bot/store/tables.ts';
import { factsOf } from '../../src/bot/views/what-changed.ts';
import type { Incident } from '../../src/contract/resources.ts';
import { createTestDatabase } from './database.ts';

export const NOW = new Date('2026-01-31T08:00:00.000Z');
export const LATER = new Date(NOW.getTime() + 10 * 60_000);
export const CHANNEL = 'C0INCIDENT';

export function incident(id: string, fields: Partial<Incident> = {}): Incident {
  const opened_at = NOW.toISOString();
  return { id, status: 'open', signal_count: 1, root_service: 'payments', opened_at, ...fields };
}

/** Runs over the store of a throw-away database, with one channel. */
export async function withStore(run: (store: Store, db: Kysely<Tables>) => Promise<void>): Promise<void> {
  await using database = await createTestDatabase();
  const store = await createStore(database);
  await store.subscriptions.replace({ channelId: CHANNEL, setting: '#incidents' });
  await run(store, await database.open<Tables>(BOT_SCHEMA, migrations));
}

export async function claimAll(store: Store, now: Date): Promise<Card[]> {
  const claimed: Card[] = [];
  for (let card = await store.cards.claim(CHANNEL, now); card !== null; card = await store.cards.claim(CHANNEL, now)) {
    claimed.push(card);
  }
  return claimed;
}

export function present<Value>(value: Value | null | undefined): Value {
  if (value === null || value === undefined) {
    throw new Error('nothing was due');
  }
  return value;
}

export async function show(store: Store, card: Card): Promise<number | null> {
  const revision = (await store.incidents.find(card.incidentId))?.revision ?? '0';
  const facts = factsOf(incident(card.incidentId), NOW);
  return store.cards.markShown(card, { ts: '1760550292.303780', digest: 'd', revision, facts, tellAt: NOW });
}

export async function showAll(store: Store): Promise<void> {
  for (const card of await claimAll(store, NOW)) {
    await show(store, card);
  }
}
