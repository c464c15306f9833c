import type { ActionsBlock, Button, KnownBlock } from '@slack/types';
import type { Incident } from '../../contract/resources.ts';
import { ACTIONS } from '../domain/ids.ts';
import { isAcknowledged, isDoneAlready, type WaitingAction } from '../domain/incident.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import {
  acknowledgedWords,
  by,
  endedWords,
  headline,
  openedWords,
  otherServices,
  plainHeadline,
  reference,
  rootService,
  signalCount,
  staleWords,
  stateWords,
} from './incident-words.ts';
import { LIMITS } from './limits.ts';
import { messageText } from './message.ts';
import { cut, mrkdwn, plainText, quote } from './mrkdwn.ts';

const NOTE_LENGTH = 1_000;
const NAMED_SERVICES = 5;
const GONE = '⚪ *Gone: the incident service no longer has this incident*';

export interface CardContent {
  /** The state that the service confirmed. */
  readonly incident: Incident;
  /** The service no longer has it, so the card shows the last known state. */
  readonly isGone?: boolean;
  readonly waiting?: readonly WaitingAction[];
  /** Number of signals when it was first seen; null: not recorded. */
  readonly firstSignalCount?: number | null;
}

/**
 * The one message of an incident in a channel: the confirmed state, and the actions that wait for the service.
 *
 * @param staleSince when the service last responded, if that is too long ago; null: the state is fresh
 */
export function incidentCard(content: CardContent, staleSince: Date | null = null): SlackMessage {
  const { incident, waiting = [] } = content;
  const isOpen = incident.status === 'open';
  const isGone = isOpen && content.isGone === true;
  const state = isGone ? GONE : stateWords(incident);
  const facts = [
    `Root service ${rootService(incident)}`,
    severity(incident),
    `${signalCount(incident)}${growthWords(content)}`,
    openedWords(incident),
    endedWords(incident),
  ]
    .filter((fact) => fact !== '')
    .join(' · ');
  const aside = [
    isOpen && !isGone ? '' : acknowledgedWords(incident),
    otherServices(incident, NAMED_SERVICES),
    ...waiting
      .filter((action) => !isDoneAlready(incident, action.kind)) // may still be stored as pending
      .slice(0, 5)
      .map(waitingLine),
    isOpen && !isGone ? staleWords(staleSince) : '',
  ].filter((line) => line !== '');
  const note = noteQuote(incident);

  const blocks: KnownBlock[] = [{ type: 'section', text: mrkdwn(`*${headline(incident)}*\n${state}\n${facts}`) }];
  if (note !== '') {
    blocks.push({ type: 'section', text: mrkdwn(note) });
  }
  if (aside.length > 0) {
    blocks.push({ type: 'context', elements: [mrkdwn(aside.join('\n'))] });
  }
  if (!isGone) {
    blocks.push(incidentButtons(incident, { show: true }));
  }
  return {
    text: messageText([`${plainHeadline(incident)}: ${plain(state)}`, facts, ...aside, note], LIMITS.editedText),
    blocks,
  };
}

export function noteQuote(incident: Incident): string {
  const note = incident.resolution_note ?? '';
  return incident.status === 'closed' && note !== '' ? quote(note, NOTE_LENGTH) : '';
}

/** Acknowledge and Resolve are shown only while they apply. */
export function incidentButtons(incident: Incident, options: { show: boolean }): ActionsBlock {
  const elements: Button[] = [];
  if (incident.status === 'open' && !isAcknowledged(incident)) {
    elements.push({ ...button('Acknowledge', ACTIONS.acknowledge, incident), style: 'primary' });
  }
  if (incident.status === 'open') {
    elements.push(button('Resolve', ACTIONS.resolve, incident));
  }
  if (options.show || elements.length === 0) {
    elements.push(button('Show', ACTIONS.show, incident));
  }
  return { type: 'actions', elements };
}

export function button(label: string, actionId: string, incident: Pick<Incident, 'id' | 'number'>): Button {
  return {
    type: 'button',
    text: plainText(label, LIMITS.buttonText),
    action_id: actionId,
    value: incident.id,
    accessibility_label: cut(`${label} incident ${reference(incident)}`, LIMITS.accessibilityLabel),
  };
}

/** Removes the symbol and the formatting, for screen readers and notifications. */
export function plain(words: string): string {
  return words.replace(/^[✅🟡🔴⚪] /u, '').replaceAll('*', '');
}

function severity(incident: Incident): string {
  return incident.severity === undefined ? '' : `severity ${incident.severity}`;
}

/** ", 12 at first". Not a rate, because the card is not edited when nothing changes. */
function growthWords({ incident, firstSignalCount }: CardContent): string {
  const first = firstSignalCount ?? 0;
  return first > 0 && incident.signal_count > first ? `, ${first.toLocaleString('en')} at first` : '';
}

function waitingLine(action: WaitingAction): string {
  const what = action.kind === 'acknowledge' ? 'Acknowledgement' : 'Resolution';
  return `⏳ ${what}${by(action.user)} is saved and waiting for the incident service`;
}
