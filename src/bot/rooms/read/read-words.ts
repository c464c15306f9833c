import type { KnownBlock } from '@slack/types';
import { plural } from '../../../incident/phrase.ts';
import { COMMANDS } from '../../blocks/ids.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { fitting } from '../../blocks/message.ts';
import { dateToken, inline, link, mrkdwn, plainText } from '../../blocks/mrkdwn.ts';
import { messageOf } from '../../blocks/text-of.ts';
import type { SlackMessage } from '../../slack/slack-message.ts';
import { READ_BUTTONS } from './ids.ts';
import type { Reading } from './readings.ts';

/** An app that posted in a channel. */
export interface SeenTool {
  readonly botId: string;
  readonly botName: string;
  /** Messages among those that were looked at. */
  readonly count: number;
  /** The title of its newest message; empty: it said nothing in words. */
  readonly last: string;
}

/** A row has one block; a message has 50. */
const MOST_TOOLS = 15;
const NAME_LENGTH = 60;
const ROOM_FOR_HEADING = 200;
/** Characters of a button and its confirmation. */
const ROOM_FOR_BUTTON = 200;

/** Which apps of a channel are read, and which others posted there, with buttons. @param publicUrl null: there is no dashboard */
export function readMessage(
  { readings, tools, lookedAt }: { readings: readonly Reading[]; tools: readonly SeenTool[]; lookedAt: number },
  publicUrl: string | null,
): SlackMessage {
  const rows = [...readings.map((each) => readingRow(each, publicUrl)), ...tools.map(toolRow)];
  const first = rows.slice(0, MOST_TOOLS);
  const room = LIMITS.blockTextPerMessage - ROOM_FOR_HEADING - first.length * ROOM_FOR_BUTTON;
  const shown = first.slice(
    0,
    fitting(
      first.map(({ text }) => text),
      room,
    ).length,
  );
  const cut = shown.length === rows.length ? '' : ` The first ${shown.length} are below.`;
  const heading =
    shown.length === 0
      ? `No other app posted among the last ${plural(lookedAt, 'message')} here. Let the tool post a test, and ask again.`
      : `*Messages of other apps here*\nThose that are read become failures at the incident service, and their ends end them.${cut}`;
  return messageOf([{ type: 'section', text: mrkdwn(heading) }, ...shown.map(({ block }) => block)]);
}

interface Row {
  readonly text: string;
  readonly block: KnownBlock;
}

function readingRow(reading: Reading, publicUrl: string | null): Row {
  const { id, botName, createdBy, createdAt } = reading;
  const name = inline(botName, NAME_LENGTH);
  const text = `✅ *${name}* is read, since ${dateToken(createdAt.toISOString())} by <@${createdBy}>.${pageOf(reading, publicUrl)}`;
  const block: KnownBlock = {
    type: 'section',
    text: mrkdwn(text),
    accessory: {
      type: 'button',
      text: plainText('Stop', LIMITS.buttonText),
      action_id: READ_BUTTONS.stop,
      value: id,
      style: 'danger',
      accessibility_label: plainText(`Stop reading ${botName}`, LIMITS.accessibilityLabel).text,
      confirm: {
        title: plainText('Stop reading?', 100),
        text: plainText('Its messages open and end nothing any more. What is open stays open.', 300),
        confirm: plainText('Stop', 30),
        deny: plainText('Go on', 30),
        style: 'danger',
      },
    },
  };
  return { text, block };
}

function toolRow({ botId, botName, count, last }: SeenTool): Row {
  const said = last === '' ? '' : ` The last: “${inline(last, 120)}”`;
  const text = `*${inline(botName, NAME_LENGTH)}* is not read. ${plural(count, 'message')} lately.${said}`;
  const block: KnownBlock = {
    type: 'section',
    text: mrkdwn(text),
    accessory: {
      type: 'button',
      text: plainText('Read', LIMITS.buttonText),
      action_id: READ_BUTTONS.start,
      value: toolValue({ botId, botName }),
      accessibility_label: plainText(`Read the messages of ${botName}`, LIMITS.accessibilityLabel).text,
    },
  };
  return { text, block };
}

type Tool = Pick<SeenTool, 'botId' | 'botName'>;

function toolValue({ botId, botName }: Tool): string {
  return `${botId} ${botName.slice(0, NAME_LENGTH)}`;
}

/** null: it is another value. */
export function parseToolValue(value: string): Tool | null {
  const [, botId, botName] = /^(B[A-Z0-9]+) (.+)$/s.exec(value) ?? [];
  return botId === undefined || botName === undefined ? null : { botId, botName };
}

function pageOf({ integrationId }: Pick<Reading, 'integrationId'>, publicUrl: string | null): string {
  return integrationId === null || publicUrl === null
    ? ''
    : ` ${link(`${publicUrl}/dashboard/settings/integrations/${encodeURIComponent(integrationId)}`, 'How it is read')}`;
}

export function startedWords({ botName, channelId }: Pick<Reading, 'botName' | 'channelId'>): string {
  return `From now on, each message of *${inline(botName, NAME_LENGTH)}* in <#${channelId}> is a failure. A message or an edit that says it is over ends it. The dashboard shows how they are read: Settings, Integrations.`;
}

export function stoppedWords({ botName, channelId }: Pick<Reading, 'botName' | 'channelId'>): string {
  return `What *${inline(botName, NAME_LENGTH)}* posts in <#${channelId}> is not read any more. Incidents that are open stay open.`;
}

/** @param why a clause */
export function readingStopped(reading: Reading, why: string): string {
  return `${stoppedWords(reading)} The reason: ${why}. \`${COMMANDS.incidents} read\` in the channel begins again.`;
}

export const ONLY_IN_CHANNELS = `\`${COMMANDS.incidents} read\` works in the channel where the tool posts.`;

export const TAKES_NO_EVENTS =
  'This incident service takes no signals from Slack, so messages of other apps cannot become failures here. Point those tools to the service itself.';
