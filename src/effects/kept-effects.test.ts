import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { LEASE_EXPIRED_MS, withStore } from '../../test/support/bot-store.ts';
import { claimEffect } from '../../test/support/claim-effect.ts';
import { renewKeptTrue } from './new-effects.ts';

const KINDS = ['room'];
const ROOM = { kind: 'room', subject: 'inc_1', data: { name: 'inc-1' } };

describe('a stored effect', () => {
  it('is one for each kind, subject and detail', () =>
    withStore(async ({ store: { effects } }) => {
      await effects.keep([ROOM, { ...ROOM, data: { name: 'another' } }, { ...ROOM, detail: 'U1' }]);

      const claimed = [
        await claimEffect(effects, KINDS),
        await claimEffect(effects, KINDS),
        await claimEffect(effects, KINDS),
      ];

      expect(claimed.map((each) => each?.data)).toEqual([{ name: 'inc-1' }, { name: 'inc-1' }, undefined]);
    }));

  it('is taken over with its attempt when the lease of a process has expired, which can then end nothing', () =>
    withStore(async ({ store: { effects }, advance }) => {
      await effects.keep([ROOM]);
      const first = await claimEffect(effects, KINDS);
      expect(first && (await effects.begin(first))).toBe(true);
      expect(await claimEffect(effects, KINDS)).toBeNull();
      await advance(LEASE_EXPIRED_MS);

      const second = await claimEffect(effects, KINDS);

      expect(second?.attemptedAt).toBeInstanceOf(Date);
      expect(first && (await effects.begin(first))).toBe(false);
      expect(first && (await effects.end(first, { outcome: { by: 'first' } }))).toBe(false);
      expect(second && (await effects.end(second, { outcome: { by: 'second' } }))).toBe(true);
      expect((await effects.stateOf('room', 'inc_1'))?.outcome).toEqual({ by: 'second' });
    }));

  it('makes what follows due in the same transaction, or neither', () =>
    withStore(async ({ store: { effects } }) => {
      await effects.keep([ROOM]);
      const claimed = await claimEffect(effects, KINDS);
      const fails = async () => {
        throw new Error('the database is away');
      };

      const end = { outcome: {}, follow: [{ ...ROOM, detail: 'next' }], also: fails };
      await expect(claimed && effects.end(claimed, end)).rejects.toThrow('away');
      expect(await claimEffect(effects, KINDS)).toBeNull();
      expect(claimed && (await effects.end(claimed, { ...end, also: async () => undefined }))).toBe(true);

      expect((await claimEffect(effects, KINDS))?.detail).toBe('next');
    }));

  it('stays due if its subject changes while it is carried out', () =>
    withStore(async ({ store: { effects }, db }) => {
      await effects.keep([{ ...ROOM, isKeptTrue: true }]);
      const claimed = await claimEffect(effects, KINDS);
      await renewKeptTrue('inc_1', sql<boolean>`true`).execute(db);
      await (claimed && effects.end(claimed, { outcome: {} }));

      const again = await claimEffect(effects, KINDS);
      await (again && effects.end(again, { outcome: {} }));

      expect(again?.id).toBe(claimed?.id);
      expect(await claimEffect(effects, KINDS)).toBeNull();
    }));

  it('stays due if its subject changes while it is carried out and ends with a time to wait', () =>
    withStore(async ({ store: { effects }, db }) => {
      await effects.keep([{ ...ROOM, isKeptTrue: true }]);
      const claimed = await claimEffect(effects, KINDS);
      await renewKeptTrue('inc_1', sql<boolean>`true`).execute(db);
      await (claimed && effects.end(claimed, { againInMs: 60_000 }));

      const again = await claimEffect(effects, KINDS);
      await (again && effects.end(again, { againInMs: 60_000 }));

      expect(again?.id).toBe(claimed?.id);
      expect(await claimEffect(effects, KINDS)).toBeNull();
    }));

  it('keeps the data and the lane that replaced its own while its call failed', () =>
    withStore(async ({ store: { effects } }) => {
      await effects.keep([ROOM]);
      const claimed = await claimEffect(effects, KINDS);
      await effects.keep([{ ...ROOM, data: { name: 'newer' }, lane: 'ben', replaces: true }]);

      await (claimed && effects.end(claimed, { againInMs: 60_000, error: 'no answer' }));

      expect(await claimEffect(effects, KINDS)).toMatchObject({ data: { name: 'newer' }, lane: 'ben' });
    }));

  it.each([{ againInMs: 0 }, { outcome: {} }])('is held by nobody when its lease is renewed late, after %j', (end) =>
    withStore(async ({ store: { effects }, db }) => {
      await effects.keep([{ ...ROOM, isKeptTrue: true }]);
      const claimed = await claimEffect(effects, KINDS);
      await (claimed && effects.end(claimed, end));
      await renewKeptTrue('inc_1', sql<boolean>`true`).execute(db);

      await (claimed && effects.renew([claimed]));

      expect((await claimEffect(effects, KINDS))?.id).toBe(claimed?.id);
    }),
  );

  it('changes its lane when it waits', () =>
    withStore(async ({ store: { effects } }) => {
      await effects.keep([{ ...ROOM, lane: 'ana' }]);
      const claimed = await claimEffect(effects, KINDS);
      await (claimed && effects.end(claimed, { againInMs: 0, lane: 'ben' }));

      expect((await claimEffect(effects, KINDS, ['ana']))?.lane).toBe('ben');
    }));

  it('can be asked for again after it was refused', () =>
    withStore(async ({ store: { effects } }) => {
      await effects.keep([ROOM]);
      const claimed = await claimEffect(effects, KINDS);
      await (claimed && effects.end(claimed, { outcome: { error: 'restricted_action' }, isRefused: true }));
      expect(await claimEffect(effects, KINDS)).toBeNull();

      await effects.keep([ROOM]);

      expect((await claimEffect(effects, KINDS))?.id).toBe(claimed?.id);
    }));

  it('waits, and forgets its attempt where its data changes', () =>
    withStore(async ({ store: { effects }, advance }) => {
      await effects.keep([ROOM]);
      const claimed = await claimEffect(effects, KINDS);
      await (claimed && effects.begin(claimed));
      await (claimed && effects.end(claimed, { againInMs: 30_000, data: { name: 'inc-1-2' }, error: 'name_taken' }));
      expect(await claimEffect(effects, KINDS)).toBeNull();
      await advance(31_000);

      expect(await claimEffect(effects, KINDS)).toMatchObject({
        data: { name: 'inc-1-2' },
        attemptedAt: null,
        failures: 1,
      });
    }));

  it('is claimed only in a lane that is free, when it is due', () =>
    withStore(async ({ store: { effects }, advance }) => {
      await effects.keep([
        { ...ROOM, detail: 'a', lane: 'ana' },
        { ...ROOM, detail: 'b', lane: 'ana' },
        { ...ROOM, detail: 'c', lane: 'ben', dueInMs: 60_000 },
      ]);
      const first = await claimEffect(effects, KINDS);
      const busy = ['ana'];

      const early = await claimEffect(effects, KINDS, busy);
      await advance(60_000);
      const later = await claimEffect(effects, KINDS, busy);

      expect([first?.detail, early?.detail, later?.detail]).toEqual(['a', undefined, 'c']);
    }));

  it('is claimed with others that are due at several targets, the first of each free lane', () =>
    withStore(async ({ store: { effects }, advance }) => {
      await effects.keep([
        { ...ROOM, detail: 'a', lane: 'ana' },
        { ...ROOM, kind: 'pin', detail: 'b', lane: 'ana' },
        { ...ROOM, detail: 'c', lane: 'ben' },
        { ...ROOM, detail: 'd', lane: 'cy' },
        { ...ROOM, kind: 'mail', detail: 'e', lane: 'cy' },
        { ...ROOM, detail: 'f', lane: 'dan', dueInMs: 60_000 },
      ]);
      const slack = { target: 'slack', places: 5 };
      const wanted = [
        { kind: 'room', ...slack },
        { kind: 'pin', ...slack },
        { kind: 'mail', target: 'mail', places: 1 },
      ];
      const busy = [{ target: 'slack', lane: 'cy' }];

      const claimed = await effects.claim(wanted, busy);
      await advance(60_000);
      const later = await effects.claim([{ kind: 'room', target: 'slack', places: 1 }], busy);

      expect(claimed.map(({ detail }) => detail).toSorted()).toEqual(['a', 'c', 'e']);
      expect(later).toHaveLength(1);
    }));

  it('waits with all others of its target', () =>
    withStore(async ({ store: { effects }, advance }) => {
      await effects.keep([ROOM, { ...ROOM, kind: 'pin' }, { ...ROOM, kind: 'mail' }]);

      await effects.pause(['room', 'pin'], 30_000);
      const others = await claimEffect(effects, ['room', 'pin', 'mail']);
      expect([others?.kind, await claimEffect(effects, ['room', 'pin', 'mail'])]).toEqual(['mail', null]);
      await advance(30_000);

      expect((await claimEffect(effects, ['room', 'pin']))?.kind).toBe('room');
    }));
});
