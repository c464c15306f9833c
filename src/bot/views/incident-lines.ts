import type { FailingCall, IncidentSummary } from '../../contract/resources.ts';
import { harmCount, hasMostlyFailed, likelihood } from '../../incident/harm.ts';
import { capitalized, plural } from '../../incident/phrase.ts';
import { isOnlyDeclared, statePhrase } from '../../incident/words.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { activityWords, rateOf, reasonWords, rootWords, shortActivity } from './activity-words.ts';
import {
  endedWords,
  headline,
  lastedWords,
  mutedWords,
  roleWords,
  rootService,
  severityWords,
} from './incident-words.ts';
import { agoToken, bold, dateToken, inline } from './mrkdwn.ts';
import { byName, type Who } from './people-words.ts';
import { phrase } from './phrase.ts';

/** The lines of whatever shows an incident: card, list row, storm, Home, reminder, link, handover and thread. */

type Stated = Parameters<typeof statePhrase>[0];

const STATE_SIGNS = { unacknowledged: '🔴', acknowledged: '🟡', closed: '✅' } as const;

/** A title up to this length and its number fit into a line of a phone. */
const SHORT_TITLE = 30;
/** Characters of a title in a list and on a card. */
const LONGEST_TITLE = 60;
/** Characters of a reason that fit into one line of a phone beside the root service. */
const ROOM_FOR_REASON = 24;
/** Minutes in the picture of the rate when the line also has a number. */
const SHORT_BARS = 6;

type Titled = Pick<IncidentSummary, 'id' | 'number' | 'title' | 'root_service' | 'url' | 'severity'>;

/** What fails: "*🚨 Critical* · *#142 payments: POST /charge fails*". Show has the whole of a long title. */
export function whatFails(incident: Titled, titleLength = LONGEST_TITLE): string {
  return ranked(shortlyTitled(incident), titleLength);
}

/** Whether what a list and a card show of the title names the root service. */
export function isRootInTitle(incident: Titled, titleLength = LONGEST_TITLE): boolean {
  const { title, root_service: root } = shortlyTitled(incident);
  return inline(title ?? root, titleLength)
    .split(/[^\w.-]+/)
    .includes(root);
}

/** The same with the whole title. */
export function ranked(incident: Titled, titleLength?: number): string {
  const severity = severityWords(incident);
  return said([severity === '' ? '' : bold(severity), bold(headline(incident, titleLength))]);
}

/** A long title loses the parentheses at its end. */
function shortlyTitled<Incident extends Pick<IncidentSummary, 'title'>>(incident: Incident): Incident {
  const { title = '' } = incident;
  return title.length > SHORT_TITLE ? { ...incident, title: title.replace(/(?<=\S) \([^()]*\)$/, '') } : incident;
}

/** "🟡 *Acknowledged* by ana, 10:02": a symbol and words, so that nothing is conveyed by colour alone. */
export function stateWords(incident: Stated, who: Who = byName): string {
  const { kind, short, detail } = statePhrase(incident);
  return `${STATE_SIGNS[kind]} *${short}*${phrase(detail, who)}`;
}

/** The same without symbol and bold type, within a sentence. */
export function stateSentence(incident: Stated, who: Who = byName): string {
  const { short, detail } = statePhrase(incident);
  return `${short}${phrase(detail, who)}`;
}

/** Who has it, and since when: "🔴 *Not acknowledged* · ana leads · 14 minutes ago"; closed: "… · lasted 14 min". */
export function whoHasIt(incident: Snapshot, who: Who = byName): string {
  const since = incident.status === 'open' ? agoToken(incident.opened_at) : lastedWords(incident);
  return said([stateWords(incident, who), roleWords(incident, who), since]);
}

/** Harm now: "Still failing · 208 of 216 requests ▁▂█ · since 10:02", or "Still slow · …". */
export function harmNow(incident: Snapshot): string {
  return harmVariants(incident)[0] ?? '';
}

/**
 * The same, each shorter than the one before; empty if nothing is known. A service that does not count requests may tell of
 * calls; without both, the rate has its number.
 */
export function harmVariants(incident: Snapshot): string[] {
  const { activity, status, harm, impact: [worst] = [] } = incident;
  const isFailing = activity === 'failing' && status === 'open' && !isOnlyDeclared(incident);
  const state = isFailing
    ? stillWords(harm)
    : capitalized(status === 'open' ? shortActivity(incident) : activityWords(incident));
  const ended = activity === undefined ? capitalized(endedWords(incident)) : '';
  const rate = rateOf(incident);
  const requests = harmCount(harm, isFailing);
  const lost = requests || (worst === undefined ? '' : callCount(worst, isFailing));
  const bars = rate?.bars.slice(-SHORT_BARS) ?? '';
  const since = harm && requests !== '' && isFailing ? `since ${dateToken(harm.since)}` : '';
  const variants =
    lost === ''
      ? [[state, ended, rate === null ? '' : capitalized(`${rate.level} ${rate.unit} a minute ${rate.bars}`)]]
      : [
          [state, ended, `${lost} ${bars}`.trim(), since],
          [state, ended, `${lost} ${bars}`.trim()],
          [state, ended, lost],
          [isFailing ? state : capitalized(activity ?? ''), lost],
        ];
  return [...new Set([...variants, [state, ended]].map((facts) => said(facts)))].filter((text) => text !== '');
}

/** Slow requests are lost to people too, but they did not fail. */
function stillWords(harm: Snapshot['harm']): string {
  return harm && harm.requests > 0 && !hasMostlyFailed(harm) ? 'Still slow' : 'Still failing';
}

function callCount({ failed, calls }: FailingCall, isFailing: boolean): string {
  return `${failed.toLocaleString('en')} of ${plural(calls, 'call')}${isFailing ? '' : ' failed'}`;
}

/**
 * "Root service `payments`, likely (57 %)", or "Root service unsure: `payments` or `inventory`". One signal says nothing
 * about how sure the service is. Empty if the title says the same.
 */
export function likelyRoot(incident: Snapshot): string {
  const { possible_roots: roots = [], root_confidence: percent, signal_count: signals } = incident;
  if (isRootByHand(incident)) {
    return `${namedRoot(incident)}, set by hand`; // how sure the service is of its own one says nothing
  }
  const isLikelihoodShown = roots.length === 0 && percent !== undefined && signals > 1 && !isOnlyDeclared(incident);
  return roots.length === 0 && isRootInTitle(incident) && !isLikelihoodShown
    ? ''
    : `${namedRoot(incident)}${isLikelihoodShown ? `, ${likelihood(percent)} (${percent} %)` : ''}`;
}

/** Whether a person set the root, so that what the service found is about another one. */
export function isRootByHand({ detected }: Pick<Snapshot, 'detected'>): boolean {
  return detected?.root_service !== undefined && detected.root_service !== null;
}

/** "Root service `payments`" */
export function namedRoot(incident: Snapshot): string {
  return `Root service ${isRootByHand(incident) ? rootService(incident) : rootWords(incident)}`;
}

/** The likely root with a reason of up to `room` characters. @returns `evidence`: a reason that is longer */
export function rootAndEvidence(
  incident: Snapshot,
  room = ROOM_FOR_REASON,
): { readonly root: string; readonly evidence: string } {
  const root = likelyRoot(incident);
  if (isRootByHand(incident)) {
    return { root, evidence: '' };
  }
  const { short, line } = reasonWords(shortlyTitled(incident));
  if (short === '' || short.length > room) {
    return { root, evidence: line };
  }
  return { root: `${root === '' ? namedRoot(incident) : root}: ${short}`, evidence: '' };
}

/** One incident among others: what fails in the first line, all the rest in the second. */
export function rowLines(incident: Snapshot, who: Who = byName): string {
  const isOpen = incident.status === 'open';
  const facts = [
    whoHasIt(incident, who),
    isOpen ? mutedWords(incident, who) : '',
    harmNow(incident),
    likelyRoot(incident),
  ];
  return `${whatFails(incident)}\n${said(facts)}`;
}

/** Joins what is not empty. */
export function said(words: readonly string[], separator = ' · '): string {
  return words.filter((each) => each !== '').join(separator);
}
