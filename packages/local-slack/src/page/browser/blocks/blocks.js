import { h } from '../base/dom.js';
import { renderMarkdown } from '../text/markdown.js';
import { renderPlain, renderText } from '../text/mrkdwn.js';
import { renderRichText } from '../text/rich-text.js';
import {
  renderAlert,
  renderCard,
  renderCarousel,
  renderContainer,
  renderPlan,
  renderTask,
  renderVideo,
} from './cards.js';
import { renderChart } from './charts.js';
import { renderInteractive } from './elements.js';
import { renderImage } from './images.js';
import { renderInput } from './input-block.js';
import { renderDataTable, renderTable } from './tables.js';

/** @import { ActionsBlock, ContextActionsBlock, ContextBlock, ImageElement, SectionBlock } from '@slack/types' */
/** @import { AnyBlock, AnyElement, BlockContext, BlockRef, NestingContext } from '../types.ts' */

/** Renders one block of a message or a view. @param {AnyBlock} block @param {BlockContext} context @returns {HTMLElement} */
export function renderBlock(block, context) {
  const nesting = { ...context, renderBlock, renderElement };
  switch (block.type) {
    case 'section':
      return renderSection(block, nesting);
    case 'header':
      return h('div', { class: 'block header', role: 'heading', 'aria-level': 3 }, renderPlain(block.text.text));
    case 'divider':
      return h('hr', { class: 'block' });
    case 'context':
      return renderContext(block, nesting);
    case 'actions':
    case 'context_actions':
      return renderActions(block, nesting);
    case 'image':
      return h(
        'figure',
        { class: 'block image' },
        block.title && h('figcaption', {}, renderPlain(block.title.text)),
        renderImage(block, 'block-image'),
      );
    case 'rich_text':
      return h('div', { class: 'block text' }, ...renderRichText(block, context.directory));
    case 'markdown':
      return h('div', { class: 'block text' }, ...renderMarkdown(block.text));
    case 'table':
      return renderTable(block, nesting);
    case 'data_table':
      return renderDataTable(block, nesting);
    case 'data_visualization':
      return renderChart(block);
    case 'file':
      return h('div', { class: 'block file' }, h('p', { class: 'file-name' }, `📄 ${block.external_id}`));
    case 'input':
      return renderInput(block, nesting);
    case 'alert':
      return renderAlert(block, nesting);
    case 'card':
      return renderCard(block, nesting);
    case 'carousel':
      return renderCarousel(block, nesting);
    case 'container':
      return renderContainer(block, nesting);
    case 'task_card':
      return renderTask(block, nesting);
    case 'plan':
      return renderPlan(block, nesting);
    case 'video':
      return renderVideo(block);
    default:
      return renderUnknown(block);
  }
}

/** @param {SectionBlock} block @param {NestingContext} context */
function renderSection(block, context) {
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
}

/** @param {ContextBlock} block @param {NestingContext} context */
function renderContext(block, context) {
  return h(
    'div',
    { class: 'block context' },
    ...block.elements.map((element) =>
      element.type === 'image'
        ? renderImage(element, 'context-image')
        : h('span', { class: 'text' }, ...renderText(element, context.directory)),
    ),
  );
}

/** @param {ActionsBlock | ContextActionsBlock} block @param {NestingContext} context */
function renderActions(block, context) {
  return h(
    'div',
    { class: 'block actions' },
    ...block.elements.map((element) => renderElement(block, element, context)),
  );
}

/** @param {BlockRef} block @param {AnyElement | ImageElement} element @param {BlockContext} context */
function renderElement(block, element, context) {
  return element.type === 'image'
    ? renderImage(element, 'accessory-image')
    : (renderInteractive(block, element, context) ?? renderUnknown(element));
}

/** @param {{ type: string }} thing */
function renderUnknown({ type }) {
  return h('div', { class: 'block unknown' }, `Not shown here: ${type}`);
}
