import type { Logger } from 'pino';
import type { Freshness } from '../../incident/freshness.ts';
import type { IncidentStore } from '../../incident/incidents.ts';
import { heldShortly, heldUntilPoll } from '../../messages/confirmed-by-poll.ts';
import type { MessageKind } from '../../messages/kind.ts';
import { NOTHING_STORED } from '../../messages/kind.ts';
import type { Message } from '../../messages/message.ts';
import type { Writes } from '../../messages/message-store.ts';
import { THREAD_CLOSED, THREAD_GONE } from '../../messages/refusals.ts';
import { classifySlackFailure } from '../../slack/errors.ts';
import type { PlaceId } from '../../slack/identifiers.ts';
import type { SlackApi } from '../../slack/methods.ts';
import type { RuleStore } from '../rules/rules.ts';
import type { StormStore } from '../storm/storms.ts';
import { findRemindedThread, type RemindedThread } from './reminded.ts';
import type { Reminder, SentReminder } from './reminder.ts';
import type { ReminderStore } from './reminders.ts';
import { insertAlerts, recordSentReminder, TRIED_REMINDER } from './reminders.ts';

/**
 * Reminders in the thread of a card or storm message, one at a time. The message is held until the next one is due, and stays for the one
 * after it. A reminder is sent only after a poll has confirmed that it is still needed.
 */
export function createReminderKind(deps: {
  store: {
    readonly incidents: IncidentStore;
    readonly freshness: Freshness;
    readonly reminders: ReminderStore;
    readonly rules: RuleStore;
    readonly storms: StormStore;
  };
  api: Pick<SlackApi, 'usergroups'>;
  logger: Logger;
  now: () => Date;
}): MessageKind<'reminder'> {
  const { store, api, logger, now } = deps;

  const find = (message: Message<'reminder'>) => findRemindedThread(message, { store, now });

  /**
   * The channel or people that a step notifies besides the thread. Empty if Slack refuses to list the members of the
   * group; null: Slack did not respond or limited the rate, so a retry may succeed.
   *
   * @param isThreadClosed the thread mentions no group, so its members are told directly
   */
  async function addressees(reminder: Reminder, isThreadClosed = false): Promise<readonly string[] | null> {
    if (!('step' in reminder) || (reminder.step.target.kind === 'group' && !isThreadClosed)) {
      return [];
    }
    const { kind, id } = reminder.step.target;
    if (kind === 'channel') {
      return [id];
    }
    try {
      const { users = [] } = await api.usergroups.users.list({ usergroup: id });
      return users;
    } catch (error) {
      const failure = classifySlackFailure(error);
      logger.warn({ usergroup: id, reason: failure.error }, 'the members of a user group could not be read');
      return failure.kind === 'rate-limited' || failure.kind === 'ambiguous' ? null : [];
    }
  }

  function sent(
    message: Message,
    { of: about }: RemindedThread,
    { name, at = now().toISOString() }: Pick<Reminder, 'name'> & Partial<SentReminder>,
    placeIds: readonly PlaceId[],
  ): Writes {
    return async (tx, data) => {
      await recordSentReminder(message, { name, at })(tx, data);
      await insertAlerts(message.subject, placeIds, { dueAt: at, about })(tx, data);
    };
  }

  return {
    lifecycle: 'sent once',
    shownAs: { subjectField: 'about_id' },
    data: NOTHING_STORED,
    attemptData: TRIED_REMINDER,
    shortestRetryMs: 5_000,

    async render(message) {
      const answeredAt = await store.freshness.answeredAt();
      const found = await find(message);
      const tried = message.attempt === null ? null : message.attemptData;
      if (tried !== null && found?.isUndecided === true) {
        return heldShortly(now());
      }
      const { reminder, content } = found?.next ?? {};
      if (tried !== null && (reminder?.name !== tried.name || reminder.dueAt > now())) {
        const { placeIds, ...mention } = tried;
        const isNeeded = found !== null && !found.isCurrent;
        const ifPosted = isNeeded ? sent(message, found, mention, placeIds) : recordSentReminder(message, mention);
        return { ifPosted, ...heldShortly(now()) };
      }
      if (found === null || reminder === undefined || content === undefined) {
        return null;
      }
      if (tried === null) {
        if (reminder.dueAt > now()) {
          return { heldUntil: reminder.dueAt };
        }
        if (found.isUnclearElsewhere) {
          return heldShortly(now());
        }
        const held = heldUntilPoll(found, { dueAt: reminder.dueAt, answeredAt, now: now() });
        if (held !== null) {
          return held;
        }
      }
      const placeIds = tried?.placeIds ?? (await addressees(reminder));
      if (placeIds === null) {
        return heldShortly(now());
      }
      const { name } = reminder;
      return {
        content: await content(placeIds.length),
        attemptData: { name, at: now().toISOString(), placeIds: [...placeIds] },
        hasMore: true,
        also: () => sent(message, found, reminder, placeIds),
      };
    },

    /** If the card was deleted, nobody saw the reminder: it follows in the thread of the next one. */
    async giveUp(message, error) {
      const found = THREAD_CLOSED.has(error) ? await find(message) : null;
      if (found === null || THREAD_GONE.has(error)) {
        return found?.isCurrent === false ? () => Promise.resolve() : null;
      }
      const { reminder } = found.next ?? {};
      const placeIds = reminder === undefined ? null : await addressees(reminder, true);
      return reminder === undefined || placeIds === null ? null : sent(message, found, reminder, placeIds);
    },
  };
}
