import type { Button, KnownBlock } from '@slack/types';
import { plural } from '../../../incident/phrase.ts';
import { ACTIONS, COMMANDS } from '../../blocks/ids.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { fitting } from '../../blocks/message.ts';
import { code, dateToken, mrkdwn, plainText } from '../../blocks/mrkdwn.ts';
import { messageOf } from '../../blocks/text-of.ts';
import { staleWords } from '../../incident/further-words.ts';
import { button } from '../../incident/incident-buttons.ts';
import { rowLines } from '../../incident/incident-words.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import type { Standing } from '../../slack/person.ts';
import type { SlackMessage } from '../../slack/slack-message.ts';
import type { Rule } from '../rules/rule.ts';

/** Incidents of each group that are shown. */
export const SHOWN_IN_HOME = 10;

const SHOWN_RULES = 10;
/** And for how many more rules there are. */
const ROOM_FOR_HEADING = 50;
const NAMED_SERVICES = 3;

interface Listed {
  readonly incidents: readonly Snapshot[];
  readonly total: number;
}

export interface HomeContent {
  readonly mine: Listed;
  readonly untaken: Listed;
  readonly muted: Listed;
  readonly openTotal: number;
  /** Who is on call; empty: the service does not say. */
  readonly onCall: readonly KnownBlock[];
  /** The rules of this person. */
  readonly rules: readonly Rule[];
  /** When the service last responded, if that is too long ago; null: the state is fresh. */
  readonly staleSince: Date | null;
  readonly asOf: Date;
}

/** The Home tab of a member. */
export function homeTab(content: HomeContent): SlackMessage {
  const { mine, untaken, muted, staleSince, asOf } = content;
  const summary = summaryWords(content);
  const health = staleWords(staleSince) || '✅ The incident service responds.';
  const age = `As of ${dateToken(asOf.toISOString())}. This tab is refreshed for ten minutes after you open it.`;
  return messageOf([
    { type: 'section', text: mrkdwn(`*${summary}*\n${health} ${age}`) },
    ...content.onCall,
    ...group('Yours', mine, (incident) => button('Resolve', ACTIONS.resolve, incident)),
    ...group('Nobody has taken', untaken, (incident) => button('Acknowledge', ACTIONS.acknowledge, incident)),
    ...group('Muted', muted, (incident) => button('Signals', ACTIONS.signals, incident)),
    { type: 'divider' },
    { type: 'section', text: mrkdwn(rulesWords(content.rules)) },
    { type: 'section', text: mrkdwn(BEGIN) },
  ]);
}

/** The Home tab of people who may not see incidents. @param standing null: they could not be looked up yet */
export function homeForOthers(standing: Standing | null): SlackMessage {
  const text =
    standing === null
      ? 'Your profile could not be read yet. Please open this tab again in a minute.'
      : 'Incidents are shown to members of this workspace only. Please ask one of them.';
  return messageOf([{ type: 'section', text: mrkdwn(text) }]);
}

const BEGIN = [
  '*How to begin*',
  `• \`${COMMANDS.incidents} open\` lists the open incidents, \`${COMMANDS.incidents} help\` all commands`,
  '• The shortcut “Add to incident as note” is in the menu of every message',
  '• “Signals” on a card shows what failed, where and since when',
].join('\n');

function summaryWords({ openTotal, mine, untaken }: HomeContent): string {
  return openTotal === 0
    ? 'No open incidents'
    : `${plural(openTotal, 'open incident')}: ${mine.total} yours, ${untaken.total} that nobody has taken`;
}

function group(heading: string, { incidents, total }: Listed, action: (incident: Snapshot) => Button): KnownBlock[] {
  const rest = total - incidents.length;
  const more: KnownBlock[] = [
    {
      type: 'context',
      elements: [mrkdwn(`and ${rest.toLocaleString('en')} more: \`${COMMANDS.incidents} open\` lists them`)],
    },
  ];
  return incidents.length === 0
    ? []
    : [
        { type: 'header', text: plainText(`${heading} (${total.toLocaleString('en')})`, LIMITS.headerText) },
        ...incidents.map(
          (incident): KnownBlock => ({
            type: 'section',
            text: mrkdwn(rowLines(steady(incident))),
            accessory: action(incident),
          }),
        ),
        ...(rest > 0 ? more : []),
      ];
}

/** Without what changes too often to be shown here. */
function steady(incident: Snapshot): Snapshot {
  return { ...incident, last_seen_at: undefined, impact: undefined, failures_per_minute: undefined };
}

function rulesWords(rules: readonly Rule[]): string {
  if (rules.length === 0) {
    return `*Your rules*\nNone. \`${COMMANDS.incidents} subscribe\` sends incidents to a channel or to you.`;
  }
  const heading = '*Your rules*';
  const shown = fitting(rules.slice(0, SHOWN_RULES).map(ruleLine), LIMITS.sectionText - ROOM_FOR_HEADING);
  const rest = rules.length - shown.length;
  return [heading, ...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join('\n');
}

function ruleLine({ channelId, filter: { services, severities, integrations, labels } }: Rule): string {
  const named = services.slice(0, NAMED_SERVICES).map((name) => code(name, 80));
  const others = services.length - named.length;
  const parts = [
    services.length === 0 ? 'all services' : `${named.join(', ')}${others > 0 ? ` and ${others} more` : ''}`,
    severities.length === 0 ? 'any severity' : severities.join(', '),
    labels
      .slice(0, NAMED_SERVICES)
      .map((label) => code(label, 80))
      .join(', '),
    integrations.length === 0 ? '' : plural(integrations.length, 'integration'),
  ];
  return `• <#${channelId}>: ${parts.filter((part) => part !== '').join(' · ')}`;
}
