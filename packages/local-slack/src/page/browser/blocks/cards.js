import { h, link, nextId } from '../base/dom.js';
import { renderPlain, renderText } from '../text/mrkdwn.js';
import { renderRichText } from '../text/rich-text.js';
import { renderImage } from './images.js';

/** @import { AlertBlock, CardBlock, CarouselBlock, ContainerBlock, PlanBlock, RichTextBlock, TaskCardBlock, TextObject, VideoBlock } from '@slack/types' */
/** @import { BlockRef, NestingContext } from '../types.ts' */

const LEVELS = { default: 'Note', info: 'Information', warning: 'Warning', error: 'Error', success: 'Success' };
const TASK_STATES = { pending: '○ To do', in_progress: '◐ In progress', complete: '● Done', error: '⚠ Failed' };

/** @param {AlertBlock} block @param {NestingContext} context */
export function renderAlert(block, context) {
  const level = block.level ?? 'default';
  return h(
    'div',
    { class: `block alert ${level}`, role: 'group', 'aria-label': LEVELS[level] },
    h('div', { class: 'text' }, ...renderText(block.text, context.directory)),
  );
}

/** @param {CarouselBlock} block @param {NestingContext} context */
export function renderCarousel(block, context) {
  return h(
    'div',
    { class: 'block carousel', role: 'region', 'aria-label': 'Cards', tabindex: 0 },
    ...block.elements.map((card) => renderCard(withBlockId(card, block), context)),
  );
}

/** Cards without an id share that of the carousel. @param {CardBlock} card @param {BlockRef} carousel @returns {CardBlock} */
function withBlockId(card, { block_id: id }) {
  return card.block_id === undefined && id !== undefined ? { ...card, block_id: id } : card;
}

/** @param {CardBlock} block @param {NestingContext} context */
export function renderCard(block, context) {
  const { directory } = context;
  /** @param {string} className @param {TextObject | undefined} text */
  const part = (className, text) => text && h('div', { class: `text ${className}` }, ...renderText(text, directory));
  const buttons = block.actions?.map((button) => context.renderElement(block, button, context));
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
    buttons && h('div', { class: 'actions' }, ...buttons),
  );
}

/** @param {PlanBlock} block @param {NestingContext} context */
export function renderPlan(block, context) {
  return h(
    'div',
    { class: 'block box' },
    h('p', { class: 'box-title' }, renderPlain(block.title)),
    ...(block.tasks ?? []).map((task) => renderTask(/** @type {TaskCardBlock} */ (task), context)),
  );
}

/** @param {Omit<TaskCardBlock, 'type'>} task @param {NestingContext} context */
export function renderTask(task, context) {
  /** @param {RichTextBlock | undefined} value */
  const rich = (value) => value && h('div', { class: 'text' }, ...renderRichText(value, context.directory));
  const sources = (task.sources ?? []).map((source) => h('li', {}, link(source.url, source.text)));
  const status = task.status ?? 'pending';
  return h(
    'div',
    { class: 'block box task' },
    h('p', {}, h('span', { class: `task-status ${status}` }, TASK_STATES[status]), renderPlain(` ${task.title}`)),
    rich(task.details),
    rich(task.output),
    sources.length > 0 && h('ul', { class: 'rich' }, ...sources),
  );
}

/** @param {VideoBlock} block */
export function renderVideo(block) {
  const thumbnail = { image_url: block.thumbnail_url, alt_text: block.alt_text };
  return h(
    'div',
    { class: 'block box video' },
    h('p', { class: 'box-title' }, link(block.title_url ?? block.video_url, renderPlain(block.title.text))),
    h('p', { class: 'soft' }, [block.author_name, block.provider_name].filter(Boolean).join(' · ')),
    block.description && h('p', { class: 'text' }, renderPlain(block.description.text)),
    link(block.video_url, renderImage(thumbnail, 'video-image'), '▶ Play'),
  );
}

/** @param {ContainerBlock} block @param {NestingContext} context */
export function renderContainer(block, context) {
  const { directory } = context;
  const title = block.rich_text_title
    ? renderRichText(block.rich_text_title, directory)
    : [renderPlain(block.title?.text ?? '')];
  const head = [
    block.icon && renderImage(block.icon, 'card-icon'),
    h('span', { class: 'box-title' }, ...title),
    block.subtitle && h('span', { class: 'soft' }, ...renderText(block.subtitle, directory)),
  ];
  const children = block.child_blocks.map((child) => context.renderBlock(child, context));
  const rule = block.has_header_divider && h('hr', { class: 'block' });
  const classes = `block box container ${block.width ?? 'standard'}`;
  if (block.is_collapsible) {
    return h(
      'details',
      { class: classes, open: !block.default_collapsed },
      h('summary', {}, ...head),
      rule,
      ...children,
    );
  }
  const id = nextId('container');
  return h(
    'div',
    { class: classes, role: 'group', 'aria-labelledby': id },
    h('div', { class: 'container-head', id }, ...head),
    rule,
    ...children,
  );
}
