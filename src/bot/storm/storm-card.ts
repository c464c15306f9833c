import type { ActionsBlock, Button, KnownBlock } from '@slack/types';
import type { Incident } from '../../contract/resources.ts';
import { plural } from '../../incident/phrase.ts';
import { signalCount } from '../../incident/words.ts';
import type { StormId } from '../domain/identifiers.ts';
import { ACTIONS } from '../domain/ids.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import type { StormService, StormSummary } from '../domain/storm.ts';
import { said, whatFails } from '../views/incident-lines.ts';
import { openedWords, reference, rootService, severityWords, staleWords } from '../views/incident-words.ts';
import { LIMITS } from '../views/limits.ts';
import { fitting } from '../views/message.ts';
import { code, cut, dateToken, inline, mrkdwn, plainText } from '../views/mrkdwn.ts';
import { messageOf } from '../views/text-of.ts';

/** Further services are counted together; the list shows every incident. */
const NAMED_SERVICES = 8;
/** A longer name would leave no room beside its button. */
const NAME_LENGTH = 70;
const TITLE_LENGTH = 150;
const LABEL_LENGTH = 50;
/** Three such lists and the text around them fit into one section. */
const RECEIPT_LIST_LENGTH = 700;

/** One message for many incidents: how many per root service, and how many are not acknowledged. */
export function stormCard(storm: StormSummary, staleSince: Date | null = null): SlackMessage {
  const heading = headingOf(storm);
  const state = stateOf(storm);
  const first = firstWords(storm.first);
  const named = storm.services.slice(0, NAMED_SERVICES);
  const rest = restLine(storm.services.slice(NAMED_SERVICES));
  const what = [storm.endedAt === null ? staleWords(staleSince) : '', whatHappens(storm)].filter(Boolean).join('\n');

  const blocks: KnownBlock[] = [
    { type: 'section', text: mrkdwn([`*${heading}*`, state, first].filter((line) => line !== '').join('\n')) },
    ...named.map((service) => serviceBlock(storm, service)),
    { type: 'context', elements: [mrkdwn([rest, what].filter((line) => line !== '').join('\n'))] },
    stormButtons(storm.id),
  ];
  return messageOf(blocks, { max: LIMITS.editedText });
}

export function stormButtons(stormId: StormId): ActionsBlock {
  return {
    type: 'actions',
    block_id: 'storm', // the same after each edit
    elements: [
      {
        type: 'button',
        text: plainText('Show list', LIMITS.buttonText),
        action_id: ACTIONS.stormList,
        value: stormValue(stormId, '0'),
        accessibility_label: cut('Show list of incidents', LIMITS.accessibilityLabel),
      },
    ],
  };
}

/** Names the incident to look at first; empty: none is unacknowledged. */
function firstWords(first: StormSummary['first']): string {
  if (first === null) {
    return '';
  }
  const which = severityWords(first) === '' ? 'Oldest' : 'Worst';
  return `${which} not acknowledged: ${whatFails(first)}, ${openedWords(first)}`;
}

/** A button's value: the id of the storm, and a service or an offset. */
export function stormValue(stormId: StormId, rest: string): string {
  return `${stormId}:${rest}`;
}

export function parseStormValue(value: string): { stormId: StormId; rest: string } | null {
  const [, stormId, rest] = /^([0-9a-f-]{36}):([\s\S]+)$/.exec(value) ?? [];
  return stormId === undefined || rest === undefined ? null : { stormId, rest };
}

function serviceBlock(storm: StormSummary, service: StormService): KnownBlock {
  const text = mrkdwn(serviceLine(service));
  const value = stormValue(storm.id, service.service);
  if (storm.endedAt !== null || service.unacknowledged === 0 || value.length > LIMITS.buttonValue) {
    return { type: 'section', text };
  }
  return { type: 'section', text, accessory: acknowledgeButton(service, value) };
}

/** The button asks for confirmation if it acknowledges more than one incident. */
function acknowledgeButton({ service, unacknowledged }: StormService, value: string): Button {
  const common = { type: 'button', action_id: ACTIONS.stormAcknowledge, value } as const;
  if (unacknowledged === 1) {
    return {
      ...common,
      text: plainText('Acknowledge', LIMITS.buttonText),
      accessibility_label: cut(`Acknowledge the incident of ${service}`, LIMITS.accessibilityLabel),
    };
  }
  const count = unacknowledged.toLocaleString('en');
  const tail = ` (${count})`;
  const label = `Acknowledge all of ${service}`;
  return {
    ...common,
    text: plainText(`${cut(label, LABEL_LENGTH - tail.length)}${tail}`, LIMITS.buttonText),
    accessibility_label: cut(label, LIMITS.accessibilityLabel),
    confirm: {
      title: plainText('Acknowledge all?', 100),
      text: plainText(`This acknowledges ${count} open incidents of ${cut(service, 150)} in your name.`, 300),
      confirm: plainText('Acknowledge all', 30),
      deny: plainText('Cancel', 30),
    },
  };
}

/** Says what fails, how many incidents there are and who has them. Omits the service if the title names it. */
function serviceLine(service: StormService): string {
  const worst = severityWords({ severity: service.worst ?? undefined });
  const title = inline(service.title ?? '', TITLE_LENGTH);
  const name = title.includes(inline(service.service, NAME_LENGTH)) ? '' : `${code(service.service, NAME_LENGTH)} `;
  const counts = `${name}${plural(service.incidents, 'incident')} · ${serviceState(service)}`;
  return title === '' ? said([worst, counts]) : `${said([worst, title])}\n${counts}`;
}

function serviceState({ incidents, open, unacknowledged }: StormService): string {
  if (open === 0) {
    return '✅ all closed';
  }
  const openWords = open === incidents ? 'all open' : `${open} open`;
  return `${unacknowledged === 0 ? '🟡' : '🔴'} ${openWords}, ${acknowledgedWords(open, unacknowledged)}`;
}

export function acknowledgedWords(open: number, unacknowledged: number): string {
  if (unacknowledged === 0) {
    return 'all acknowledged';
  }
  return unacknowledged === open ? 'none acknowledged' : `${unacknowledged.toLocaleString('en')} not acknowledged`;
}

function signalsOf(services: readonly StormService[]): string {
  const sum = (count: (service: StormService) => number) => services.reduce((total, each) => total + count(each), 0);
  const isCounted = services.every(({ byType }) => byType !== null);
  return signalCount({
    signal_count: sum(({ signals }) => signals),
    signals_by_type: isCounted
      ? {
          trace: sum(({ byType }) => byType?.trace ?? 0),
          metric: sum(({ byType }) => byType?.metric ?? 0),
          log: sum(({ byType }) => byType?.log ?? 0),
        }
      : undefined,
  });
}

function restLine(rest: readonly StormService[]): string {
  if (rest.length === 0) {
    return '';
  }
  const incidents = rest.reduce((total, { incidents: count }) => total + count, 0);
  const waiting = rest.reduce((total, { unacknowledged }) => total + unacknowledged, 0);
  return `${plural(rest.length, 'more service')} with ${plural(incidents, 'incident')}, ${waiting.toLocaleString('en')} not acknowledged: see the list`;
}

function headingOf({ services, startedAt, endedAt }: StormSummary): string {
  const incidents = services.reduce((total, each) => total + each.incidents, 0);
  const from = dateToken(startedAt.toISOString());
  return endedAt === null
    ? `🌩 Storm: ${plural(incidents, 'incident')} since ${from}`
    : `Storm over: ${plural(incidents, 'incident')} from ${from} to ${dateToken(endedAt.toISOString())}`;
}

function stateOf({ services, endedAt }: StormSummary): string {
  const open = services.reduce((total, each) => total + each.open, 0);
  const waiting = services.reduce((total, each) => total + each.unacknowledged, 0);
  const counts = `${open.toLocaleString('en')} ${endedAt === null ? 'still open' : 'open when it ended'}`;
  const state = open === 0 ? 'All closed' : `${counts}, ${acknowledgedWords(open, waiting)}`;
  return `${state} · ${plural(services.length, 'root service')} · ${signalsOf(services)}`;
}

function whatHappens({ calmAt, endedAt }: StormSummary): string {
  if (endedAt !== null) {
    return 'Incidents that were still open have their own cards now.';
  }
  return calmAt === null
    ? 'New incidents are added here and get no card of their own until the storm calms down.'
    : `Calm since ${dateToken(calmAt.toISOString())}: new incidents get their own cards again; these stay here until only a few are open.`;
}

/** The answer to somebody who acknowledged all incidents of a service. */
export function stormReceipt(
  service: string,
  ends: Readonly<Record<'done' | 'already' | 'kept' | 'refused', readonly Incident['id'][]>>,
  names: ReadonlyMap<string, Incident>,
): string {
  const listed = (ids: readonly string[]) => {
    const named = ids.slice(0, 15).map((id) => reference(names.get(id) ?? { id }));
    const shown = fitting(named, RECEIPT_LIST_LENGTH, ', ');
    return ids.length > shown.length ? `${shown.join(', ')} and ${ids.length - shown.length} more` : shown.join(', ');
  };
  const all = ends.done.length + ends.already.length + ends.kept.length + ends.refused.length;
  const lines = [
    `👍 You acknowledged ${ends.done.length} of ${plural(all, 'incident')} of ${rootService({ root_service: service })}.`,
    ends.already.length === 0 ? '' : `Already acknowledged or closed: ${listed(ends.already)}.`,
    ends.kept.length === 0
      ? ''
      : `Saved, to be sent as soon as the incident service accepts them: ${listed(ends.kept)}.`,
    ends.refused.length === 0 ? '' : `Refused by the incident service: ${listed(ends.refused)}.`,
  ];
  return lines.filter((line) => line !== '').join('\n');
}
