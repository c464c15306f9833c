import { LIMITS } from '../limits.ts';
import { anything, boolean, byType, type Check, every, isFields, list, object, oneOf, string } from './check.ts';
import { anyText, plainText } from './composition.ts';
import { ACCESSORY_ELEMENTS, ACTION_ELEMENTS, INPUT_ELEMENTS, imageElement, needsImageSource } from './elements.ts';

const type = string({ max: 40 });
const identified = { block_id: string({ max: LIMITS.blockId }) };

const needsTextOrFields: Check = (value, pointer, report) => {
  if (isFields(value) && value.text === undefined && value.fields === undefined) {
    report({ pointer, message: 'missing required field: text or fields' });
  }
};

const richTextElements = list(
  byType({
    rich_text_section: object({ type, elements: list(anything, { min: 0, max: 10_000 }) }),
    rich_text_list: object(
      { type, style: oneOf('bullet', 'ordered'), elements: list(anything, { min: 0, max: 10_000 }) },
      { indent: anything, offset: anything, border: anything },
    ),
    rich_text_quote: object({ type, elements: list(anything, { min: 0, max: 10_000 }) }, { border: anything }),
    rich_text_preformatted: object(
      { type, elements: list(anything, { min: 0, max: 10_000 }) },
      { border: anything, language: anything },
    ),
  }),
  { min: 0, max: 10_000 },
);
const richText = object({ type, elements: richTextElements }, identified);

const tableCell = byType({
  raw_text: object({ type, text: string({ min: 1, max: LIMITS.text }) }),
  raw_number: object({ type, value: anything }, { text: anything }),
  rich_text: richText,
});

const columnSettings = object({}, { align: oneOf('left', 'center', 'right'), is_wrapped: boolean });

/** Block types that are known here by name only: their inside is not checked yet. */
const unchecked: Check = (value, pointer, report) => {
  if (isFields(value) && value.block_id !== undefined) {
    identified.block_id(value.block_id, `${pointer}/block_id`, report);
  }
};

const BLOCKS: Readonly<Record<string, Check>> = {
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
        slack_file: anything,
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
  table: object(
    { type, rows: list(list(tableCell, { max: LIMITS.tableColumns }), { max: LIMITS.tableRows }) },
    { ...identified, column_settings: list(columnSettings, { max: LIMITS.tableColumns }) },
  ),
  context_actions: object({ type, elements: list(anything, { max: LIMITS.contextActionsElements }) }, identified),
  alert: unchecked,
  card: unchecked,
  carousel: unchecked,
  container: unchecked,
  data_table: unchecked,
  plan: unchecked,
  task_card: unchecked,
  video: unchecked,
};

/** Blocks that Slack takes in a message but not in a modal or a Home tab. */
const MESSAGE_ONLY = new Set([
  'table',
  'data_table',
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

/** The elements of a block that a person can act on: of an actions block, an accessory, an input. */
export function elementsOf(block: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>[] {
  const elements = block.type === 'actions' || block.type === 'context_actions' ? block.elements : undefined;
  return [...(Array.isArray(elements) ? elements : []), block.accessory, block.element].filter(isFields);
}

/** Characters of all text in blocks together, as `msg_blocks_too_long` counts them. */
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
