import { expect, it, vi } from 'vitest';
import {
  CHANNEL,
  claim,
  incident,
  LATER,
  NOW,
  openAndClaim,
  present,
  show,
  touch,
  withStore,
} from '../../../test/support/bot-store.ts';
import { HANG_MS } from '../../../test/support/hang.ts';
import { silentLogger } from '../../../test/support/logger.ts';
import { createPerformer } from '../../effects/performer.ts';
import { createRealClock } from '../../runtime/clock.ts';
import { createMessageKinds } from '../features.ts';
import { URGENCY } from '../incident/urgency.ts';
import { STORM_RULES } from '../rooms/storm/storm.ts';
import type { SlackApi } from '../slack/methods.ts';
import type { Store } from '../store.ts';
import { createLateEditKind, LATE_EDIT } from './late-edits.ts';
import type { DuePlace } from './places.ts';
import { createReconciler } from './reconciler.ts';

const PAGES = 12;
const ATTEMPT = { id: '00000000-0000-4000-8000-000000000001', firstAt: NOW, lastAt: NOW };

/** A channel with many pages of messages; the one that the attempt has posted is on the last page. */
function createSlack() {
  const pagesRead: number[] = [];
  const edited: unknown[] = [];
  const refuse = () => Promise.reject(new Error('not expected'));
  const api = {
    chat: {
      postMessage: refuse,
      async update({ ts }: { ts: string }) {
        edited.push(ts);
        return { ok: true };
      },
    },
    conversations: {
      async history({ cursor }: { cursor?: string }) {
        const page = Number(cursor ?? 1);
        pagesRead.push(page);
        return page < PAGES
          ? { ok: true, messages: [{ ts: `1.${page}` }], response_metadata: { next_cursor: String(page + 1) } }
          : { ok: true, messages: [{ ts: '1.99', metadata: { event_payload: { attempt_id: ATTEMPT.id } } }] };
      },
    },
  };
  // Only these methods are called.
  return { api: api as unknown as SlackApi, pagesRead, edited };
}

function createSender(api: SlackApi, store: Store, findDuePlaces = () => store.duePlaces(STORM_RULES)) {
  const clock = createRealClock();
  return createReconciler({
    api,
    respondTo: () => Promise.resolve(),
    store,
    kinds: createMessageKinds({
      api,
      store,
      people: { find: () => Promise.resolve({ name: 'ana', userId: 'slack:U1', standing: 'member' }) },
      groups: { ofMember: () => Promise.resolve([]) },
      createDashboardLink: () => Promise.reject(new Error('nobody asks for one')),
      readSignals: () => Promise.reject(new Error('nobody looks at signals')),
      nameWaiting: () => [],
      onCall: async () => [],
      traceUrl: null,
      logger: silentLogger,
      now: clock.now,
    }),
    logger: silentLogger,
    clock,
    onPlaceGone: async () => false,
    onShown: () => undefined,
    slackNow: () => NOW,
    findDuePlaces,
    advanceStorms: (channelId) => store.storms.advance(channelId, STORM_RULES),
  });
}

it('continues a search of many pages instead of starting over', () =>
  withStore(async ({ store, advance }) => {
    const { api, pagesRead, edited } = createSlack();
    await store.incidents.observe(incident('a'), { urgency: URGENCY.opened, asOf: NOW });
    const card = present(await claim(store));
    await store.messages.beginAttempt(card, ATTEMPT, undefined);
    await store.messages.release(card, { error: 'no answer', retryMs: 0, isRefused: false });
    await using reconciler = createSender(api, store);

    reconciler.start();
    await vi.waitFor(() => expect(pagesRead).toHaveLength(8), { timeout: HANG_MS });
    await vi.waitFor(async () => expect((await store.pauses.list()).length).toBeGreaterThan(0), { timeout: HANG_MS });
    await advance(60_000);
    reconciler.kick();

    await vi.waitFor(() => expect(edited).toEqual(['1.99']), { timeout: 5_000 });
    expect(pagesRead).toEqual(Array.from({ length: PAGES }, (_, index) => index + 1));
  }));

const HOMES = 60;

/** A Slack that answers nothing until it is released. Calls are listed in the order in which they come. */
function createSlowSlack() {
  const calls: string[] = [];
  const waiting: (() => void)[] = [];
  const answer = <Result>(method: string, result: Result) => {
    calls.push(method);
    return new Promise<Result>((resolve) => {
      waiting.push(() => resolve(result));
    });
  };
  const api = {
    chat: {
      postMessage: () => answer('chat.postMessage', { ok: true, ts: '2.1' }),
      update: () => answer('chat.update', { ok: true }),
    },
    views: { publish: () => answer('views.publish', { ok: true }) },
  };
  return { api: api as unknown as SlackApi, calls, release: () => waiting.shift()?.() };
}

/** 60 people open their Home tab while a card is shown. */
async function openHomes(store: Store): Promise<void> {
  await openAndClaim(store).then((card) => show(store, card));
  for (let number = 0; number < HOMES; number += 1) {
    await store.people.save(`U${number}`, { name: `person ${number}`, userId: `slack:U${number}`, standing: 'member' });
    await store.homes.opened(`U${number}`, false);
  }
}

it('edits the card of a click next, while many Home tabs are due and calls hang', () =>
  withStore(async ({ store }) => {
    const { api, calls, release } = createSlowSlack();
    await openHomes(store);
    await using reconciler = createSender(api, store);
    reconciler.start();
    await vi.waitFor(() => expect(calls).toHaveLength(3), { timeout: 5_000 });

    await touch(store, 'a');
    reconciler.kick();

    await vi.waitFor(() => expect(calls).toHaveLength(4), { timeout: 5_000 });
    expect(calls).toEqual(['views.publish', 'views.publish', 'views.publish', 'chat.update']);
    calls.forEach(release);
  }));

it('sends to several places again once a call that failed everywhere was left alone, though nothing needs it any more', () =>
  withStore(async ({ store, advance }) => {
    const { api, calls, release } = createSlowSlack();
    await store.pauses.failed({ call: 'conversations.replies', placeId: null }, 'no answer', () => 30_000);
    await advance(10 * 60_000);
    await openHomes(store);
    await using reconciler = createSender(api, store);

    reconciler.start();

    await vi.waitFor(() => expect(calls).toHaveLength(3), { timeout: 5_000 });
    calls.forEach(release);
  }));

it('posts a new card next, before the Home tabs that have waited longer', () =>
  withStore(async ({ store }) => {
    const { api, calls, release } = createSlowSlack();
    await openHomes(store);
    await using reconciler = createSender(api, store);
    reconciler.start();
    await vi.waitFor(() => expect(calls).toHaveLength(3), { timeout: 5_000 });

    await store.incidents.observe(incident('b'), { urgency: URGENCY.opened, asOf: NOW });
    release();

    await vi.waitFor(() => expect(calls.length).toBeGreaterThan(3), { timeout: 5_000 });
    expect(calls[3]).toBe('chat.postMessage');
    calls.forEach(release);
  }));

it('shows what is true again after an edit without a response arrived behind a newer one', () =>
  withStore(async ({ store, db, advance }) => {
    const arrived: string[] = [];
    const late: string[] = [];
    const api = {
      chat: {
        async update({ text }: { text: string }) {
          if (late.length === 0) {
            late.push(text);
            throw new Error('no answer yet');
          }
          arrived.push(text);
          return { ok: true };
        },
      },
    } as unknown as SlackApi;
    await openAndClaim(store).then((card) => show(store, card));
    await using reconciler = createSender(api, store);
    await using performer = createPerformer({ effects: store.effects, logger: silentLogger, clock: createRealClock() });
    performer.add({ [LATE_EDIT]: createLateEditKind() }, () => reconciler.kick());
    const change = (title: string) =>
      store.incidents.observe(incident('a', { title }), { urgency: URGENCY.person, asOf: LATER });
    await change('one');
    reconciler.start();
    const isReleased = () => db.selectFrom('messages').select('failures').where('failures', '=', 1).execute();
    await vi.waitFor(async () => expect(await isReleased()).toHaveLength(1), { timeout: HANG_MS });
    await change('two');
    await advance(10_000);
    reconciler.kick();
    await vi.waitFor(() => expect(arrived).toHaveLength(1), { timeout: HANG_MS });

    arrived.push(...late);
    await advance(2 * 60_000);
    performer.start();

    await vi.waitFor(() => expect(arrived).toHaveLength(3), { timeout: HANG_MS });
    expect(arrived.map((text) => /one|two/.exec(text)?.[0])).toEqual(['two', 'one', 'two']);
  }));

it('edits the card that somebody waits for without asking which places are due', () =>
  withStore(async ({ store, db }) => {
    const { api, edited } = createSlack();
    await openAndClaim(store).then((card) => show(store, card));
    const blocked = Promise.withResolvers<DuePlace[]>();
    let isBlocked = false;
    await using reconciler = createSender(api, store, () =>
      isBlocked ? blocked.promise : store.duePlaces(STORM_RULES),
    );
    await using _answered = { [Symbol.asyncDispose]: async () => blocked.resolve([]) };
    const change = (title: string) =>
      store.incidents.observe(incident('a', { title }), { urgency: URGENCY.person, asOf: LATER });
    reconciler.start();
    await change('one');
    reconciler.kick();
    await vi.waitFor(() => expect(edited).toHaveLength(1), { timeout: HANG_MS });

    isBlocked = true;
    await change('two');
    const hurried = () => {
      void reconciler.hurry(CHANNEL);
      expect(edited).toHaveLength(2);
    };
    await vi.waitFor(hurried, { timeout: HANG_MS });

    const { edit_tokens: left } = await db.selectFrom('channels').select('edit_tokens').executeTakeFirstOrThrow();
    expect(left).toBeLessThanOrEqual(3);
  }));
