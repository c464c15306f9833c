import { describe, expect, it } from 'vitest';
import {
  incident,
  LATER,
  MINUTE_MS,
  NOW,
  present,
  type TestStore,
  withStore,
} from '../../../test/support/bot-store.ts';
import { URGENCY } from '../incident/urgency.ts';
import type { IncidentId } from '../slack/identifiers.ts';
import type { Store } from '../store.ts';

const OLD = 'https://old.test/v1';
const NEW = 'https://new.test/v1';

const keyFor = (serviceId: string) => `${serviceId} T1 A1`;

async function opened(store: Store, id: string): Promise<IncidentId> {
  const { known } = await store.incidents.observe(incident(id), { urgency: URGENCY.opened, asOf: NOW });
  return present(known).incident.id;
}

describe('the service that the database is about', () => {
  it('is the first that has answered, and no other', () =>
    withStore(async ({ store: { installation } }) => {
      const before = await installation.findOtherService(NEW, null);
      await installation.watermark(OLD, NOW);

      expect(before).toBeNull();
      expect(await installation.findOtherService(OLD, null)).toBeNull();
      expect(await installation.findOtherService(NEW, null)).toBe(OLD);
      expect(await installation.findOtherService(NEW, 'https://older.test/v1')).toBe(OLD);
    }));

  it('keeps everything that is known of it when it moves', () =>
    withStore(async ({ store: { installation }, db }) => {
      await installation.watermark(OLD, NOW);
      await db
        .updateTable('installation')
        .set({ registered_as: keyFor(OLD) })
        .execute();

      const other = [await installation.findOtherService(NEW, OLD), await installation.findOtherService(NEW, OLD)];

      expect(other).toEqual([null, null]);
      expect(await installation.findOtherService(OLD, null)).toBe(NEW);
      expect(await installation.watermark(NEW, LATER)).toEqual(NOW);
      expect(await installation.registeredAs()).toBe(keyFor(NEW));
    }));
});

describe('freshness', () => {
  async function answeredAt({ db }: TestStore): Promise<Date | null> {
    const row = await db.selectFrom('installation').select('answered_at').executeTakeFirstOrThrow();
    return row.answered_at;
  }

  it('ends when no process has reached the service for long, and returns with the first that does', () =>
    withStore(async (test) => {
      const { installation, freshness } = test.store;
      const fail = () => freshness.failed(2 * MINUTE_MS);
      const answer = async () => freshness.answered(await installation.now(), []);

      await answer();
      await test.advance(MINUTE_MS);
      await fail();
      const early = await freshness.staleSince();
      await test.advance(MINUTE_MS);
      await answer(); // another process
      const lastAnswer = await answeredAt(test);
      await test.advance(MINUTE_MS);
      await fail();
      const reachedByAnother = await freshness.staleSince();
      await test.advance(2 * MINUTE_MS);
      await fail();
      await test.advance(4 * MINUTE_MS);
      await fail();
      const stale = await freshness.staleSince();
      await test.advance(MINUTE_MS);
      await answer();

      expect([early, reachedByAnother, stale]).toEqual([null, null, lastAnswer]);
      expect(await freshness.staleSince()).toBeNull();
    }));

  it('is not lost by a clock that is set back', () =>
    withStore(async ({ store: { installation, freshness }, advance }) => {
      await freshness.answered(await installation.now(), []);
      await freshness.failed(2 * MINUTE_MS);
      await advance(-60 * MINUTE_MS);
      await freshness.failed(2 * MINUTE_MS);
      const early = await freshness.staleSince();
      await advance(3 * MINUTE_MS);
      await freshness.failed(2 * MINUTE_MS);

      expect(early).toBeNull();
      expect(await freshness.staleSince()).not.toBeNull();
    }));

  it('is as old as the newest poll that succeeded, whichever ended last', () =>
    withStore(async ({ store: { installation, freshness }, advance }) => {
      const began = await installation.now();
      await advance(MINUTE_MS);
      const beganLater = await installation.now();

      await freshness.answered(beganLater, []);
      await freshness.answered(began, []);
      const both = await freshness.answeredAt();
      await advance(-60 * MINUTE_MS);
      const setBack = await installation.now();
      await freshness.answered(setBack, []);

      expect(both).toEqual(beganLater);
      expect(await freshness.answeredAt()).toEqual(setBack);
    }));

  it('is what the newest poll could not read, whichever ended last', () =>
    withStore(async ({ store, advance }) => {
      const { installation, freshness, incidents } = store;
      const one = await opened(store, 'inc_1');
      const other = await opened(store, 'inc_2');
      const unread = async () => [(await incidents.find(one))?.isUnread, (await incidents.find(other))?.isUnread];
      const began = await installation.now();
      await advance(MINUTE_MS);
      const beganLater = await installation.now();

      await freshness.answered(beganLater, [one]);
      await freshness.answered(began, [other]);
      const both = await unread();
      await freshness.answered(beganLater, []);

      expect(both).toEqual([true, false]);
      expect(await unread()).toEqual([false, false]);
    }));

  it('never begins before the service has answered', () =>
    withStore(async ({ store: { freshness }, advance }) => {
      await freshness.failed(2 * MINUTE_MS);
      await advance(60 * MINUTE_MS);
      await freshness.failed(2 * MINUTE_MS);

      expect(await freshness.staleSince()).toBeNull();
    }));
});
