import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import {
  claim,
  duePlace,
  LEASE_EXPIRED_MS,
  MINUTE_MS,
  present,
  untilWaiting,
  withStore,
} from '../../../test/support/bot-store.ts';
import { ANSWER, entry, keep } from '../../../test/support/kept-actions.ts';
import { ACTION_DEFINITIONS } from '../features.ts';
import { redrawCards } from '../rooms/card/cards.ts';
import type { Store } from '../store.ts';
import { createActionStore } from './action-store.ts';
import { recordAnswered } from './answers.ts';

/** Keeps and settles an action of that person. @returns its id */
async function settle(store: Store, slackUserId: string, answerMs = 0): Promise<string> {
  const action = await keep(store, { slackUserId });
  await store.actions.settle(action, entry({ slackUserId }), { ...ANSWER, text: action.id }, answerMs);
  return action.id;
}

const answersTo = async (store: Store, slackUserId: string) =>
  (await store.answers.list(slackUserId, 15)).map(({ actionId }) => actionId);

describe('the answer to an action', () => {
  it('is a direct message, due unless the person saw the outcome before', () =>
    withStore(async ({ store, advance }) => {
      const id = await settle(store, 'U1', MINUTE_MS);

      const early = await claim(store, 'U1');
      await advance(MINUTE_MS);
      const message = await claim(store, 'U1');

      expect(early).toBeNull();
      expect(message).toMatchObject({ kind: 'answer', subject: 'U1', placeId: 'U1', threadTs: null });
      expect(await store.answers.list('U1', 15)).toEqual([
        { actionId: id, channelId: null, message: { ...ANSWER, text: id } },
      ]);
    }));

  it('needs no direct message once the person saw the outcome', () =>
    withStore(async ({ store, db, advance }) => {
      const id = await settle(store, 'U1', MINUTE_MS);

      await store.answers.markGiven([id]);
      await advance(MINUTE_MS);

      expect(await answersTo(store, 'U1')).toEqual([]);
      expect(await db.selectFrom('messages').select('id').execute()).toEqual([]);
    }));

  it('shares its direct message with the other answers to that person, oldest first', () =>
    withStore(async ({ store, db, advance }) => {
      const beingTold = await settle(store, 'U1', MINUTE_MS);
      const first = await settle(store, 'U2');
      const other = await settle(store, 'U3');
      const second = await settle(store, 'U2');

      const messages = await db.selectFrom('messages').select('subject').orderBy('subject').execute();
      const due = await Promise.all(['U1', 'U2', 'U3'].map((id) => duePlace(store, id)));
      const answers = [await answersTo(store, 'U2'), await answersTo(store, 'U3')];
      await store.answers.markGiven([first, other]);
      await advance(MINUTE_MS);

      expect(messages.map(({ subject }) => subject)).toEqual(['U1', 'U2', 'U3']);
      expect(due.map((place) => place?.placeId ?? null)).toEqual([null, 'U2', 'U3']);
      expect(answers).toEqual([[first, second], [other]]);
      expect(await answersTo(store, 'U2')).toEqual([second]);
      expect(await claim(store, 'U2')).toMatchObject({ subject: 'U2' });
      expect(await duePlace(store, 'U3')).toBeNull();
      expect(await answersTo(store, 'U1')).toEqual([beingTold]);
      expect(await claim(store, 'U1')).toMatchObject({ subject: 'U1' });
    }));

  it('keeps the message due if it comes while the message is being sent', () =>
    withStore(async ({ store }) => {
      const first = await settle(store, 'U1');
      const message = present(await claim(store, 'U1'));
      const second = await settle(store, 'U1');

      await store.messages.confirmSent(message, false, recordAnswered([first]));

      expect(await answersTo(store, 'U1')).toEqual([second]);
      expect(await claim(store, 'U1')).toMatchObject({ subject: 'U1', attempt: null });
    }));

  it('does not cut short the pause of a message that Slack has refused', () =>
    withStore(async ({ store }) => {
      await settle(store, 'U1');
      const message = present(await claim(store, 'U1'));
      await store.messages.release(message, { error: 'cannot_dm_bot', retryMs: MINUTE_MS, isRefused: true });

      await settle(store, 'U1');

      expect(await claim(store, 'U1')).toBeNull();
    }));

  it('leaves a message alone that is being sent', () =>
    withStore(async ({ store, advance }) => {
      const id = await settle(store, 'U1');
      await claim(store, 'U1');

      await store.answers.markGiven([id]);
      await advance(LEASE_EXPIRED_MS);

      expect(await claim(store, 'U1')).toMatchObject({ subject: 'U1' });
    }));

  it('keeps its message although another answer to that person is marked as shown at the same time', () =>
    withStore(async ({ store, db }) => {
      const told = await settle(store, 'U1', MINUTE_MS);
      const other = await keep(store);
      const [isSettled, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
      const settling = db.transaction().execute(async (tx) => {
        await createActionStore(tx, ACTION_DEFINITIONS, redrawCards).settle(other, entry(), ANSWER, 0);
        isSettled.resolve();
        await end.promise;
      });
      await isSettled.promise;

      const marking = store.answers.markGiven([told]);
      await untilWaiting(db, 1);
      end.resolve();
      await Promise.all([settling, marking]);

      expect(await answersTo(store, 'U1')).toEqual([other.id]);
      expect(await claim(store, 'U1')).toMatchObject({ subject: 'U1' });
    }));

  it('is written together with the audit log or not at all', () =>
    withStore(async ({ store, db }) => {
      const action = await keep(store);
      await sql`alter table messages add check (kind <> 'answer')`.execute(db);

      await expect(store.actions.settle(action, entry(), ANSWER, 0)).rejects.toThrow('violates check constraint');

      expect(await store.auditLog.list('U1')).toEqual([]);
      expect(await answersTo(store, 'U1')).toEqual([]);
    }));
});
