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
import type { IncidentId } from '../domain/identifiers.ts';
import { URGENCY } from '../domain/urgency.ts';
import type { Store } from './store.ts';

const OLD = 'https://old.test/v1';
const NEW = 'https://new.test/v1';
const SERVICE = 'http://service.test/v1';

const keyFor = (serviceId: string) => `${serviceId} T1 A1`;

async function opened(store: Store, id: string): Promise<IncidentId> {
  const { known } = await store.incidents.observe(incident(id), { urgency: URGENCY.opened, asOf: NOW });
  return present(known).incident.id;
}

async function isRegistered(store: Store, serviceId: string): Promise<boolean> {
  let isAsked = false;
  await store.installation.registerOnce(keyFor(serviceId), async () => {
    isAsked = true;
    return 'int_1';
  });
  return !isAsked;
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
    withStore(async ({ store }) => {
      const { installation } = store;
      await installation.watermark(OLD, NOW);
      await isRegistered(store, OLD);

      const other = [await installation.findOtherService(NEW, OLD), await installation.findOtherService(NEW, OLD)];

      expect(other).toEqual([null, null]);
      expect(await installation.findOtherService(OLD, null)).toBe(NEW);
      expect(await installation.watermark(NEW, LATER)).toEqual(NOW);
      expect(await isRegistered(store, NEW)).toBe(true);
    }));
});

describe('a registration', () => {
  it('happens once, however many processes try at the same time', () =>
    withStore(async ({ store }) => {
      let made = 0;
      const register = async () => {
        made += 1;
        return 'int_1';
      };

      await Promise.all(Array.from({ length: 5 }, () => store.installation.registerOnce(keyFor(SERVICE), register)));

      expect(made).toBe(1);
    }));

  it('is tried again after it failed', () =>
    withStore(async ({ store }) => {
      const failing = store.installation.registerOnce(keyFor(SERVICE), () => Promise.reject(new Error('away')));
      await expect(failing).rejects.toThrow('away');

      expect(await isRegistered(store, SERVICE)).toBe(false);
      expect(await isRegistered(store, SERVICE)).toBe(true);
    }));

  it('is made for each service, workspace and app', () =>
    withStore(async ({ store }) => {
      await isRegistered(store, OLD);

      expect(await isRegistered(store, NEW)).toBe(false);
    }));
});

describe('freshness', () => {
  async function answeredAt({ db }: TestStore): Promise<Date | null> {
    const row = await db.selectFrom('installation').select('answered_at').executeTakeFirstOrThrow();
    return row.answered_at;
  }

  it('ends when no process has reached the service for long, and returns with the first that does', () =>
    withStore(async (test) => {
      const { installation } = test.store;
      const fail = () => installation.failed(2 * MINUTE_MS);
      const answer = async () => installation.answered(await installation.now(), []);

      await answer();
      await test.advance(MINUTE_MS);
      await fail();
      const early = await installation.staleSince();
      await test.advance(MINUTE_MS);
      await answer(); // another process
      const lastAnswer = await answeredAt(test);
      await test.advance(MINUTE_MS);
      await fail();
      const reachedByAnother = await installation.staleSince();
      await test.advance(2 * MINUTE_MS);
      await fail();
      await test.advance(4 * MINUTE_MS);
      await fail();
      const stale = await installation.staleSince();
      await test.advance(MINUTE_MS);
      await answer();

      expect([early, reachedByAnother, stale]).toEqual([null, null, lastAnswer]);
      expect(await installation.staleSince()).toBeNull();
    }));

  it('is not lost by a clock that is set back', () =>
    withStore(async ({ store: { installation }, advance }) => {
      await installation.answered(await installation.now(), []);
      await installation.failed(2 * MINUTE_MS);
      await advance(-60 * MINUTE_MS);
      await installation.failed(2 * MINUTE_MS);
      const early = await installation.staleSince();
      await advance(3 * MINUTE_MS);
      await installation.failed(2 * MINUTE_MS);

      expect(early).toBeNull();
      expect(await installation.staleSince()).not.toBeNull();
    }));

  it('is as old as the newest poll that succeeded, whichever ended last', () =>
    withStore(async ({ store: { installation }, advance }) => {
      const began = await installation.now();
      await advance(MINUTE_MS);
      const beganLater = await installation.now();

      await installation.answered(beganLater, []);
      await installation.answered(began, []);
      const both = await installation.answeredAt();
      await advance(-60 * MINUTE_MS);
      const setBack = await installation.now();
      await installation.answered(setBack, []);

      expect(both).toEqual(beganLater);
      expect(await installation.answeredAt()).toEqual(setBack);
    }));

  it('is what the newest poll could not read, whichever ended last', () =>
    withStore(async ({ store, advance }) => {
      const { installation, incidents } = store;
      const one = await opened(store, 'inc_1');
      const other = await opened(store, 'inc_2');
      const unread = async () => [(await incidents.find(one))?.isUnread, (await incidents.find(other))?.isUnread];
      const began = await installation.now();
      await advance(MINUTE_MS);
      const beganLater = await installation.now();

      await installation.answered(beganLater, [one]);
      await installation.answered(began, [other]);
      const both = await unread();
      await installation.answered(beganLater, []);

      expect(both).toEqual([true, false]);
      expect(await unread()).toEqual([false, false]);
    }));

  it('never begins before the service has answered', () =>
    withStore(async ({ store: { installation }, advance }) => {
      await installation.failed(2 * MINUTE_MS);
      await advance(60 * MINUTE_MS);
      await installation.failed(2 * MINUTE_MS);

      expect(await installation.staleSince()).toBeNull();
    }));
});
