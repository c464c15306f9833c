import { h, link, safeUrl } from '../base/dom.js';

/** @typedef {{ image_url?: string, slack_file?: { url?: string, id?: string }, alt_text: string }} Image */

/** An image by its URL. Slack's own files are shown by name, because this page cannot open them. @param {Image} image @param {string} className */
export function renderImage(image, className) {
  const src = safeUrl(image.image_url ?? image.slack_file?.url);
  if (src === null) {
    return h('span', { class: 'unknown' }, `Image: ${image.alt_text}`);
  }
  const picture = h('img', { class: className, src, alt: image.alt_text, loading: 'lazy' });
  return className === 'block-image' ? link(src, picture) : picture;
}
