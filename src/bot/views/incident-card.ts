import type { KnownBlock } from '@slack/types';
import type { Incident } from '../../contract/resources.ts';
import { capitalized } from '../../incident/phrase.ts';
import { isDoneAlready, type KnownPerson, type WaitingAction } from '../domain/incident.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import {
  changedWords,
  explained,
  explainedRoot,
  harmWords,
  historyLines,
  mergedWords,
  rootParts,
  shortHarmWords,
} from './activity-words.ts';
import { incidentButtons } from './incident-buttons.ts';
import {
  acknowledgedWords,
  at,
  by,
  declaredWords,
  lastedWords,
  mutedWords,
  openedWords,
  otherServices,
  plainHeadline,
  rankedHeadline,
  restWords,
  roleWords,
  severityWords,
  shortState,
  shortTitle,
  signalTotal,
  staleWords,
  stateWords,
} from './incident-words.ts';
import { KIND_ANSWERS } from './kind-answers.ts';
import { LIMITS } from './limits.ts';
import { linkWords } from './links.ts';
import { fitting, messageText } from './message.ts';
import { agoToken, mrkdwn, quotePart } from './mrkdwn.ts';
import { byMention, byName, type Who } from './people-words.ts';

/** Characters of the note that the card shows. */
export const CARD_NOTE_LENGTH = 1_000;
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
  /** People to mention in place of their names; absent in a first post, where a mention would notify them. */
  readonly people?: readonly KnownPerson[];
  /** Address of a trace with `{trace_id}`; null: traces have no page. */
  readonly traceUrl?: string | null;
}

/** Constant `block_id`, so that a button still works if the card is edited while somebody presses it. */
const CARD_BUTTONS = 'incident';

/** Characters of a reason that fit into one line of a phone beside the root service. */
const ROOM_FOR_REASON = 24;

/**
 * The one message of an incident in a channel: the confirmed state, and the actions that wait for the service. Four lines,
 * each short enough for a phone, say what fails; who has it, and since when; how much fails; and the likely root. Small
 * lines have the evidence, what changed and how it was fixed before, and the rest. The text for screen readers says more.
 *
 * @param staleSince when the service last responded, if that is too long ago; null: the state is fresh
 */
export function incidentCard(content: CardContent, staleSince: Date | null = null): SlackMessage {
  const { incident, people = [], traceUrl = null } = content;
  const { impact = [] } = incident;
  const shown = wordsOf(content, staleSince, byMention(people));
  const spoken = wordsOf(content, staleSince, byName);
  const severity = severityWords(incident);
  const title = shortTitle(incident);
  const { root, reason } = rootParts({ ...incident, ...(title !== undefined && { title }) });
  const isReasonShort = reason.length <= ROOM_FOR_REASON;
  const headline = rankedHeadline({ ...incident, ...(title !== undefined && { title }) });
  const lines = [
    headline,
    shown.shortState,
    shown.harm === '' ? '' : shortHarmWords(incident),
    isReasonShort ? explained(root, reason) : root,
  ];
  const blocks: KnownBlock[] = [{ type: 'section', text: mrkdwn(lined(lines)) }];
  if (shown.note !== '') {
    blocks.push({ type: 'section', text: mrkdwn(shown.note) });
  }
  const facts = [
    isReasonShort ? '' : capitalized(reason),
    shown.causes,
    shown.others,
    impact.length > 0 ? '' : shown.signals, // the impact already has the number of failed calls
    linkWords(incident, traceUrl),
  ];
  const notices = joined(shown.notices);
  const room = LIMITS.contextText - notices.length - 1;
  const small = lined([notices, joined(fitting(facts.filter(isSaid), room, ' · '))]);
  if (small !== '') {
    blocks.push({ type: 'context', elements: [mrkdwn(small)] });
  }
  if (!shown.isGone) {
    blocks.push({ ...incidentButtons(incident), block_id: CARD_BUTTONS });
  }
  return {
    text: messageText(
      [
        joined([plain(severity), `${plainHeadline(incident)}: ${plain(spoken.state)}`, openedWords(incident)]),
        spoken.harm,
        spoken.root,
        spoken.causes,
        ...spoken.notices,
        joined([spoken.others, spoken.signals]),
        linkWords(incident, traceUrl),
        spoken.note,
      ],
      LIMITS.editedText,
    ),
    blocks,
  };
}

interface CardWords {
  readonly isGone: boolean;
  readonly state: string;
  /** The state and the time since the incident was opened. */
  readonly shortState: string;
  /** Whether it still fails, and how much. */
  readonly harm: string;
  readonly root: string;
  /** Deployments before the failure, and earlier fixes of the same failure. */
  readonly causes: string;
  /** Other facts: who declared the incident, its mute, pending actions, and that the state is out of date. */
  readonly notices: readonly string[];
  readonly others: string;
  readonly signals: string;
  readonly note: string;
}

function wordsOf(content: CardContent, staleSince: Date | null, who: Who): CardWords {
  const { incident, waiting = [], related = [] } = content;
  const isOpen = incident.status === 'open';
  const isGone = isOpen && content.isGone === true;
  const merged = isOpen ? '' : mergedWords(incident, related);
  const isMergedByService = merged !== '' && (incident.resolved_by ?? null) === null;
  const instead = isGone ? GONE : merged === '' ? '' : `⚪ *${merged}*${at(incident.closed_at)}`;
  const roles = roleWords(incident, who);
  return {
    isGone,
    state: instead || joined([stateWords(incident, who), roles]),
    shortState: joined([instead || joined([shortState(incident, who), roles]), sinceWords(incident)]),
    harm: isGone || merged !== '' ? '' : harmWords(incident),
    root: explainedRoot(incident),
    causes: joined([changedWords(incident), ...historyLines(incident, related, who, 'short')]),
    notices: [
      declaredWords(incident, who),
      isOpen ? mutedWords(incident, who) : '',
      isOpen && !isGone ? '' : acknowledgedWords(incident, who),
      ...waiting
        .filter((action) => !isDoneAlready(incident, action.kind)) // may still be stored as pending
        .slice(0, 5)
        .map((action) => waitingLine(action, who)),
      isOpen && !isGone ? staleWords(staleSince) : '',
    ].filter(isSaid),
    others: otherServices(incident, NAMED_SERVICES),
    signals: `${signalTotal(incident)}${growthWords(content)}`,
    note: isMergedByService ? '' : noteQuote(incident),
  };
}

/** "14 minutes ago"; for a closed incident "lasted 14 min". */
function sinceWords(incident: Snapshot): string {
  return incident.status === 'open' ? agoToken(incident.opened_at) : lastedWords(incident);
}

const isSaid = (words: string) => words !== '';

function joined(words: readonly string[]): string {
  return words.filter(isSaid).join(' · ');
}

function lined(lines: readonly string[]): string {
  return lines.filter(isSaid).join('\n');
}

export function noteQuote(incident: Incident): string {
  const note = incident.resolution_note ?? '';
  if (incident.status !== 'closed' || note === '') {
    return '';
  }
  const { quoted, rest } = quotePart(note, CARD_NOTE_LENGTH);
  return rest === '' ? quoted : `${quoted}\n${restWords(incident, rest)}`;
}

/** Removes the symbol and the formatting, for screen readers and notifications. */
export function plain(words: string): string {
  return words.replace(/^[✅🟡🔴⚪🚨🔺🔸🔹] /u, '').replaceAll('*', '');
}

/** ", 12 at first" */
function growthWords({ incident, firstSignalCount }: CardContent): string {
  const first = firstSignalCount ?? 0;
  return first > 0 && incident.signal_count > first ? `, ${first.toLocaleString('en')} at first` : '';
}

function waitingLine(action: WaitingAction, who: Who): string {
  return `⏳ ${capitalized(KIND_ANSWERS[action.kind].name)}${by(action.user, who)} is saved and waiting for the incident service`;
}
