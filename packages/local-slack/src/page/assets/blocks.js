import { renderAction } from './actions.js';
import { CARD_BLOCKS } from './cards.js';
import { renderChart } from './charts.js';
import { h } from './dom.js';
import { renderImage } from './images.js';
import { renderInput } from './input-block.js';
import { renderMarkdown } from './markdown.js';
import { renderPlain, renderText } from './mrkdwn.js';
import { renderRichText } from './rich-text.js';
import { renderDataTable, renderTable } from './tables.js';

/**
 * Renders one block of a message or a view.
 *
 * @param {{ type: string, block_id: string }} block
 * @param {{ directory: object, viewer?: string, act: (block: object, element: object, chosen?: string | string[]) => Promise<string | null>,
 *   suggest: (block: object, element: object, typed: string) => Promise<object>, noteField: Function, upload?: Function }} context
 *   `act` sends what the person did and gives what Slack has to say about it; `suggest` asks the app for options;
 *   `noteField` is told of everything that can be filled in; `upload` is there where files can be handed in
 */
export function renderBlock(block, context) {
  const render = Object.hasOwn(BLOCKS, block.type) ? BLOCKS[block.type] : renderUnknown;
  return render(block, { ...context, renderBlock, renderElement });
}

const BLOCKS = {
  section(block, context) {
    const { directory } = context;
    const fields = (block.fields ?? []).map((field) => h('div', { class: 'field' }, ...renderText(field, directory)));
    return h(
      'div',
      { class: 'block section' },
      h(
        'div',
        { class: 'section-body' },
        block.text && h('div', { class: 'text' }, ...renderText(block.text, directory)),
        fields.length > 0 && h('div', { class: 'fields' }, ...fields),
      ),
      block.accessory && h('div', { class: 'accessory' }, renderElement(block, block.accessory, context)),
    );
  },
  header: (block) =>
    h('div', { class: 'block header', role: 'heading', 'aria-level': 3 }, renderPlain(block.text.text)),
  divider: () => h('hr', { class: 'block' }),
  context: (block, context) =>
    h(
      'div',
      { class: 'block context' },
      ...block.elements.map((element) =>
        element.type === 'image'
          ? renderImage(element, 'context-image')
          : h('span', { class: 'text' }, ...renderText(element, context.directory)),
      ),
    ),
  actions: renderElements('actions'),
  context_actions: renderElements('actions'),
  image: (block) =>
    h(
      'figure',
      { class: 'block image' },
      block.title && h('figcaption', {}, renderPlain(block.title.text)),
      renderImage(block, 'block-image'),
    ),
  rich_text: (block, context) => h('div', { class: 'block text' }, ...renderRichText(block, context.directory)),
  markdown: (block) => h('div', { class: 'block text' }, ...renderMarkdown(block.text)),
  table: renderTable,
  data_visualization: renderChart,
  data_table: renderDataTable,
  file: (block) => h('div', { class: 'block file' }, h('p', { class: 'file-name' }, `📄 ${block.external_id}`)),
  input: renderInput,
  ...CARD_BLOCKS,
};

function renderElements(className) {
  return (block, context) =>
    h(
      'div',
      { class: `block ${className}` },
      ...block.elements.map((element) => renderElement(block, element, context)),
    );
}

function renderElement(block, element, context) {
  return element.type === 'image'
    ? renderImage(element, 'accessory-image')
    : (renderAction(block, element, context) ?? renderUnknown(element));
}

function renderUnknown(thing) {
  return h('div', { class: 'block unknown' }, `Not shown here: ${thing.type}`);
}
