import { isAcknowledged } from '../../../incident/acknowledged.ts';
import { plural } from '../../../incident/phrase.ts';
import { messageText } from '../../blocks/message.ts';
import { mrkdwn } from '../../blocks/mrkdwn.ts';
import { messageOf } from '../../blocks/text-of.ts';
import { severityWords, whatFails } from '../../incident/incident-words.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import type { StormId } from '../../slack/identifiers.ts';
import type { SlackMessage } from '../../slack/slack-message.ts';
import { acknowledgedWords, listButton } from '../storm/storm-card.ts';
import { age, stepWords } from './reminder-view.ts';
import type { StormMember, StormReminder } from './storm-reminder.ts';

interface StormWords {
  readonly stormId: StormId;
  readonly members: readonly StormMember[];
  readonly now: Date;
}

/**
 * A reminder in the thread of a storm message.
 *
 * @param of.notified number of places that get the reminder besides the thread
 */
export function stormReminderMessage(of: StormWords & { reminder: StormReminder; notified: number }): SlackMessage {
  const { reminder, notified } = of;
  return message(of.stormId, [countWords(of), worstWords(reminder.worst, of.now), stepWords(reminder.step, notified)]);
}

/** A message about a storm to a person or another channel. */
export function stormAlertMessage(of: StormWords & { worst: Snapshot }): SlackMessage {
  return message(of.stormId, [`🌩 ${countWords(of)}`, worstWords(of.worst, of.now)]);
}

function message(stormId: StormId, lines: readonly string[]): SlackMessage {
  const text = messageText(lines);
  return messageOf([
    { type: 'section', text: mrkdwn(text) },
    { type: 'actions', elements: [listButton(stormId)] },
  ]);
}

function countWords({ members }: StormWords): string {
  const waiting = members.filter(({ incident }) => !isAcknowledged(incident)).length;
  return `${plural(members.length, 'open incident')} in a storm, ${acknowledgedWords(members.length, waiting)}.`;
}

function worstWords(worst: Snapshot, now: Date): string {
  const which = severityWords(worst) === '' ? 'Oldest' : 'Worst';
  return `${which}: ${whatFails(worst)}, open for ${age(worst.opened_at, now)}.`;
}
