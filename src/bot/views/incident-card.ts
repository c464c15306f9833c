import type { KnownBlock } from '@slack/types';
import type { Incident } from '../../contract/resources.ts';
import { isDoneAlready, type KnownPerson, type WaitingAction } from '../domain/incident.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { changedWords, historyLines, mergedWords, taughtRootWords } from './activity-words.ts';
import { incidentButtons } from './incident-buttons.ts';
import {
  harmVariants,
  isRootInTitle,
  namedRoot,
  rootAndEvidence,
  said,
  stateWords,
  whatFails,
  whoHasIt,
} from './incident-lines.ts';
import {
  acknowledgedWords,
  at,
  by,
  declaredWords,
  mutedWords,
  otherServices,
  restWords,
  roleWords,
  rootService,
  signalTotal,
  staleWords,
} from './incident-words.ts';
import { KIND_ANSWERS } from './kind-answers.ts';
import { LIMITS } from './limits.ts';
import { linkWords } from './links.ts';
import { code, mrkdwn, quotePart } from './mrkdwn.ts';
import { byMention, type Who } from './people-words.ts';
import { fittingPhone, PHONE, phoneLines } from './phone.ts';
import { messageOf } from './text-of.ts';

/** Characters of the note that the card shows. */
export const CARD_NOTE_LENGTH = 1_000;
const NAMED_SERVICES = 5;
const NAMED_ACTIONS = 3;
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

/** Characters of a title that fit into a line of a phone beside the severity and the number. */
const ONE_LINE_TITLE = 22;
/** Characters of a service's name that fit into a line of a phone after "Root". */
const ONE_LINE_NAME = 36;
/** Lines above the buttons on a phone. */
const MOST_LINES = 6;
/** Most lines of small print among these. */
const MOST_SMALL = 3;
/** Characters that are lost where a line of the small print ends. */
const LOST_BY_WRAP = 10;

/**
 * The one message of an incident in a channel: the confirmed state, and the actions that wait for the service. Four lines
 * say what fails; who has it, and since when; how much fails now; and the likely root. Below, in small print, is what
 * helps most and fits on a phone: what waits, what changed, how it was fixed before, and the signals. Show says the rest.
 *
 * @param staleSince when the service last responded, if that is too long ago; null: the state is fresh
 */
export function incidentCard(content: CardContent, staleSince: Date | null = null): SlackMessage {
  const { incident, people = [] } = content;
  const who = byMention(people);
  const isGone = isGoneNow(content);
  const instead = insteadOfState(content);
  const isHarmShown = instead === '' && staleSince === null; // what was true long ago is not harm now
  const harm = isHarmShown ? harmVariants(incident) : [];
  const notices = noticesOf(content, staleSince, who);
  const signals = staleSince === null ? signalWords(content) : '';
  const needed = Math.min(MOST_SMALL, phoneLines(said([...notices, signals]), PHONE.small));
  const states: Record<Length, string> = {
    whole: instead || whoHasIt(incident, who),
    cut: instead || whoHasIt(incident, who),
    short: instead || said([stateWords(incident, who), roleWords(incident, who)]),
    shortest: instead || stateWords(incident, who),
  };
  const { main, evidence } = firstFitting(
    choicesOf(incident, harm).map(({ length = 'whole', harm: lost, root, evidence }) => ({
      main: said(
        [whatFails(incident, length === 'whole' ? undefined : ONE_LINE_TITLE), states[length], lost, root],
        '\n',
      ),
      evidence,
    })),
    MOST_LINES - needed,
  );
  const room = Math.min(MOST_SMALL, Math.max(1, MOST_LINES - phoneLines(main, PHONE.section)));
  const lineLength = room * PHONE.small - (room - 1) * LOST_BY_WRAP - said([' ', signals]).length;
  const facts = [...notices, ...factsOf(content, who, evidence, lineLength)];
  const small = fittingPhone(facts, { last: signals, lines: room, width: PHONE.small });
  const note = isMergedByService(content) ? '' : noteQuote(incident);
  const blocks: KnownBlock[] = [
    { type: 'section', text: mrkdwn(main) },
    ...(note === '' ? [] : [{ type: 'section', text: mrkdwn(note) } satisfies KnownBlock]),
    ...(small === '' ? [] : [{ type: 'context', elements: [mrkdwn(small)] } satisfies KnownBlock]),
    ...(isGone ? [] : [{ ...incidentButtons(incident), block_id: CARD_BUTTONS }]),
  ];
  return messageOf(blocks, { max: LIMITS.editedText, people });
}

/** `cut`: the title is cut to one line. `short`: also without the age. `shortest`: also without the roles. */
type Length = 'whole' | 'cut' | 'short' | 'shortest';

interface MainLines {
  readonly length?: Length;
  readonly harm: string;
  readonly root: string;
  /** A reason for the root that is not in its line. */
  readonly evidence: string;
}

/** Ways to show the main facts, each shorter than the one before. The root service stays on the card, a long name cut. */
function choicesOf(incident: Snapshot, variants: readonly string[]): MainLines[] {
  const [harm = ''] = variants;
  const [whole, { root, evidence }] = [rootAndEvidence(incident), rootAndEvidence(incident, 0)];
  const shortHarm = variants.find((text) => phoneLines(text, PHONE.section) === 1) ?? '';
  const usual = [
    { harm, ...whole },
    { harm: shortHarm, ...whole },
    { harm, root, evidence },
    { harm: shortHarm, root, evidence },
  ];
  const named = namedRoot(incident);
  const name = code(incident.root_service, ONE_LINE_NAME);
  const hasLongName = (incident.possible_roots ?? []).length === 0 && name !== rootService(incident);
  const cut = { harm: shortHarm, root: `Root ${name}`, evidence };
  const cutNames = hasLongName ? [cut, { ...cut, length: 'cut' } as const] : [];
  const brief = { harm: shortHarm, root: root.replace(/^Root service /, 'Root '), evidence };
  if ((incident.possible_roots ?? []).length === 0 && isRootInTitle(incident)) {
    return [
      ...usual,
      brief,
      ...(root === '' ? [] : [{ harm: shortHarm, root: named, evidence }]),
      { harm, root: '', evidence: '' },
      { harm: shortHarm, root: '', evidence: '' },
      ...cutNames,
      { harm: '', root: '', evidence: '' },
      { length: 'shortest', harm: '', root: isRootInTitle(incident, ONE_LINE_TITLE) ? '' : named, evidence: '' },
    ];
  }
  return [
    ...usual,
    brief,
    { harm: shortHarm, root: named, evidence },
    ...cutNames,
    { length: 'short', harm: shortHarm, root: named, evidence },
    { length: 'short', harm: '', root: named, evidence },
    { length: 'shortest', harm: '', root: named, evidence: '' },
  ];
}

/** The first choice whose lines fit on a phone, or the last. */
function firstFitting<Choice extends { readonly main: string }>(choices: readonly Choice[], lines: number): Choice {
  const fitting = choices.find(({ main }) => phoneLines(main, PHONE.section) <= lines);
  return fitting ?? (choices.at(-1) as Choice);
}

/** The facts of the small print, the most helpful first. */
function factsOf(content: CardContent, who: Who, evidence: string, lineLength: number): string[] {
  const { incident, related = [], traceUrl = null } = content;
  return [
    taughtRootWords(incident, lineLength),
    changedBriefly(incident, lineLength),
    ...historyLines(incident, related, who, lineLength),
    linkWords(incident, traceUrl),
    evidence,
    declaredWords(incident, who),
    otherServices(incident, NAMED_SERVICES),
  ].filter((fact) => fact !== '');
}

/** The last deployment, without the words that a line of that length has no room for. */
function changedBriefly(incident: Snapshot, lineLength: number): string {
  const words = changedWords(incident, 'short');
  return words.length > lineLength ? words.replace(/ (the first failure|it opened)$/, '') : words;
}

/** That the state is out of date, pending actions and a mute; of a closed incident who had acknowledged it. */
export function noticesOf(content: CardContent, staleSince: Date | null, who: Who): string[] {
  const { incident } = content;
  const isOpen = incident.status === 'open' && content.isGone !== true;
  return [
    isOpen ? staleWords(staleSince) : '',
    waitingWords(content, who, staleSince !== null),
    incident.status === 'open' ? mutedWords(incident, who) : '',
    isOpen ? '' : acknowledgedWords(incident, who),
  ].filter((notice) => notice !== '');
}

function isGoneNow({ incident, isGone }: CardContent): boolean {
  return incident.status === 'open' && isGone === true;
}

function isMergedByService({ incident, related = [] }: CardContent): boolean {
  return (
    incident.status === 'closed' && mergedWords(incident, related) !== '' && (incident.resolved_by ?? null) === null
  );
}

/** What is shown in place of the state; empty: nothing. */
export function insteadOfState(content: CardContent): string {
  const { incident, related = [] } = content;
  const merged = incident.status === 'open' ? '' : mergedWords(incident, related);
  return isGoneNow(content) ? GONE : merged === '' ? '' : `⚪ *${merged}*${at(incident.closed_at)}`;
}

export function noteQuote(incident: Incident): string {
  const note = incident.resolution_note ?? '';
  if (incident.status !== 'closed' || note === '') {
    return '';
  }
  const { quoted, rest } = quotePart(note, CARD_NOTE_LENGTH);
  return rest === '' ? quoted : `${quoted}\n${restWords(incident, rest)}`;
}

/** "12 signals, 3 at first" */
export function signalWords({ incident, firstSignalCount }: CardContent): string {
  const first = firstSignalCount ?? 0;
  const growth = first > 0 && incident.signal_count > first ? `, ${first.toLocaleString('en')} at first` : '';
  return `${signalTotal(incident)}${growth}`;
}

/** "⏳ Waiting for the incident service: resolution by ana"; empty: nothing waits. @param isStale that is shown already */
function waitingWords({ incident, waiting = [] }: CardContent, who: Who, isStale: boolean): string {
  const named = waiting
    .filter(({ kind }) => !isDoneAlready(incident, kind)) // may still be stored as pending
    .slice(0, NAMED_ACTIONS)
    .map(({ kind, user }) => `${KIND_ANSWERS[kind].name}${by(user, who)}`);
  return named.length === 0 ? '' : `⏳ Waiting${isStale ? '' : ' for the incident service'}: ${named.join(', ')}`;
}
