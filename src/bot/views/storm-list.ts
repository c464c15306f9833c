import type { Button, KnownBlock, ModalView } from '@slack/types';
import { ACTIONS, COMMANDS } from '../domain/ids.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { row } from './incident-list.ts';
import { at, by, headline, openedWords, rootService, signalTotal } from './incident-words.ts';
import { LIMITS } from './limits.ts';
import { mrkdwn, plainText, plural } from './mrkdwn.ts';
import { stormValue } from './storm-card.ts';

export const STORM_PAGE_SIZE = 12;

export interface StormPage {
  readonly stormId: string;
  readonly incidents: readonly Snapshot[];
  readonly offset: number;
  readonly total: number;
}

/** One page of the incidents of a storm, those that are not acknowledged first. */
export function stormList(page: StormPage): ModalView {
  const last = page.offset + page.incidents.length;
  const where = page.total > page.incidents.length ? `: ${page.offset + 1} to ${last}` : '';
  const blocks: KnownBlock[] = [
    {
      type: 'section',
      text: mrkdwn(`*${plural(page.total, 'incident')}${where}*\nIncidents that are not acknowledged come first.`),
    },
    ...page.incidents.map(
      (incident): KnownBlock => ({ type: 'section', text: mrkdwn(`*${headline(incident)}*\n${line(incident)}`) }),
    ),
    {
      type: 'context',
      elements: [mrkdwn(`Use a number or id with \`${COMMANDS.incidents} show\`, \`ack\` or \`resolve\`.`)],
    },
  ];
  const turns: Button[] = [];
  if (page.offset > 0) {
    turns.push(turn('Previous', ACTIONS.stormListPrevious, page, Math.max(0, page.offset - STORM_PAGE_SIZE)));
  }
  if (last < page.total) {
    turns.push(turn('Next', ACTIONS.stormListNext, page, last));
  }
  if (turns.length > 0) {
    blocks.push({ type: 'actions', elements: turns });
  }
  return {
    type: 'modal',
    title: plainText('Incidents of a storm', LIMITS.modalTitle),
    close: plainText('Close', LIMITS.modalButton),
    blocks,
  };
}

function line(incident: Snapshot): string {
  if (incident.status === 'open') {
    return row(incident);
  }
  const closed = `✅ closed${by(incident.resolved_by)}${at(incident.closed_at)}`;
  return `${closed} · ${rootService(incident)} · ${signalTotal(incident)} · ${openedWords(incident)}`;
}

function turn(label: string, actionId: string, page: StormPage, offset: number): Button {
  return {
    type: 'button',
    text: plainText(label, LIMITS.buttonText),
    action_id: actionId,
    value: stormValue(page.stormId, String(offset)),
  };
}
