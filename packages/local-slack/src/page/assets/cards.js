import { h, link, nextId } from './dom.js';
import { renderImage } from './images.js';
import { renderPlain, renderText } from './mrkdwn.js';
import { renderRichText } from './rich-text.js';

const LEVELS = { default: 'Note', info: 'Information', warning: 'Warning', error: 'Error', success: 'Success' };
const TASKS = { pending: '○ To do', in_progress: '◐ In progress', complete: '● Done', error: '⚠ Failed' };

/** Blocks that show a thing or the work of an agent as one box. `context` brings `renderBlock` and `renderElement`. */
export const CARD_BLOCKS = {
  alert(block, context) {
    const level = block.level ?? 'default';
    return h(
      'div',
      { class: `block alert ${level}`, role: 'group', 'aria-label': LEVELS[level] },
      h('div', { class: 'text' }, ...renderText(block.text, context.directory)),
    );
  },
  card: renderCard,
  carousel: (block, context) =>
    h(
      'div',
      { class: 'block carousel', role: 'region', 'aria-label': 'Cards', tabindex: 0 },
      ...block.elements.map((card) => renderCard({ ...card, block_id: card.block_id ?? block.block_id }, context)),
    ),
  container: renderContainer,
  task_card: renderTask,
  plan: (block, context) =>
    h(
      'div',
      { class: 'block box' },
      h('p', { class: 'box-title' }, renderPlain(block.title)),
      ...(block.tasks ?? []).map((task) => renderTask(task, context)),
    ),
  video: (block) =>
    h(
      'div',
      { class: 'block box video' },
      h('p', { class: 'box-title' }, link(block.title_url ?? block.video_url, renderPlain(block.title.text))),
      h('p', { class: 'soft' }, [block.author_name, block.provider_name].filter(Boolean).join(' · ')),
      block.description && h('p', { class: 'text' }, renderPlain(block.description.text)),
      link(
        block.video_url,
        renderImage({ image_url: block.thumbnail_url, alt_text: block.alt_text }, 'video-image'),
        '▶ Play',
      ),
    ),
};

function renderCard(block, context) {
  const { directory } = context;
  const part = (className, text) => text && h('div', { class: `text ${className}` }, ...renderText(text, directory));
  return h(
    'div',
    { class: 'block box card' },
    block.hero_image && renderImage(block.hero_image, 'hero-image'),
    h(
      'div',
      { class: 'card-head' },
      block.icon && renderImage(block.icon, 'card-icon'),
      h('div', {}, part('box-title', block.title), part('soft', block.subtitle)),
    ),
    part('', block.body),
    block.actions &&
      h('div', { class: 'actions' }, ...block.actions.map((button) => context.renderElement(block, button, context))),
  );
}

function renderTask(task, context) {
  const rich = (value) => value && h('div', { class: 'text' }, ...renderRichText(value, context.directory));
  const sources = (task.sources ?? []).map((source) => h('li', {}, link(source.url, source.text)));
  return h(
    'div',
    { class: 'block box task' },
    h(
      'p',
      {},
      h('span', { class: `task-status ${task.status}` }, TASKS[task.status] ?? task.status),
      renderPlain(` ${task.title}`),
    ),
    rich(task.details),
    rich(task.output),
    sources.length > 0 && h('ul', { class: 'rich' }, ...sources),
  );
}

function renderContainer(block, context) {
  const title = block.title
    ? [renderPlain(block.title.text)]
    : renderRichText(block.rich_text_title, context.directory);
  const head = [
    block.icon && renderImage(block.icon, 'card-icon'),
    h('span', { class: 'box-title' }, ...title),
    block.subtitle && h('span', { class: 'soft' }, ...renderText(block.subtitle, context.directory)),
  ];
  const children = block.child_blocks.map((child) => context.renderBlock(child, context));
  const classes = `block box container ${block.width ?? 'standard'}`;
  if (!block.is_collapsible) {
    const id = nextId('container');
    return h(
      'div',
      { class: classes, role: 'group', 'aria-labelledby': id },
      h('div', { class: 'container-head', id }, ...head),
      block.has_header_divider && h('hr', { class: 'block' }),
      ...children,
    );
  }
  return h(
    'details',
    { class: classes, open: !block.default_collapsed },
    h('summary', {}, ...head),
    block.has_header_divider && h('hr', { class: 'block' }),
    ...children,
  );
}
