import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import {
  CHANNEL,
  claim,
  claimAll,
  duePlace,
  incident,
  LEASE_EXPIRED_MS,
  MINUTE_MS,
  NOW,
  present,
  showAll,
  type TestStore,
  touch,
  withStore,
} from '../../../../test/support/bot-store.ts';
import { URGENCY } from '../../incident/urgency.ts';
import type { Message } from '../../messages/message.ts';
import type { Permit } from '../../messages/throttle.ts';
import { recordShown, recordTold } from './cards.ts';
import { type Facts, factsOf } from './facts.ts';

const DEBOUNCE_MS = 2_000;
const ONLY_REPLIES = { calls: ['chat.postMessage', 'conversations.replies'] } as const;

/** What the card shows at so many signals, as the database gives it back. */
function facts(signals: number): Facts {
  return JSON.parse(JSON.stringify(factsOf(incident('inc', { signal_count: signals }), NOW)));
}

interface Scene extends TestStore {
  /** Makes the card due and confirms that it shows so many signals. Every growth is worth a reply. */
  readonly show: (ts: string, signals: number) => Promise<void>;
  readonly claimReply: (permit?: Partial<Permit>) => Promise<Message | null>;
}

/** A store with one card. */
function withCard(run: (scene: Scene) => Promise<void>): Promise<void> {
  return withStore(async (test) => {
    const { store } = test;
    await store.incidents.observe(incident('inc'), { urgency: URGENCY.opened, asOf: NOW });
    await run({
      ...test,
      async show(ts, signals) {
        await touch(store, 'inc');
        await confirm(present(await claim(store)), ts, signals);
      },
      claimReply: (permit = ONLY_REPLIES) => claim(store, CHANNEL, permit),
    });

    async function confirm(card: Message, ts: string, signals: number): Promise<void> {
      await store.messages.confirmShown(
        card,
        { ts, digest: 'd', restMs: 0, isSent: true },
        recordShown(card, ts, facts(signals), (told) => ({ told, isReplyDue: told.signal_count !== signals })),
      );
    }
  });
}

describe('the thread of a card', () => {
  it('starts with what the card first shows, and gets a reply once that changes', () =>
    withCard(async ({ store, show, claimReply, advance }) => {
      await show('1.1', 1);
      await advance(DEBOUNCE_MS);
      const atFirst = await claimReply();
      await show('1.1', 2);
      await advance(DEBOUNCE_MS);

      expect(atFirst).toBeNull();
      expect(await claimReply()).toMatchObject({ kind: 'reply', subject: 'inc', threadTs: '1.1', attempt: null });
      expect(await store.cards.facts('inc', CHANNEL)).toEqual({ told: facts(1), shown: facts(2) });
    }));

  it('gets what was to be posted in it before the card was', () =>
    withCard(async ({ store, show, advance }) => {
      const cards = await store.notices.postInThreads('a1', 'inc', 'a note');
      await show('1.1', 1);
      const followed = present(await claim(store));
      await store.messages.confirmShown(followed, { ts: '1.2', digest: 'd', restMs: 0, isSent: true });
      await store.notices.postInThreads('a1', 'inc', 'a note');
      await advance(MINUTE_MS);

      expect(cards).toBe(1);
      expect(followed).toMatchObject({ kind: 'notice', threadTs: '1.1' });
      expect(await claim(store)).toBeNull();
    }));

  it('moves its unposted notices to the new thread when the card is posted again', () =>
    withCard(async ({ store, show }) => {
      await show('1.1', 1);
      await store.notices.postInThreads('a1', 'inc', 'a note');
      const refused = present(await claim(store));
      await store.messages.release(refused, { error: 'thread_not_found', retryMs: MINUTE_MS, isRefused: true });

      await show('2.2', 1);
      const moved = present(await claim(store));
      await store.messages.confirmShown(moved, { ts: '2.3', digest: 'd', restMs: 0, isSent: true });
      await show('3.3', 1);

      expect(refused).toMatchObject({ kind: 'notice', threadTs: '1.1' });
      expect(moved).toMatchObject({ id: refused.id, threadTs: '2.2', refusals: 0 });
      expect(await claim(store)).toBeNull();
    }));

  it('collects changes for a moment from the first one, not from the last', () =>
    withCard(async ({ store, show, claimReply, advance }) => {
      await show('1.1', 1);
      await show('1.1', 2);
      const early = await claimReply();
      await advance(DEBOUNCE_MS - 500);
      await show('1.1', 3);
      await advance(500);

      expect(early).toBeNull();
      expect(await claimReply()).toMatchObject({ threadTs: '1.1' });
      expect(await store.cards.facts('inc', CHANNEL)).toEqual({ told: facts(1), shown: facts(3) });
    }));

  it('is written to by one process, and by another one with the attempt when that process died', () =>
    withCard(async ({ store, show, claimReply, advance }) => {
      await show('1.1', 1);
      await show('1.1', 2);
      await advance(DEBOUNCE_MS);
      const claims = await Promise.all([1, 2, 3].map(() => claimReply()));
      const [held, ...others] = claims.filter((message) => message !== null);
      const attempt = { id: '00000000-0000-4000-8000-000000000001', firstAt: NOW, lastAt: NOW };
      const isBegun = [await store.messages.beginAttempt(present(held), attempt, facts(2))];
      await show('1.1', 3);
      await advance(LEASE_EXPIRED_MS);

      const withoutSearch = await claimReply({ calls: ['chat.postMessage', 'chat.update'] });
      const taken = await claimReply();
      isBegun.push(await store.messages.beginAttempt(present(held), attempt, facts(2)));

      expect([others, withoutSearch]).toEqual([[], null]);
      expect(taken).toMatchObject({ kind: 'reply', attempt, attemptData: facts(2) });
      expect(await store.cards.facts('inc', CHANNEL)).toEqual({ told: facts(1), shown: facts(3) });
      expect(isBegun).toEqual([true, false]);
    }));

  it('starts over with another message, whatever the old thread still lacked', () =>
    withCard(async ({ store, show, claimReply, advance }) => {
      await show('1.1', 1);
      await show('1.1', 2);
      await advance(DEBOUNCE_MS);
      const old = present(await claimReply());
      await show('1.2', 3);
      const written = await store.messages.confirmSent(old, false, recordTold(old, facts(2)));
      await show('1.2', 4);
      await advance(DEBOUNCE_MS);

      expect(written).toBeNull();
      expect(await store.cards.facts('inc', CHANNEL)).toEqual({ told: facts(3), shown: facts(4) });
      expect(await claimReply()).toMatchObject({ threadTs: '1.2' });
      expect(await claimReply()).toBeNull();
    }));

  it('is left alone once everything is reported', () =>
    withCard(async ({ store, show, claimReply, advance }) => {
      await show('1.1', 1);
      await show('1.1', 2);
      await advance(DEBOUNCE_MS);
      const before = await duePlace(store);
      const reply = present(await claimReply());
      await store.messages.confirmSent(reply, false, recordTold(reply, facts(2)));
      await advance(MINUTE_MS);

      expect(before).toMatchObject({ placeId: CHANNEL });
      expect(await duePlace(store)).toBeNull();
      expect(await store.cards.facts('inc', CHANNEL)).toEqual({ told: facts(2), shown: facts(2) });
    }));

  it('remembers what another process reported while the card was being edited', () =>
    withCard(async ({ store, show, claimReply, advance }) => {
      await show('1.1', 1);
      await show('1.1', 2);
      await touch(store, 'inc');
      const card = present(await claim(store));
      await advance(DEBOUNCE_MS);
      const reply = present(await claimReply());
      await store.messages.confirmSent(reply, false, recordTold(reply, facts(2)));

      const compared: Facts[] = [];
      await store.messages.confirmShown(
        card,
        { ts: '1.1', digest: 'd', restMs: 0, isSent: true },
        recordShown(card, '1.1', facts(2), (told) => {
          compared.push(told);
          return { told, isReplyDue: false };
        }),
      );

      expect(compared).toEqual([facts(2)]);
      expect(await store.cards.facts('inc', CHANNEL)).toEqual({ told: facts(2), shown: facts(2) });
    }));

  it('waits while the bucket has only room for cards', () =>
    withCard(async ({ show, claimReply, advance }) => {
      await show('1.1', 1);
      await show('1.1', 2);
      await advance(DEBOUNCE_MS);

      expect(await claimReply({ allowsReplies: false })).toBeNull();
      expect(await claimReply()).not.toBeNull();
    }));
});

describe('a deleted card', () => {
  it('is due at once and as urgent as a new one', () =>
    withCard(async ({ store }) => {
      await showAll(store);

      const isCard = await store.cards.markDeleted(CHANNEL, '1.inc');

      expect(isCard).toBe(true);
      expect(await claim(store)).toMatchObject({ subject: 'inc', ts: '1.inc', digest: null });
    }));

  it('is known by its channel and time', () =>
    withCard(async ({ store }) => {
      await showAll(store);

      const isCard = [await store.cards.markDeleted(CHANNEL, '1.other'), await store.cards.markDeleted('C0X', '1.inc')];

      expect(isCard).toEqual([false, false]);
      expect(await claimAll(store)).toEqual([]);
    }));
});

describe('the messages that wait', () => {
  it('are counted by urgency, and withheld cards apart', () =>
    withCard(async ({ store, db, show, advance }) => {
      await show('1.1', 1);
      await show('1.1', 2);
      for (const id of ['new', 'newer']) {
        await store.incidents.observe(incident(id), { urgency: URGENCY.opened, asOf: NOW });
      }
      await store.incidents.observe(incident('hidden'), { urgency: URGENCY.opened, asOf: NOW });
      await sql`update messages set is_withheld = true where subject = 'hidden'`.execute(db);
      const since = await store.cards.oldestWaitingSince();
      await advance(MINUTE_MS);

      expect(await store.cards.countWaiting()).toEqual({
        person: 0,
        opened: 2,
        state: 0,
        count: 0,
        reply: 1,
        withheld: 1,
      });
      expect(since).toEqual(await store.cards.oldestWaitingSince());
    }));

  it('are none when everything is shown', () =>
    withCard(async ({ store }) => {
      await showAll(store);

      expect(await store.cards.oldestWaitingSince()).toBeNull();
      expect(Object.values(await store.cards.countWaiting())).toEqual([0, 0, 0, 0, 0, 0]);
    }));

  it('are named with Slack’s error where Slack refused one by itself', () =>
    withCard(async ({ store, advance }) => {
      const card = present(await claim(store));
      await store.messages.release(card, { error: 'invalid_blocks', retryMs: 1_000, isRefused: true });
      const refused = await store.cards.refused();
      await advance(1_000);
      await showAll(store);

      expect(refused).toEqual([{ channelId: CHANNEL, error: 'invalid_blocks' }]);
      expect(await store.cards.refused()).toEqual([]);
    }));
});
