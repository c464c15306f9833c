import type { Logger } from 'pino';
import type { Message } from '../../domain/message.ts';
import { nextReminder, type Reminder, type SentReminder } from '../../domain/reminder.ts';
import { classifySlackFailure } from '../../slack/errors.ts';
import type { SlackApi } from '../../slack/methods.ts';
import type { Writes } from '../../store/messages.ts';
import { insertAlerts, recordSentReminder } from '../../store/reminders.ts';
import type { Store } from '../../store/store.ts';
import { reminderMessage } from '../../views/reminder.ts';
import type { MessageKind } from '../kind.ts';
import { heldShortly, heldUntilPoll } from './confirmed-by-poll.ts';
import { THREAD_CLOSED } from './reply.ts';

const CARD_GONE = new Set(['message_not_found', 'thread_not_found']);

/** A reminder that may have been posted. */
interface Attempted extends SentReminder {
  readonly placeIds: readonly string[];
}

/**
 * Reminders in the thread of a card, one at a time. The message is held until the next one is due, and stays for the one
 * after it. A reminder is sent only after a poll has confirmed that it is still needed.
 */
export function createReminderKind(deps: {
  store: Pick<Store, 'incidents' | 'installation' | 'reminders' | 'rules'>;
  api: Pick<SlackApi, 'usergroups'>;
  logger: Logger;
  now: () => Date;
}): MessageKind {
  const { store, api, logger, now } = deps;

  async function find(message: Message) {
    const [reminded, known, rules] = await Promise.all([
      store.reminders.find(message),
      store.incidents.find(message.subject),
      store.rules.ofChannel(message.channelId),
    ]);
    if (reminded === null || known === null) {
      return null;
    }
    return { known, next: nextReminder({ ...known, ...reminded, rules, now: now() }) };
  }

  /**
   * Whom a step tells outside the thread. Nobody if Slack refuses to list the members of the group; null: it did not
   * respond.
   */
  async function addressees(reminder: Reminder): Promise<readonly string[] | null> {
    if (!('step' in reminder) || reminder.step.target.kind === 'group') {
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

  function sent(message: Message, reminder: Reminder, placeIds: readonly string[]): Writes {
    const at = now();
    return async (tx, data) => {
      await recordSentReminder(message, { name: reminder.name, at: at.toISOString() })(tx, data);
      await insertAlerts(message.subject, placeIds, at)(tx, data);
    };
  }

  return {
    lifecycle: 'sent once',
    shortestRetryMs: 5_000,

    async render(message) {
      const found = await find(message);
      const tried = message.attempt === null ? null : (message.attemptData as Attempted);
      if (tried !== null && found !== null && found.known.waiting.length > 0) {
        // Whether it is still needed depends on an action whose outcome is open.
        return heldShortly(now());
      }
      if (tried !== null && (found?.next?.name !== tried.name || found.next.dueAt > now())) {
        await store.reminders.recordSent(message, { name: tried.name, at: tried.at });
        return null;
      }
      const { known, next = null } = found ?? {};
      if (known === undefined || next === null) {
        return null;
      }
      if (tried === null) {
        if (next.dueAt > now()) {
          return { heldUntil: next.dueAt };
        }
        const { installation } = store;
        const held = await heldUntilPoll(known, next.dueAt, { installation, now });
        if (held !== null) {
          return held;
        }
      }
      const { acknowledged_by: name } = known.incident;
      const takenBy = name === undefined || name === null ? null : await store.reminders.slackUserOf(name);
      const placeIds = tried?.placeIds ?? (await addressees(next));
      if (placeIds === null) {
        return heldShortly(now());
      }
      return {
        content: reminderMessage({
          incident: known.incident,
          reminder: next,
          takenBy,
          told: placeIds.length,
          now: now(),
        }),
        attemptData: { name: next.name, at: now().toISOString(), placeIds } satisfies Attempted,
        hasMore: true,
        also: () => sent(message, next, placeIds),
      };
    },

    /** If the card was deleted, the reminder follows in the thread of the next one. */
    async giveUp(message, error) {
      const found = THREAD_CLOSED.has(error) && !CARD_GONE.has(error) ? await find(message) : null;
      const next = found?.next ?? null;
      return next && sent(message, next, (await addressees(next)) ?? []);
    },
  };
}
