import type { KnownBlock } from '@slack/types';
import { COMMANDS } from '../../blocks/ids.ts';
import { LIMITS } from '../../blocks/limits.ts';
import { fitting } from '../../blocks/message.ts';
import { code, inline, mrkdwn } from '../../blocks/mrkdwn.ts';
import { messageOf } from '../../blocks/text-of.ts';
import { type Command, findCommand, type Words } from '../../listeners/commands.ts';
import type { SlackMessage } from '../../slack/slack-message.ts';

const c = COMMANDS.incidents;
const FOOTER = 'Refer to an incident by its number, such as `#142`, by its id, or by its root service.';
/** No command adds a note: a message does, with who wrote it and when. */
const NOTE = /^(?:add-?)?(?:notes?|comment)$/i;
const HOW_TO_NOTE =
  'To add a note, write it as a message, for example in the thread of the card, and choose “Add to incident as note” in the menu of that message.';
const TYPED_LENGTH = 60;
const USAGE_LENGTH = 200;

/** @param typed the command that the help is about; null: all */
export function helpMessage(words: Words, typed: string | null = null): SlackMessage {
  if (typed === null) {
    return lines([
      '*Answer incidents from Slack*',
      ...Object.entries(words).map((named) => helpLine(...named)),
      FOOTER,
    ]);
  }
  const word = findCommand(typed.trim(), words);
  const command = word === null ? undefined : words[word];
  return word === null || command === undefined
    ? unknownWordMessage({ typed: typed.trim(), suggestion: null }, words)
    : lines(details(word, command));
}

/** @param suggestion the closest known word; null: none is close */
export function unknownWordMessage(
  { typed, suggestion }: { readonly typed: string; readonly suggestion: string | null },
  { open }: Words,
): SlackMessage {
  const heading = `Unknown command “${inline(typed, TYPED_LENGTH)}”.`;
  if (NOTE.test(typed)) {
    return lines([heading, HOW_TO_NOTE, `\`${c} help\` shows all commands.`]);
  }
  return suggestion === null
    ? lines([heading, open === undefined ? '' : `${helpLine('open', open)}.`, `\`${c} help\` shows all commands.`])
    : lines([`${heading} Did you mean \`${c} ${suggestion}\`?`, `\`${c} help\` shows all commands.`]);
}

/** @param typed quoted back, so that nothing is lost */
export function wrongArgumentsMessage(
  {
    word,
    fault,
    typed,
    meant = null,
  }: {
    readonly word: string;
    readonly fault: string;
    readonly typed: string;
    /** The service that was probably meant; null: none. */
    readonly meant?: string | null;
  },
  { [word]: taken }: Words,
): SlackMessage {
  const guess =
    meant === null ? '' : ` Did you mean ${code(`service:${/\s/.test(meant) ? `"${meant}"` : meant}`, 100)}?`;
  const nothing = `${code(`${c} ${word} ${typed}`, USAGE_LENGTH)} was not run: ${inline(fault, 500)}${guess}`;
  return lines([nothing, ...(taken === undefined ? [] : details(word, taken))]);
}

function helpLine(word: string, { example, help }: Command): string {
  return `${command(word, example)} ${help}`;
}

function details(word: string, { usage, help, example, aliases }: Command): string[] {
  return [
    `${command(word, usage)} ${help}`,
    example === '' ? '' : `Example: ${command(word, example)}`,
    aliases.length === 0 ? '' : `Also: ${aliases.map((alias) => command(alias, '')).join(', ')}`,
  ];
}

function command(word: string, rest: string): string {
  return code(`${c} ${word} ${rest}`.trim(), USAGE_LENGTH);
}

/** As many sections as the limit of one demands. */
function lines(texts: readonly string[]): SlackMessage {
  const blocks: KnownBlock[] = [];
  for (let rest = texts.filter((text) => text !== ''); rest.length > 0; ) {
    const some = fitting(rest, LIMITS.sectionText);
    blocks.push({ type: 'section', text: mrkdwn(some.join('\n')) });
    rest = rest.slice(some.length);
  }
  return messageOf(blocks);
}
