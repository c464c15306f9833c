import { isAcknowledged } from '../../incident/acknowledged.ts';
import { plural } from '../../incident/phrase.ts';
import type { StormId } from '../domain/identifiers.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import type { StormMember, StormReminder } from '../domain/storm-reminder.ts';
import { acknowledgedWords, stormButtons } from '../storm/storm-card.ts';
import { whatFails } from '../views/incident-lines.ts';
import { severityWords } from '../views/incident-words.ts';
import { messageText } from '../views/message.ts';
import { mrkdwn } from '../views/mrkdwn.ts';
import { messageOf } from '../views/text-of.ts';
import { age, stepWords } from './reminder-view.ts';

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
  return messageOf([{ type: 'section', text: mrkdwn(text) }, stormButtons(stormId)]);
}

function countWords({ members }: StormWords): string {
  const waiting = members.filter(({ incident }) => !isAcknowledged(incident)).length;
  return `${plural(members.length, 'open incident')} in a storm, ${acknowledgedWords(members.length, waiting)}.`;
}

function worstWords(worst: Snapshot, now: Date): string {
  const which = severityWords(worst) === '' ? 'Oldest' : 'Worst';
  return `${which}: ${whatFails(worst)}, open for ${age(worst.opened_at, now)}.`;
}
