import { h, link, safeUrl } from '../base/dom.js';
import { renderText } from '../text/mrkdwn.js';
import { renderInput, renderInteractive } from './elements.js';

/** @import { ImageBlock, ImageElement } from '@slack/types' */
/** @import { AnyBlock, AnyElement, BlockContext } from '../types.ts' */

/** Renders one block of a message or a view. @param {AnyBlock} block @param {BlockContext} context @returns {HTMLElement} */
export function renderBlock(block, context) {
  const { directory } = context;
  const key = { 'data-key': block.block_id };
  switch (block.type) {
    case 'section':
      return h(
        'div',
        { class: 'block section', ...key },
        h(
          'div',
          { class: 'section-body' },
          block.text && h('div', { class: 'text' }, ...renderText(block.text, directory)),
          block.fields &&
            h(
              'div',
              { class: 'fields' },
              ...block.fields.map((field) => h('div', {}, ...renderText(field, directory))),
            ),
        ),
        block.accessory && renderElement(block, block.accessory, context),
      );
    case 'header':
      return h('div', { class: 'block header', role: 'heading', 'aria-level': 3, ...key }, block.text.text);
    case 'divider':
      return h('hr', { class: 'block', ...key });
    case 'context':
      return h(
        'div',
        { class: 'block context soft', ...key },
        ...block.elements.map((element) =>
          element.type === 'image' ? renderImage(element) : h('span', {}, ...renderText(element, directory)),
        ),
      );
    case 'actions':
      return h(
        'div',
        { class: 'block actions', ...key },
        ...block.elements.map((element) => renderElement(block, element, context)),
      );
    case 'image':
      return h(
        'figure',
        { class: 'block image', ...key },
        block.title && h('figcaption', {}, block.title.text),
        renderImage(block),
      );
    case 'input':
      return renderInput(block, context);
  }
}

/** @param {AnyBlock} block @param {AnyElement | ImageElement} element @param {BlockContext} context */
function renderElement(block, element, context) {
  return element.type === 'image' ? renderImage(element) : renderInteractive(block, element, context);
}

/** A picture, or what it shows where its address is not a safe one. @param {ImageBlock | ImageElement} image */
function renderImage(image) {
  const src = safeUrl('image_url' in image ? image.image_url : undefined);
  return src === null
    ? h('span', { class: 'unknown' }, `Image: ${image.alt_text}`)
    : link(src, h('img', { src, alt: image.alt_text, loading: 'lazy' }));
}
