import { LIMITS } from '../limits.ts';
import { boolean, byType, type Check, every, isFields, list, object, string } from './check.ts';
import { anyText, plainText, slackFile } from './composition.ts';
import { ACCESSORY_ELEMENTS, ACTION_ELEMENTS, INPUT_ELEMENTS, imageElement, needsImageSource } from './elements.ts';

const type = string({ max: 40 });
const identified = { block_id: string({ max: LIMITS.blockId }) };

const needsTextOrFields: Check = (value, pointer, report) => {
  if (isFields(value) && value.text === undefined && value.fields === undefined) {
    report({ pointer, message: 'missing required field: text or fields' });
  }
};

/** The blocks that the page draws. */
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
        slack_file: slackFile,
      },
    ),
    needsImageSource,
  ),
  input: object(
    { type, label: plainText(LIMITS.label), element: byType(INPUT_ELEMENTS) },
    { ...identified, hint: plainText(LIMITS.hint), optional: boolean, dispatch_action: boolean },
  ),
};

export const messageBlocks = every(list(byType(BLOCKS), { min: 0, max: LIMITS.messageBlocks }), uniqueIds);
export const viewBlocks = every(list(byType(BLOCKS), { min: 0, max: LIMITS.viewBlocks }), uniqueIds);

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

/** The interactive elements of a block. */
export function elementsOf(block: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>[] {
  const elements = block.type === 'actions' && Array.isArray(block.elements) ? block.elements : [];
  return [...elements, block.accessory, block.element].filter(isFields);
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
