import { renderAction } from './actions.js';
import { h, link, nextId, safeUrl } from './dom.js';
import { createField } from './inputs.js';
import { renderMrkdwn, renderPlain } from './mrkdwn.js';
import { renderRichText } from './rich-text.js';

/**
 * Renders one block of a message.
 *
 * @param {{ type: string, block_id: string }} block
 * @param {{ directory: object, act: (block: object, element: object, chosen?: string | string[]) => Promise<string | null> }} context
 *   `act` sends what the person did and gives what Slack has to say about it
 */
export function renderBlock(block, context) {
  const render = Object.hasOwn(BLOCKS, block.type) ? BLOCKS[block.type] : renderUnknown;
  return render(block, context);
}

export function renderText(text, directory) {
  return text.type === 'mrkdwn'
    ? renderMrkdwn(text.text, directory)
    : [h('span', { class: 'prewrap' }, renderPlain(text.text))];
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
  actions: (block, context) =>
    h('div', { class: 'block actions' }, ...block.elements.map((element) => renderElement(block, element, context))),
  image: (block) =>
    h(
      'figure',
      { class: 'block image' },
      block.title && h('figcaption', {}, renderPlain(block.title.text)),
      renderImage(block, 'block-image'),
    ),
  rich_text: (block, context) => h('div', { class: 'block text' }, ...renderRichText(block, context.directory)),
  markdown: (block) => h('div', { class: 'block text prewrap' }, block.text),
  table: renderTable,
  input(block, context) {
    const id = nextId('field');
    const field = createField(block.element, id, context.directory);
    return field === null
      ? renderUnknown({ type: block.element.type })
      : h('div', { class: 'block' }, h('label', { for: id }, renderPlain(block.label.text)), field.node);
  },
};

function renderElement(block, element, context) {
  return element.type === 'image'
    ? renderImage(element, 'accessory-image')
    : (renderAction(block, element, context) ?? renderUnknown(element));
}

function renderImage(image, className) {
  const src = safeUrl(image.image_url);
  if (src === null) {
    return h('span', { class: 'unknown' }, `Image: ${image.alt_text}`);
  }
  const picture = h('img', { class: className, src, alt: image.alt_text, loading: 'lazy' });
  return className === 'block-image' ? link(src, picture) : picture;
}

function renderTable(block, { directory }) {
  const [head, ...rows] = block.rows;
  const align = (index) => `align-${block.column_settings?.[index]?.align ?? 'left'}`;
  const content = (cell) => {
    if (cell.type === 'rich_text') {
      return renderRichText(cell, directory);
    }
    return [renderPlain(String(cell.text ?? cell.value))];
  };
  const row = (tag, attributes) => (cells) =>
    h('tr', {}, ...cells.map((cell, index) => h(tag, { ...attributes, class: align(index) }, ...content(cell))));
  return h(
    'div',
    { class: 'block table', tabindex: 0, role: 'region', 'aria-label': 'Table' },
    h('table', {}, h('thead', {}, row('th', { scope: 'col' })(head)), h('tbody', {}, ...rows.map(row('td', {})))),
  );
}

function renderUnknown(thing) {
  return h('div', { class: 'block unknown' }, `Not shown here: ${thing.type}`);
}
