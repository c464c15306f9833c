import { describe, expect, it } from 'vitest';
import { createTestDatabase } from '../../../test/support/database.ts';
import { createStore } from './store.ts';

const SERVICE = 'http://service.test/v1';
const MINUTE_MS = 60_000;
const at = (minute: number) => new Date(Date.parse('2026-01-31T08:00:00.000Z') + minute * MINUTE_MS);

describe('freshness', () => {
  it('ends when no process has reached the service for long, and begins with the first that does', async () => {
    await using database = await createTestDatabase();
    const { freshness, incidents } = await createStore(database);
    await incidents.watermark(SERVICE, at(0));

    await freshness.answered(SERVICE, at(0));
    await freshness.silent(SERVICE, at(1), 2 * MINUTE_MS);
    const early = await freshness.staleSince(SERVICE);
    await freshness.answered(SERVICE, at(2)); // another process
    await freshness.silent(SERVICE, at(3), 2 * MINUTE_MS);
    const reachedByAnother = await freshness.staleSince(SERVICE);
    await freshness.silent(SERVICE, at(5), 2 * MINUTE_MS);
    await freshness.silent(SERVICE, at(9), 2 * MINUTE_MS);
    const stale = await freshness.staleSince(SERVICE);
    await freshness.answered(SERVICE, at(10));

    expect([early, reachedByAnother, stale]).toEqual([null, null, at(2)]);
    expect(await freshness.staleSince(SERVICE)).toBeNull();
  });
});
