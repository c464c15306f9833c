import type { ActionsBlock, Button, KnownBlock } from '@slack/types';
import type { Incident } from '../../contract/resources.ts';
import { ACTIONS } from '../domain/ids.ts';
import { isAcknowledged, isDoneAlready, type WaitingAction } from '../domain/incident.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { ACTION_WORDS } from './action-words.ts';
import { activityWords, historyLines, impactWords, mergedWords, rootWords } from './activity-words.ts';
import {
  acknowledgedWords,
  at,
  by,
  endedWords,
  headline,
  openedWords,
  otherServices,
  plainHeadline,
  reference,
  signalTotal,
  staleWords,
  stateWords,
} from './incident-words.ts';
import { LIMITS } from './limits.ts';
import { messageText } from './message.ts';
import { capitalized, cut, mrkdwn, plainText, quote } from './mrkdwn.ts';

const NOTE_LENGTH = 1_000;
const NAMED_SERVICES = 5;
const GONE = '⚪ *Gone: the incident service no longer has this incident*';

export interface CardContent {
  /** The state that the service confirmed. */
  readonly incident: Snapshot;
  /** The service no longer has it, so the card shows the last known state. */
  readonly isGone?: boolean;
  readonly waiting?: readonly WaitingAction[];
  /** Number of signals when it was first seen; null: not recorded. */
  readonly firstSignalCount?: number | null;
  /** The previous incident and the one that it was merged into, as far as they are known. */
  readonly related?: readonly Snapshot[];
}

/**
 * The one message of an incident in a channel: the confirmed state, and the actions that wait for the service.
 *
 * @param staleSince when the service last responded, if that is too long ago; null: the state is fresh
 */
export function incidentCard(content: CardContent, staleSince: Date | null = null): SlackMessage {
  const { incident, waiting = [], related = [] } = content;
  const isOpen = incident.status === 'open';
  const isGone = isOpen && content.isGone === true;
  const merged = isOpen ? '' : mergedWords(incident, related);
  const state = isGone ? GONE : cardState(incident, merged);
  const activity = isGone || merged !== '' ? '' : activityWords(incident);
  const impact = impactWords(incident);
  const history = historyLines(incident, related);
  const facts = [
    `Root service ${rootWords(incident)}`,
    severity(incident),
    `${signalTotal(incident)}${growthWords(content)}`,
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
  const isMergedByService = merged !== '' && (incident.resolved_by ?? null) === null;
  const note = isMergedByService ? '' : noteQuote(incident);

  const lines = [state, activity, facts, impact].filter((line) => line !== '');
  const blocks: KnownBlock[] = [{ type: 'section', text: mrkdwn([`*${headline(incident)}*`, ...lines].join('\n')) }];
  if (note !== '') {
    blocks.push({ type: 'section', text: mrkdwn(note) });
  }
  if (history.length > 0) {
    blocks.push({ type: 'context', elements: [mrkdwn(history.join('\n'))] });
  }
  if (aside.length > 0) {
    blocks.push({ type: 'context', elements: [mrkdwn(aside.join('\n'))] });
  }
  if (!isGone) {
    blocks.push(incidentButtons(incident, { show: true }));
  }
  return {
    text: messageText(
      [`${plainHeadline(incident)}: ${plain(state)}`, activity, facts, impact, ...history, ...aside, note],
      LIMITS.editedText,
    ),
    blocks,
  };
}

/** @param merged of which incident it is a part; empty: of none */
function cardState(incident: Incident, merged: string): string {
  return merged === '' ? stateWords(incident) : `⚪ *${merged}*${at(incident.closed_at)}`;
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
  elements.push(button('Signals', ACTIONS.signals, incident));
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
  return `⏳ ${capitalized(ACTION_WORDS[action.kind])}${by(action.user)} is saved and waiting for the incident service`;
}
