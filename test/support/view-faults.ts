import type { AnyBlock, KnownBlock } from '@slack/types';
import { LIMITS } from '../../src/bot/blocks/limits.ts';
import type { SlackMessage } from '../../src/bot/slack/slack-message.ts';

/** Slack cuts a longer text. */
const LONGEST_TEXT = 40_000;

interface TextObject {
  readonly type: 'mrkdwn' | 'plain_text';
  readonly text: string;
  readonly verbatim?: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** What Slack would refuse or misread in a message, and what a person could not read. Sizes that Slack checks are elsewhere. */
export function messageFaults(message: SlackMessage): string[] {
  const { text, blocks } = withoutQuotes(message);
  const total = textObjects(blocks).reduce((sum, each) => sum + each.text.length, 0);
  return [
    ...(text.length === 0 || text.length > LONGEST_TEXT ? [`text of ${text.length}`] : []),
    ...(blocks.length > LIMITS.blocksPerMessage ? [`${blocks.length} blocks`] : []),
    ...(total > LIMITS.blockTextPerMessage ? [`${total} characters in blocks`] : []),
    ...controlSequences(text).map((sequence) => `${sequence} in the text`),
    ...blocks.flatMap(blockFaults),
    ...alikeButtons(blocks),
  ];
}

/** The same for the blocks of a modal or Home tab, which have no text. */
export function viewFaults({ blocks }: { readonly blocks: readonly AnyBlock[] }): string[] {
  const quoted = withoutQuotes({ text: '', blocks: blocks as KnownBlock[] }).blocks;
  return [...quoted.flatMap(blockFaults), ...alikeButtons(quoted)];
}

/** The `action_id`s that Slack sends at once. The fields of a form are sent with the form. */
export function actionIds(blocks: readonly AnyBlock[]): string[] {
  const acting = blocks.filter((block) => block.type !== 'input' || 'dispatch_action' in block);
  return everyField(acting, 'action_id').map(String);
}

/** The `action_id`s of selects whose options the bot sends. */
export function externalSelectIds(blocks: readonly AnyBlock[]): string[] {
  return (blocks as KnownBlock[])
    .flatMap(controlsOf)
    .filter(({ type }) => /^(multi_)?external_select$/.test(String(type)))
    .map((each) => String(each.action_id));
}

function blockFaults(block: KnownBlock): string[] {
  const longest = block.type === 'context' ? LIMITS.contextText : LIMITS.sectionText;
  const texts = textObjects([block]);
  return [
    ...texts
      .filter(({ text }) => text.length === 0 || text.length > longest)
      .map(({ text }) => `text of ${text.length}`),
    ...texts
      .filter(({ type }) => type === 'mrkdwn')
      .flatMap(({ text, verbatim }) => [
        ...controlSequences(text).map((sequence) => `${sequence} in a block`),
        ...(verbatim === true ? [] : ['names would become mentions']),
      ]),
    ...controlsOf(block).flatMap(controlFaults),
    ...(everyField(block, 'action_id').length > 0 && block.block_id === undefined
      ? ['a control in a block whose id changes each time']
      : []),
  ];
}

/** A link must lead to a web page, and a picture must be described. */
function controlFaults({ type, accessibility_label: label, url, alt_text: alt }: Fields): string[] {
  return [
    ...(typeof label === 'string' && label.trim() === '' ? ['an empty accessibility_label'] : []),
    ...(url === undefined || (typeof url === 'string' && /^https?:\/\//.test(url)) ? [] : ['a link that is not http']),
    ...(type === 'image' && !(typeof alt === 'string' && alt.trim() !== '') ? ['an image without alt_text'] : []),
  ];
}

/** Buttons with the same text need a label that says what each is about. */
function alikeButtons(blocks: readonly KnownBlock[]): string[] {
  const buttons = blocks.flatMap(controlsOf).filter(({ type }) => type === 'button');
  const spoken = buttons.filter((each) => each.accessibility_label === undefined).map(({ text }) => Object(text).text);
  return spoken.filter((each, index) => spoken.indexOf(each) !== index).map((each) => `two buttons called ${each}`);
}

function controlsOf(block: KnownBlock): Fields[] {
  const { accessory, element, elements } = block as unknown as Record<string, unknown>;
  const inside = [accessory, element, ...(Array.isArray(elements) ? elements : []), block];
  return inside.filter((each): each is Fields => typeof each === 'object' && each !== null);
}

export function textObjects(blocks: readonly unknown[]): TextObject[] {
  const found: TextObject[] = [];
  JSON.stringify(blocks, (_key, value: unknown) => {
    if (typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string') {
      found.push(value as TextObject);
    }
    return value;
  });
  return found;
}

/** What Slack would act upon: everything in angle brackets but our own dates, links and mentions, and bare ampersands. */
function controlSequences(mrkdwn: string): string[] {
  const rest = mrkdwn
    .replace(/<!date\^\d+\^(?:\{\w+\}(?:, | )?)+\|[\d: -]+ UTC>/g, '')
    .replace(/<https?:\/\/[^<>|\s]+\|[^<>]*>/g, '')
    .replace(/<(?:@[UW]|!subteam\^S|#C)[A-Z0-9]+>/g, '')
    .replace(/&(?:amp|lt|gt);/g, '');
  return rest.match(/[<>&]/g) ?? [];
}

function everyField(value: unknown, name: string): unknown[] {
  const found: unknown[] = [];
  JSON.stringify(value, (key, inner: unknown) => {
    if (key === name) {
      found.push(inner);
    }
    return inner;
  });
  return found;
}

/** A quotation's own `> ` at the start of a line is markup of ours. */
function withoutQuotes(message: SlackMessage): SlackMessage {
  const blocks = JSON.parse(JSON.stringify(message.blocks), (key, value: unknown) =>
    key === 'text' && typeof value === 'string' ? value.replace(/^> /gm, '  ') : value,
  ) as KnownBlock[];
  return { text: message.text.replace(/^> /gm, '  '), blocks };
}
