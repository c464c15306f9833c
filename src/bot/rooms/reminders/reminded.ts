import type { KnownIncident } from '../../incident/incident.ts';
import type { IncidentStore } from '../../incident/incidents.ts';
import type { Message } from '../../messages/message.ts';
import type { SlackMessage } from '../../slack/slack-message.ts';
import type { RuleStore } from '../rules/rules.ts';
import type { StormStore } from '../storm/storms.ts';
import { nextReminder, type Reminded, type Reminder } from './reminder.ts';
import { reminderMessage } from './reminder-view.ts';
import type { RemindedOf, ReminderStore } from './reminders.ts';
import { nextStormReminder, type StormMember, type StormReminder } from './storm-reminder.ts';
import { stormReminderMessage } from './storm-reminder-view.ts';

/** The subject of the reminders in one thread: an incident with a card, or a storm. */
export interface RemindedThread
  extends Pick<KnownIncident, 'isUnread'>,
    Pick<RemindedOf, 'of' | 'isCurrent' | 'isUnclearElsewhere'> {
  /** null: none, as long as nothing changes, or the thread is not the current one. */
  readonly next: NextReminder | null;
  /** A pending action may make the next reminder unnecessary. */
  readonly isUndecided: boolean;
}

interface NextReminder {
  readonly reminder: Reminder;
  /** @param notified number of places that get the reminder besides the thread */
  readonly content: (notified: number) => Promise<SlackMessage>;
}

/** @returns null: there is no such card or storm message, or the incident is unknown */
export async function findRemindedThread(
  message: Message<'reminder'>,
  deps: {
    store: {
      readonly incidents: IncidentStore;
      readonly reminders: ReminderStore;
      readonly rules: RuleStore;
      readonly storms: StormStore;
    };
    now: () => Date;
  },
): Promise<RemindedThread | null> {
  const reminded = await deps.store.reminders.find(message);
  if (reminded === null) {
    return null;
  }
  if (!reminded.isCurrent) {
    return { ...reminded, next: null, isUndecided: false, isUnread: false };
  }
  return reminded.of === 'card' ? ofCard(message, reminded, deps) : ofStorm(message, reminded, deps);
}

type Deps = Parameters<typeof findRemindedThread>[1];

async function ofCard(
  { subject, placeId }: Message<'reminder'>,
  reminded: Reminded & RemindedOf,
  { store, now }: Deps,
): Promise<RemindedThread | null> {
  const [known, rules] = await Promise.all([store.incidents.find(subject), store.rules.ofChannel(placeId)]);
  if (known === null) {
    return null;
  }
  const { incident, isUnread, waiting } = known;
  const reminder = nextReminder({ ...known, ...reminded, rules, now: now() });
  const content = async (next: Reminder, notified: number) => {
    const { acknowledged_by: name } = incident;
    const takenBy = name === undefined || name === null ? null : await store.reminders.slackUserOf(name);
    return reminderMessage({ incident, reminder: next, takenBy, notified, now: now() });
  };
  return {
    ...reminded,
    next: reminder && { reminder, content: (notified) => content(reminder, notified) },
    isUndecided: waiting.length > 0,
    isUnread,
  };
}

/** Incidents that could not be read count only if nothing else is left. */
async function ofStorm(
  { subject, placeId }: Message<'reminder'>,
  reminded: Reminded & RemindedOf,
  { store, now }: Deps,
): Promise<RemindedThread> {
  const [all, rules] = await Promise.all([store.storms.open(subject), store.rules.ofChannel(placeId)]);
  const decide = (members: readonly StormMember[]) =>
    nextStormReminder({ members, rules, sent: reminded.sent, now: now() });
  const members = all.filter(({ isUnread }) => !isUnread);
  const certain = decide(members);
  const reminder = certain ?? decide(all);
  const content = async (next: StormReminder, notified: number) =>
    stormReminderMessage({
      stormId: subject,
      members: certain === null ? all : members,
      reminder: next,
      notified,
      now: now(),
    });
  return {
    ...reminded,
    next: reminder && { reminder, content: (notified) => content(reminder, notified) },
    isUndecided: reminder === null && all.some(({ isWaiting }) => isWaiting),
    isUnread: certain === null && reminder !== null,
  };
}
