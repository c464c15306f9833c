import type { Button, KnownBlock } from '@slack/types';
import type { Incident } from '../../../contract/resources.ts';
import { plural } from '../../../incident/phrase.ts';
import { answer } from '../../blocks/answer.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { fitting } from '../../blocks/message.ts';
import { bold, cut, dateToken, inline, link, mrkdwn, plainText } from '../../blocks/mrkdwn.ts';
import { messageOf } from '../../blocks/text-of.ts';
import { staleWords } from '../../incident/further-words.ts';
import { reference, rootService, said, severityWords, whatFails } from '../../incident/incident-words.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import type { StormId } from '../../slack/identifiers.ts';
import type { SlackMessage } from '../../slack/slack-message.ts';
import { STORM_BUTTONS } from './ids.ts';
import type { StormGroup, StormKey, StormSummary } from './storm.ts';

/** With more, the message would not fit a telephone. Further groups are counted together; the list shows every incident. */
const NAMED_GROUPS = 6;
const TITLE_LENGTH = 150;
/** A longer name would leave no room beside its button. */
const NAME_LENGTH = 40;
const LABEL_LENGTH = 50;
/** Three such lists and the text around them fit into one section. */
const RECEIPT_LIST_LENGTH = 700;

/** One message for many incidents: what they share, which they are, and how many are not acknowledged. */
export function stormCard(storm: StormSummary, staleSince: Date | null = null): SlackMessage {
  const named = storm.groups.slice(0, NAMED_GROUPS);
  const rest = restLine(storm.groups.slice(NAMED_GROUPS));
  const what = storm.endedAt === null ? staleWords(staleSince) : '';
  const blocks: KnownBlock[] = [
    { type: 'section', text: mrkdwn(`*${headingOf(storm)}*\n${stateOf(storm)}`) },
    ...named.map((group) => groupBlock(storm, group)),
    { type: 'context', elements: [mrkdwn(said([rest, what, whatHappens(storm)], '\n'))] },
    { type: 'actions', elements: [...acknowledgeAll(storm), listButton(storm.id)] },
  ];
  return messageOf(blocks, { max: LIMITS.editedText });
}

export function listButton(stormId: StormId): Button {
  return {
    type: 'button',
    text: plainText('Show list', LIMITS.buttonText),
    action_id: STORM_BUTTONS.stormList,
    value: stormValue(stormId, '0'),
    accessibility_label: cut('Show list of incidents', LIMITS.accessibilityLabel),
  };
}

/** A button's value: the id of the storm, and a group, an offset or a click. */
export function stormValue(stormId: StormId, rest: string): string {
  return `${stormId}:${rest}`;
}

export function parseStormValue(value: string): { stormId: StormId; rest: string } | null {
  const [, stormId, rest] = /^([0-9a-f-]{36}):([\s\S]+)$/.exec(value) ?? [];
  return stormId === undefined || rest === undefined ? null : { stormId, rest };
}

const EVERY = 'every';

/** @param key null: all incidents */
function keyWord(key: StormKey | null): string {
  return key === null ? EVERY : `${key.by}:${key.value}`;
}

/** @returns null: all incidents of the storm. Messages of before there were groups name a service alone. */
export function parseKey(word: string): StormKey | null {
  const [, by, value = ''] = /^(failure|service):([\s\S]+)$/.exec(word) ?? [];
  if (by === 'failure' || by === 'service') {
    return { by, value };
  }
  return word === EVERY ? null : { by: 'service', value: word };
}

/** "of `checkout`" */
export function ofKey(key: StormKey | null): string {
  if (key === null) {
    return 'of this storm';
  }
  return key.by === 'service' ? `of ${rootService({ root_service: key.value })}` : 'with the same failure';
}

function groupBlock(storm: StormSummary, group: StormGroup): KnownBlock {
  const text = mrkdwn(groupLines(group));
  const { key, unacknowledged } = group;
  const value = stormValue(storm.id, keyWord(key));
  if (storm.endedAt !== null || unacknowledged === 0 || value.length > LIMITS.buttonValue) {
    return { type: 'section', text };
  }
  const label = key.by === 'service' ? `Acknowledge all of ${key.value}` : 'Acknowledge all of this failure';
  return {
    type: 'section',
    text,
    accessory: acknowledgeButton(value, unacknowledged, unacknowledged === 1 ? 'Acknowledge' : label, ofKey(key)),
  };
}

/** A button for all, where it says more than those of the groups. */
function acknowledgeAll({ id, groups, endedAt }: StormSummary): Button[] {
  const waiting = groups.reduce((total, each) => total + each.unacknowledged, 0);
  return endedAt !== null || waiting === 0 || groups.length === 1
    ? []
    : [acknowledgeButton(stormValue(id, keyWord(null)), waiting, 'Acknowledge all', ofKey(null))];
}

/** The button asks for confirmation if it acknowledges more than one incident. */
function acknowledgeButton(value: string, count: number, label: string, which: string): Button {
  const spoken = cut(`${label}${count === 1 ? ` the incident ${which}` : ''}`, LIMITS.accessibilityLabel);
  const common = {
    type: 'button',
    action_id: STORM_BUTTONS.stormAcknowledge,
    value,
    accessibility_label: spoken,
  } as const;
  if (count === 1) {
    return { ...common, text: plainText(label, LIMITS.buttonText) };
  }
  const tail = ` (${count.toLocaleString('en')})`;
  return {
    ...common,
    text: plainText(`${cut(label, LABEL_LENGTH - tail.length)}${tail}`, LIMITS.buttonText),
    confirm: {
      title: plainText('Acknowledge all?', 100),
      text: plainText(
        `This acknowledges ${count.toLocaleString('en')} open incidents ${cut(which, 150)} in your name. You can take it back for ten minutes.`,
        300,
      ),
      confirm: plainText('Acknowledge all', 30),
      deny: plainText('Cancel', 30),
    },
  };
}

/**
 * "*Disk full* on 60 services", then "60 incidents: #1 disk-0, #2 disk-1 and 58 more" and who has them. One incident alone is
 * shown as in a list.
 */
function groupLines({ key, incidents, open, unacknowledged, services, named }: StormGroup): string {
  const [first, ...others] = named;
  const state = groupState({ incidents, open, unacknowledged });
  if (first === undefined || incidents === 1) {
    return said([first === undefined ? '' : whatFails(first), state], '\n');
  }
  const isOfOne = services === 1;
  const title = first.title ?? '';
  const what = isOfOne ? title : title.replaceAll(first.root_service, '').replace(/^[:\s]+/, '');
  const severity = severityWords(first);
  const heading = said([severity === '' ? '' : bold(severity), what === '' ? '' : bold(inline(what, TITLE_LENGTH))]);
  const where = isOfOne ? '' : ` on ${plural(services, 'service')}`;
  const names = [first, ...others].map((each) => memberWords(each, isOfOne));
  const rest = incidents - names.length;
  const more = rest > 0 ? ` and ${rest.toLocaleString('en')} more` : '';
  const isNamed = title.includes(key.value) || key.by === 'failure';
  const members = `${isNamed ? '' : `${rootService(first)} `}${plural(incidents, 'incident')}: ${names.join(', ')}${more}`;
  return said([`${heading}${where}`.trim(), said([members, state])], '\n');
}

/** "#12 disk-3", linked to its page. */
function memberWords(incident: Snapshot, isServiceKnown: boolean): string {
  const name = isServiceKnown ? '' : ` ${inline(incident.root_service, NAME_LENGTH)}`;
  return link(incident.url, `${reference(incident)}${name}`);
}

function groupState({ incidents, open, unacknowledged }: Pick<StormGroup, 'incidents' | 'open' | 'unacknowledged'>) {
  if (open === 0) {
    return incidents === 1 ? '✅ closed' : '✅ all closed';
  }
  const sign = unacknowledged === 0 ? '🟡' : '🔴';
  if (incidents === 1) {
    return `${sign} ${unacknowledged === 0 ? 'acknowledged' : 'not acknowledged'}`;
  }
  const openWords = open === incidents ? '' : `${open.toLocaleString('en')} open, `;
  return `${sign} ${openWords}${acknowledgedWords(open, unacknowledged)}`;
}

export function acknowledgedWords(open: number, unacknowledged: number): string {
  if (unacknowledged === 0) {
    return 'all acknowledged';
  }
  return unacknowledged === open ? 'none acknowledged' : `${unacknowledged.toLocaleString('en')} not acknowledged`;
}

function restLine(rest: readonly StormGroup[]): string {
  if (rest.length === 0) {
    return '';
  }
  const incidents = sumOf(rest, 'incidents');
  const waiting = sumOf(rest, 'unacknowledged');
  return `and ${plural(incidents, 'more incident')}, ${waiting.toLocaleString('en')} not acknowledged: see the list`;
}

function sumOf(groups: readonly StormGroup[], what: 'incidents' | 'open' | 'unacknowledged'): number {
  return groups.reduce((total, group) => total + group[what], 0);
}

function headingOf({ groups, startedAt, endedAt }: StormSummary): string {
  const incidents = sumOf(groups, 'incidents');
  const from = dateToken(startedAt.toISOString());
  return endedAt === null
    ? `🌩 Storm: ${plural(incidents, 'incident')} since ${from}`
    : `Storm over: ${plural(incidents, 'incident')} from ${from} to ${dateToken(endedAt.toISOString())}`;
}

function stateOf({ groups, endedAt }: StormSummary): string {
  const open = sumOf(groups, 'open');
  const counts = `${open.toLocaleString('en')} ${endedAt === null ? 'still open' : 'open when it ended'}`;
  return open === 0 ? 'All closed' : `${counts}, ${acknowledgedWords(open, sumOf(groups, 'unacknowledged'))}`;
}

function whatHappens({ calmAt, endedAt }: StormSummary): string {
  if (endedAt !== null) {
    return 'Incidents that were still open have their own cards now.';
  }
  return calmAt === null
    ? 'New incidents are added here and get no card of their own until the storm calms down.'
    : `Calm since ${dateToken(calmAt.toISOString())}: new incidents get their own cards again; these stay here until only a few are open.`;
}

/** How the acknowledgements of one click, or their Undo, ended. */
export interface TogetherEnds {
  readonly done: readonly Incident['id'][];
  readonly already: readonly Incident['id'][];
  readonly kept: readonly Incident['id'][];
  readonly refused: readonly Incident['id'][];
}

/** The answer to somebody who acknowledged several incidents, or took that back. @param which "of `checkout`" */
export function stormReceipt(
  what: 'acknowledged' | 'took back',
  which: string,
  ends: TogetherEnds,
  names: ReadonlyMap<string, Incident>,
): string {
  const listed = (ids: readonly string[]) => {
    const named = ids.slice(0, 15).map((id) => reference(names.get(id) ?? { id }));
    const shown = fitting(named, RECEIPT_LIST_LENGTH, ', ');
    return ids.length > shown.length ? `${shown.join(', ')} and ${ids.length - shown.length} more` : shown.join(', ');
  };
  const all = ends.done.length + ends.already.length + ends.kept.length + ends.refused.length;
  const done = `${ends.done.length.toLocaleString('en')} of ${plural(all, 'incident')} ${which}`;
  const lines = [
    what === 'acknowledged' ? `👍 You acknowledged ${done}.` : `You took your acknowledgement of ${done} back.`,
    ends.already.length === 0
      ? ''
      : `${what === 'acknowledged' ? 'Already acknowledged or closed' : 'Changed since, or closed'}: ${listed(ends.already)}.`,
    ends.kept.length === 0
      ? ''
      : `Saved, to be sent as soon as the incident service accepts them: ${listed(ends.kept)}.`,
    ends.refused.length === 0 ? '' : `Refused by the incident service: ${listed(ends.refused)}.`,
  ];
  return lines.filter((line) => line !== '').join('\n');
}

/** With an Undo for what was done. @param source of the click that did it */
export function withStormUndo(receipt: string, stormId: StormId, source: string): SlackMessage {
  const button: Button = {
    type: 'button',
    text: plainText('Undo', LIMITS.buttonText),
    action_id: STORM_BUTTONS.stormUndo,
    value: stormValue(stormId, source),
    accessibility_label: 'Undo these acknowledgements',
  };
  return messageOf([...answer(receipt).blocks, { type: 'actions', elements: [button] }]);
}
