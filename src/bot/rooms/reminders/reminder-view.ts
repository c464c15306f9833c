import type { ActionsBlock, KnownBlock } from '@slack/types';
import { plural } from '../../../incident/phrase.ts';
import { differenceInMinutes } from '../../../runtime/dates.ts';
import { mrkdwn } from '../../blocks/mrkdwn.ts';
import { byName } from '../../blocks/people-words.ts';
import { messageOf } from '../../blocks/text-of.ts';
import { incidentButtons } from '../../incident/incident-buttons.ts';
import { stateWords, whatFails } from '../../incident/incident-words.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import type { SlackMessage } from '../../slack/slack-message.ts';
import type { EscalationStep } from '../rules/rule.ts';
import { snoozeButton } from '../snooze/snooze-view.ts';
import type { Reminder } from './reminder.ts';

/**
 * A reminder in the thread of a card.
 *
 * @param of.takenBy Slack user id of the person who acknowledged; null: unknown, or nobody did
 * @param of.notified number of places that get the reminder besides the thread
 */
export function reminderMessage(of: {
  incident: Snapshot;
  reminder: Reminder;
  takenBy: string | null;
  notified: number;
  now: Date;
}): SlackMessage {
  return withButtons(of.incident, sentenceOf(of));
}

function sentenceOf({ incident, reminder, takenBy, notified, now }: Parameters<typeof reminderMessage>[0]): string {
  const who = takenBy === null ? byName(incident.acknowledged_by ?? '') : `<@${takenBy}>`;
  switch (reminder.name) {
    case 'still failing': {
      const failures = `at least ${plural(reminder.newFailures, 'new failure')} since`;
      return [who, `Acknowledged ${age(incident.acknowledged_at, now)} ago, ${failures}.`].filter(Boolean).join(' ');
    }
    case 'recovered':
      return `${who === '' ? '' : `${who} `}Recovered ${age(incident.activity_since, now)} ago and still open. Resolve it?`;
    default:
      return `${unacknowledged(incident, now)} ${stepWords(reminder.step, notified)}`.trim();
  }
}

/** A message to a person or another channel. */
export function alertMessage(incident: Snapshot, now: Date): SlackMessage {
  const sentence = unacknowledged(incident, now);
  return withButtons(incident, `${whatFails(incident)}\n${sentence}\n${stateWords(incident)}`);
}

function unacknowledged(incident: Snapshot, now: Date): string {
  return `Nobody has acknowledged this for ${age(incident.opened_at, now)}.`;
}

export function stepWords({ target: { kind, id } }: EscalationStep, notified: number): string {
  switch (kind) {
    case 'group':
      return `<!subteam^${id}>`;
    case 'channel':
      return `<#${id}> is told too.`;
    case 'members':
      return notified === 0
        ? `The members of <!subteam^${id}> could not be told directly.`
        : `${plural(notified, 'member')} of the user group ${notified === 1 ? 'is' : 'are'} told directly.`;
    default:
      return kind satisfies never;
  }
}

/** "45 min", "3 h 5 min" */
export function age(since: string | null | undefined, now: Date): string {
  const minutes = Math.max(0, differenceInMinutes(now, new Date(since ?? now)));
  const hours = Math.floor(minutes / 60);
  return hours === 0
    ? `${minutes} min`
    : [`${hours} h`, minutes % 60 === 0 ? '' : `${minutes % 60} min`].join(' ').trim();
}

/** Snooze is shown where the service offers mutes. */
function buttonsOf(incident: Snapshot): ActionsBlock {
  return incidentButtons(
    incident,
    incident.mute === undefined ? null : snoozeButton('1h', incident, 'Snooze for 1 hour'),
  );
}

function withButtons(incident: Snapshot, sentence: string): SlackMessage {
  const blocks: KnownBlock[] = [{ type: 'section', text: mrkdwn(sentence) }, buttonsOf(incident)];
  return messageOf(blocks);
}
