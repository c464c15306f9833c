import type { KnownBlock } from '@slack/types';
import type { Incident, Signal } from '../../../contract/resources.ts';
import { dateToken, mrkdwn } from '../../blocks/mrkdwn.ts';
import { textOf } from '../../blocks/text-of.ts';
import { signalLine } from '../../incident/further-words.ts';
import { incidentButtons } from '../../incident/incident-buttons.ts';
import { harmNow, rootLine, said, whatFails, whoHasIt } from '../../incident/incident-words.ts';

/** What is shown below a link. */
export interface Unfurl {
  /** For notifications and screen readers. */
  readonly fallback: string;
  readonly blocks: KnownBlock[];
}

/** The incident as it was when the link was posted: an unfurled link does not change afterwards. */
export function unfurlIncident(incident: Incident, now: Date): Unfurl {
  return unfurl([linesOf(incident, now)], incident);
}

/** @param incident null: the signal belongs to none */
export function unfurlSignal(signal: Signal, incident: Incident | null, now: Date): Unfurl {
  return unfurl([signalLine(signal), incident === null ? '' : `Signal of ${linesOf(incident, now)}`], incident);
}

function unfurl(lines: readonly string[], incident: Incident | null): Unfurl {
  const section: KnownBlock = { type: 'section', text: mrkdwn(said(lines, '\n')) };
  return { fallback: textOf([section]), blocks: [section, ...(incident === null ? [] : [incidentButtons(incident)])] };
}

/** The lines of its card. */
function linesOf(incident: Incident, now: Date): string {
  const asOf = `As of ${dateToken(now.toISOString())}`;
  return said([whatFails(incident), whoHasIt(incident), harmNow(incident), rootLine(incident), asOf], '\n');
}
