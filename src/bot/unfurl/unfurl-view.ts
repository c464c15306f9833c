import type { KnownBlock } from '@slack/types';
import type { Incident, Signal } from '../../contract/resources.ts';
import { activityWords, rootWords } from '../views/activity-words.ts';
import { incidentButtons } from '../views/incident-buttons.ts';
import {
  openedWords,
  plainRankedHeadline,
  rankedHeadline,
  signalLine,
  signalTotal,
  stateWords,
} from '../views/incident-words.ts';
import { dateToken, mrkdwn } from '../views/mrkdwn.ts';

/** What is shown below a link. */
export interface Unfurl {
  /** For notifications and screen readers. */
  readonly fallback: string;
  readonly blocks: KnownBlock[];
}

/** The incident as it was when the link was posted: an unfurled link does not change afterwards. */
export function unfurlIncident(incident: Incident, now: Date): Unfurl {
  return {
    fallback: plainRankedHeadline(incident),
    blocks: [
      { type: 'section', text: mrkdwn(`${rankedHeadline(incident)}\n${stateLines(incident, now)}`) },
      incidentButtons(incident),
    ],
  };
}

/** @param incident null: the signal belongs to none */
export function unfurlSignal(signal: Signal, incident: Incident | null, now: Date): Unfurl {
  const line = signalLine(signal);
  const parent = incident === null ? '' : `\nSignal of ${rankedHeadline(incident)}\n${stateLines(incident, now)}`;
  return {
    fallback: line,
    blocks: [
      { type: 'section', text: mrkdwn(`${line}${parent}`) },
      ...(incident === null ? [] : [incidentButtons(incident)]),
    ],
  };
}

function stateLines(incident: Incident, now: Date): string {
  const facts = [`Root service ${rootWords(incident)}`, signalTotal(incident), openedWords(incident)];
  const state = [stateWords(incident), activityWords(incident)].filter((words) => words !== '').join(' · ');
  return `${state}\n${facts.join(' · ')}\nAs of ${dateToken(now.toISOString())}`;
}
