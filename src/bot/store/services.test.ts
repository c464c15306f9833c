import { type Kysely, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { createEmptyDatabase, createTestDatabase } from '../../../test/support/database.ts';
import { migrations } from './migrations.ts';
import { EMBEDDED_SERVICE } from './services.ts';
import { createStore, type Store } from './store.ts';
import { BOT_SCHEMA, type Tables } from './tables.ts';

const NOW = new Date('2026-01-31T08:00:00.000Z');
const LATER = new Date('2026-02-01T08:00:00.000Z');
const OLD = 'https://old.test/v1';
const NEW = 'https://new.test/v1';
const WORKSPACE = { teamId: 'T1', appId: 'A1' };

async function isRegistered(store: Store, serviceId: string): Promise<boolean> {
  let isAsked = false;
  await store.registrations.once({ serviceId, ...WORKSPACE }, async () => {
    isAsked = true;
    return 'int_1';
  });
  return !isAsked;
}

describe('the service that the database is about', () => {
  it('is the first that has answered, and no other', async () => {
    await using database = await createTestDatabase();
    const store = await createStore(database);

    const before = await store.services.findOther(NEW, null);
    await store.incidents.watermark(OLD, NOW);

    expect(before).toBeNull();
    expect(await store.services.findOther(OLD, null)).toBeNull();
    expect(await store.services.findOther(NEW, null)).toBe(OLD);
    expect(await store.services.findOther(NEW, 'https://older.test/v1')).toBe(OLD);
  });

  it('may move, and all that is known of it stays', async () => {
    await using database = await createTestDatabase();
    const store = await createStore(database);
    await store.incidents.watermark(OLD, NOW);
    await isRegistered(store, OLD);

    const other = [await store.services.findOther(NEW, OLD), await store.services.findOther(NEW, OLD)];

    expect(other).toEqual([null, null]);
    expect(await store.services.findOther(OLD, null)).toBe(NEW);
    expect(await store.incidents.watermark(NEW, LATER)).toEqual(NOW);
    expect(await isRegistered(store, NEW)).toBe(true);
  });
});

describe('a database of a version that knew the embedded service by its address', () => {
  const before = Object.fromEntries(Object.entries(migrations).filter(([name]) => name < '0013'));

  async function fill(db: Kysely<Tables>): Promise<void> {
    await sql`
      insert into feed_starts (base_url, watermark, answered_at) values
        ('http://127.0.0.1:3001/v1', ${NOW}, ${NOW}), ('http://127.0.0.1:3000/v1', ${LATER}, ${LATER})`.execute(db);
    await sql`
      insert into registrations (base_url, team_id, app_id, created_at) values
        ('http://127.0.0.1:3001/v1', 'T1', 'A1', ${NOW}), ('http://127.0.0.1:3000/v1', 'T1', 'A1', ${LATER})`.execute(
      db,
    );
  }

  it('keeps what it has of it', async () => {
    await using database = await createEmptyDatabase();
    await fill(await database.open<Tables>(BOT_SCHEMA, before));
    await database.open('tocsin_service', {});

    const store = await createStore(database);

    expect(await store.services.findOther(EMBEDDED_SERVICE, null)).toBeNull();
    expect(await store.incidents.watermark(EMBEDDED_SERVICE, NOW)).toEqual(LATER);
    expect(await isRegistered(store, EMBEDDED_SERVICE)).toBe(true);
  });

  it('is about the address where the service has no tables in it', async () => {
    await using database = await createEmptyDatabase();
    await fill(await database.open<Tables>(BOT_SCHEMA, before));

    const store = await createStore(database);

    expect(await store.services.findOther(EMBEDDED_SERVICE, null)).toBe('http://127.0.0.1:3000/v1');
  });
});
