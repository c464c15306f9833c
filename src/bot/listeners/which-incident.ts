import type { KnownBlock } from '@slack/types';
import { plural } from '../../incident/phrase.ts';
import { answer } from '../blocks/answer.ts';
import { ACTIONS, COMMANDS } from '../blocks/ids.ts';
import { code, inline, mrkdwn } from '../blocks/mrkdwn.ts';
import { messageOf } from '../blocks/text-of.ts';
import { button } from '../incident/incident-buttons.ts';
import { plainHeadline, reference, rowLines } from '../incident/incident-words.ts';
import type { Snapshot } from '../incident/snapshot.ts';
import type { SlackMessage } from '../slack/slack-message.ts';

const MOST_CHOICES = 10;

const CHOICES = {
  ack: { label: 'Acknowledge', actionId: ACTIONS.acknowledge },
  resolve: { label: 'Resolve', actionId: ACTIONS.resolve },
  show: { label: 'Show', actionId: ACTIONS.show },
  snooze: { label: 'Snooze', actionId: ACTIONS.snooze },
  change: { label: 'Change', actionId: ACTIONS.steer },
  merge: { label: 'Merge', actionId: ACTIONS.merge },
  signals: { label: 'Signals', actionId: ACTIONS.signals },
  room: { label: 'Make a room', actionId: ACTIONS.room },
  export: { label: 'Export', actionId: ACTIONS.export },
} as const;
export type Choice = keyof typeof CHOICES;

const CHANGES_NOTHING: ReadonlySet<Choice> = new Set(['show', 'signals', 'export']);

/** Asks which incident somebody means, with a button for each. */
export function whichIncident(
  word: Choice,
  { service, incidents }: { readonly service: string | null; readonly incidents: readonly Snapshot[] },
): SlackMessage {
  const { label, actionId } = CHOICES[word];
  const shown = incidents.slice(0, MOST_CHOICES);
  const count = plural(incidents.length, 'open incident');
  const which = service === null ? `There are ${count}` : `${code(service, 80)} is the root service of ${count}`;
  const unchanged = CHANGES_NOTHING.has(word) ? '' : ', so nothing was changed';
  const rest = incidents.length - shown.length;
  const more = rest > 0 ? `${plural(rest, 'more incident')}: \`${COMMANDS.incidents} open\` lists all.` : '';
  const question = `${which}${unchanged}. Which one?`;
  const blocks: KnownBlock[] = [
    { type: 'section', text: mrkdwn(question) },
    ...shown.map(
      (incident): KnownBlock => ({
        type: 'section',
        text: mrkdwn(rowLines(incident)),
        accessory: button(label, actionId, incident),
      }),
    ),
    ...(more === '' ? [] : [{ type: 'section', text: mrkdwn(more) } satisfies KnownBlock]),
  ];
  return messageOf(blocks);
}

/** The answer to a command without a reference when no incident is open. */
export function nothingOpen(word: Choice): SlackMessage {
  return answer(
    word === 'ack' ? 'There is nothing to acknowledge: no open incident waits for somebody.' : 'No incident is open.',
  );
}

const MOST_OFFERED = 5;

/** There is no such incident; these are open, with the command for each. */
export function unknownButOpen(word: string, typed: string, open: readonly Snapshot[]): SlackMessage {
  const offered = open
    .slice(0, MOST_OFFERED)
    .map(
      (incident) => `• ${code(`${COMMANDS.incidents} ${word} ${reference(incident)}`, 300)} ${plainHeadline(incident)}`,
    );
  const rest = open.length - offered.length;
  const more = rest > 0 ? `and ${rest.toLocaleString('en')} more: \`${COMMANDS.incidents} open\`` : '';
  const lines = [`No incident ${inline(typed, 100)} is known. Open now:`, ...offered, more].filter(
    (line) => line !== '',
  );
  return answer(lines.join('\n'));
}
