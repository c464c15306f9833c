import { LIMITS } from '../limits.ts';
import type { Block } from '../workspace/model.ts';
import { CARD_BLOCKS } from './cards.ts';
import { boolean, byType, type Check, every, isFields, list, object, oneOf, string } from './check.ts';
import { anyText, plainText, slackFile } from './composition.ts';
import {
  ACCESSORY_ELEMENTS,
  ACTION_ELEMENTS,
  CONTEXT_ACTION_ELEMENTS,
  INPUT_ELEMENTS,
  imageElement,
  needsImageSource,
} from './elements.ts';
import { richText } from './rich-text.ts';

const type = string({ max: 40 });
const identified = { block_id: string({ max: LIMITS.blockId }) };

const needsTextOrFields: Check = (value, pointer, report) => {
  if (isFields(value) && value.text === undefined && value.fields === undefined) {
    report({ pointer, message: 'missing required field: text or fields' });
  }
};

const SIMPLE_BLOCKS: Readonly<Record<string, Check>> = {
  section: every(
    object(
      { type },
      {
        ...identified,
        text: anyText(LIMITS.sectionText),
        fields: list(anyText(LIMITS.sectionField), { max: LIMITS.sectionFields }),
        accessory: byType(ACCESSORY_ELEMENTS),
        expand: boolean,
      },
    ),
    needsTextOrFields,
  ),
  header: object({ type, text: plainText(LIMITS.header) }, identified),
  divider: object({ type }, identified),
  context: object(
    {
      type,
      elements: list(
        (value, pointer, report) =>
          isFields(value) && value.type === 'image'
            ? imageElement(value, pointer, report)
            : anyText(LIMITS.text)(value, pointer, report),
        { max: LIMITS.contextElements },
      ),
    },
    identified,
  ),
  actions: object({ type, elements: list(byType(ACTION_ELEMENTS), { max: LIMITS.actionsElements }) }, identified),
  image: every(
    object(
      { type, alt_text: string({ max: LIMITS.imageAltText }) },
      {
        ...identified,
        title: plainText(LIMITS.imageTitle),
        image_url: string({ max: LIMITS.imageUrl }),
        slack_file: slackFile,
      },
    ),
    needsImageSource,
  ),
  input: object(
    { type, label: plainText(LIMITS.label), element: byType(INPUT_ELEMENTS) },
    { ...identified, hint: plainText(LIMITS.hint), optional: boolean, dispatch_action: boolean },
  ),
  rich_text: richText,
  markdown: object({ type, text: string({ max: LIMITS.markdown }) }, identified),
  context_actions: object(
    { type, elements: list(byType(CONTEXT_ACTION_ELEMENTS), { max: LIMITS.contextActionsElements }) },
    identified,
  ),
  ...CARD_BLOCKS,
};

/** The blocks that a container allows. */
const CHILDREN = [
  'actions',
  'context',
  'divider',
  'header',
  'image',
  'input',
  'rich_text',
  'section',
  'table',
  'video',
];

const container = every(
  object(
    {
      type,
      child_blocks: list(
        byType(Object.fromEntries(Object.entries(SIMPLE_BLOCKS).filter(([name]) => CHILDREN.includes(name)))),
        {
          max: LIMITS.containerBlocks,
        },
      ),
    },
    {
      ...identified,
      title: plainText(LIMITS.containerTitle),
      rich_text_title: byType({ rich_text: richText }),
      subtitle: anyText(LIMITS.containerTitle),
      icon: byType({ image: imageElement }),
      width: oneOf('narrow', 'standard', 'wide', 'full'),
      is_collapsible: boolean,
      default_collapsed: boolean,
      has_header_divider: boolean,
    },
  ),
  (value, pointer, report) => {
    if (isFields(value) && value.title === undefined && value.rich_text_title === undefined) {
      report({ pointer, message: 'missing required field: title or rich_text_title' });
    }
  },
);

/** Without `file`, which apps cannot send. */
const BLOCKS: Readonly<Record<string, Check>> = { ...SIMPLE_BLOCKS, container };

/** Blocks that are not allowed in modals and Home tabs. */
const MESSAGE_ONLY = new Set([
  'table',
  'data_table',
  'data_visualization',
  'markdown',
  'context_actions',
  'task_card',
  'plan',
  'carousel',
  'card',
]);

const VIEW_BLOCKS = Object.fromEntries(Object.entries(BLOCKS).filter(([name]) => !MESSAGE_ONLY.has(name)));

export const messageBlocks = every(list(byType(BLOCKS), { min: 0, max: LIMITS.messageBlocks }), uniqueIds);
export const viewBlocks = every(list(byType(VIEW_BLOCKS), { min: 0, max: LIMITS.viewBlocks }), uniqueIds);

function uniqueIds(...[value, pointer, report]: Parameters<Check>): void {
  if (!Array.isArray(value)) {
    return;
  }
  const blocks = value.filter(isFields);
  for (const id of repeated(blocks.map((block) => block.block_id))) {
    report({ pointer, message: `\`block_id\` "${id}" already exists` });
  }
  blocks.forEach((block, index) => {
    for (const id of repeated(elementsOf(block).map((element) => element.action_id))) {
      report({ pointer: `${pointer}/${index}`, message: `\`action_id\` "${id}" already exists` });
    }
  });
}

function repeated(ids: readonly unknown[]): string[] {
  return ids.filter((id) => typeof id === 'string').filter((id, index, all) => all.indexOf(id) !== index);
}

const ELEMENTS_IN: Readonly<Record<string, (block: Readonly<Record<string, unknown>>) => unknown>> = {
  actions: (block) => block.elements,
  context_actions: (block) => block.elements,
  card: (block) => block.actions,
};

/** The interactive elements of a block. */
export function elementsOf(block: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>[] {
  const elements = ELEMENTS_IN[String(block.type)]?.(block);
  return [...(Array.isArray(elements) ? elements : []), block.accessory, block.element].filter(isFields);
}

/** The blocks and their children: the content of containers and the cards of carousels. */
export function withNested(blocks: readonly Block[]): Block[] {
  return blocks.flatMap((block) => {
    const inside = block.type === 'container' ? block.child_blocks : block.type === 'carousel' ? block.elements : [];
    const children = (Array.isArray(inside) ? inside : []) as Block[]; // validated when they were sent
    return [block, ...children.map((child) => ({ ...child, block_id: child.block_id ?? block.block_id }))];
  });
}

/** Total length of all texts in blocks, as counted for `msg_blocks_too_long`. */
export function blockTextLength(blocks: unknown): number {
  if (Array.isArray(blocks)) {
    return blocks.reduce<number>((sum, each) => sum + blockTextLength(each), 0);
  }
  if (!isFields(blocks)) {
    return 0;
  }
  return Object.entries(blocks).reduce(
    (sum, [name, value]) =>
      sum + (name === 'text' && typeof value === 'string' ? value.length : blockTextLength(value)),
    0,
  );
}
