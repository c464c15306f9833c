import type { KnownBlock } from '@slack/types';
import type { Incident } from '../../contract/resources.ts';
import { capitalized } from '../../incident/phrase.ts';
import { isDoneAlready, type KnownPerson, type WaitingAction } from '../domain/incident.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { changedWords, explainedRoot, harmWords, historyLines, mergedWords } from './activity-words.ts';
import { incidentButtons } from './incident-buttons.ts';
import {
  acknowledgedWords,
  at,
  by,
  declaredWords,
  mutedWords,
  openedWords,
  otherServices,
  plainHeadline,
  rankedHeadline,
  roleWords,
  severityWords,
  signalTotal,
  staleWords,
  stateWords,
} from './incident-words.ts';
import { KIND_ANSWERS } from './kind-answers.ts';
import { LIMITS } from './limits.ts';
import { linkWords } from './links.ts';
import { messageText } from './message.ts';
import { agoToken, mrkdwn, quote } from './mrkdwn.ts';
import { byMention, byName, type Who } from './people-words.ts';

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
  /** People to mention in place of their names; absent in a first post, where a mention would notify them. */
  readonly people?: readonly KnownPerson[];
  /** Address of a trace with `{trace_id}`; null: traces have no page. */
  readonly traceUrl?: string | null;
}

/** The same after each edit, so that a button works although the card was edited while it was pressed. */
const CARD_BUTTONS = 'incident';

/**
 * The one message of an incident in a channel: the confirmed state, and the actions that wait for the service. Four lines
 * say what fails; who has it; how much fails, and since when; and the likely root with its evidence. Two small lines have
 * what changed and how it was fixed before, and the rest.
 *
 * @param staleSince when the service last responded, if that is too long ago; null: the state is fresh
 */
export function incidentCard(content: CardContent, staleSince: Date | null = null): SlackMessage {
  const { incident, people = [], traceUrl = null } = content;
  const shown = wordsOf(content, staleSince, byMention(people), 'picture');
  const spoken = wordsOf(content, staleSince, byName, 'numbers');
  const severity = severityWords(incident);
  const opened = incident.status === 'open' ? `opened ${agoToken(incident.opened_at)}` : openedWords(incident);
  const harm = joined([shown.harm, opened]);
  const blocks: KnownBlock[] = [
    {
      type: 'section',
      text: mrkdwn(lined([rankedHeadline(incident), shown.state, capitalized(harm), shown.root])),
    },
  ];
  if (shown.note !== '') {
    blocks.push({ type: 'section', text: mrkdwn(shown.note) });
  }
  const small = lined([shown.causes, joined([...shown.aside, linkWords(incident, traceUrl)])]);
  blocks.push({ type: 'context', elements: [mrkdwn(small)] });
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
        ...spoken.aside,
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
  /** Whether it still fails, and how much. */
  readonly harm: string;
  readonly root: string;
  /** What changed before, and how the same was fixed. */
  readonly causes: string;
  readonly aside: readonly string[];
  readonly note: string;
}

function wordsOf(content: CardContent, staleSince: Date | null, who: Who, as: 'picture' | 'numbers'): CardWords {
  const { incident, waiting = [], related = [] } = content;
  const isOpen = incident.status === 'open';
  const isGone = isOpen && content.isGone === true;
  const merged = isOpen ? '' : mergedWords(incident, related);
  const isMergedByService = merged !== '' && (incident.resolved_by ?? null) === null;
  return {
    isGone,
    state: isGone
      ? GONE
      : merged === ''
        ? joined([stateWords(incident, who), roleWords(incident, who)])
        : `⚪ *${merged}*${at(incident.closed_at)}`,
    harm: isGone || merged !== '' ? '' : harmWords(incident, as),
    root: explainedRoot(incident),
    causes: joined([changedWords(incident), ...historyLines(incident, related, who, 'short')]),
    aside: [
      declaredWords(incident, who),
      isOpen ? mutedWords(incident, who) : '',
      isOpen && !isGone ? '' : acknowledgedWords(incident, who),
      ...waiting
        .filter((action) => !isDoneAlready(incident, action.kind)) // may still be stored as pending
        .slice(0, 5)
        .map((action) => waitingLine(action, who)),
      isOpen && !isGone ? staleWords(staleSince) : '',
      joined([otherServices(incident, NAMED_SERVICES), `${signalTotal(incident)}${growthWords(content)}`]),
    ].filter(isSaid),
    note: isMergedByService ? '' : noteQuote(incident),
  };
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
  return incident.status === 'closed' && note !== '' ? quote(note, NOTE_LENGTH) : '';
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
