import { COMMANDS } from '../domain/ids.ts';
import type { SlackMessage } from '../domain/slack-message.ts';
import { inline, mrkdwn } from './mrkdwn.ts';

const c = COMMANDS.incidents;
const LINES = [
  `\`${c} open\` lists the open incidents, newest first`,
  `\`${c} show #142\` shows one incident with its signals`,
  `\`${c} ack #142\` acknowledges it: you are working on it`,
  `\`${c} resolve #142 rolled back 1.2.3\` closes it with a note; without a note, a form opens`,
  `\`${c} health\` shows how late the cards are and why`,
  `\`${c} help\` shows this help`,
];
const FOOTER = 'Refer to an incident by its number, such as `#142`, or by its id.';

export function helpMessage(): SlackMessage {
  return message('*Answer incidents from Slack*');
}

/** @param suggestion the closest known word; null: none is close */
export function unknownWordMessage(word: string, suggestion: string | null): SlackMessage {
  const guess = suggestion === null ? '' : ` Did you mean \`${c} ${suggestion}\`?`;
  return message(`Unknown command “${inline(word, 60)}”.${guess}`);
}

function message(heading: string): SlackMessage {
  const text = [heading, ...LINES, FOOTER].join('\n');
  return { text, blocks: [{ type: 'section', text: mrkdwn(text) }] };
}
