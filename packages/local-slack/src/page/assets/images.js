import { h, link, safeUrl } from './dom.js';

/** A picture by its address; one of Slack's own files by its name, for this page cannot open it. */
export function renderImage(image, className) {
  const src = safeUrl(image.image_url ?? image.slack_file?.url);
  if (src === null) {
    return h('span', { class: 'unknown' }, `Image: ${image.alt_text}`);
  }
  const picture = h('img', { class: className, src, alt: image.alt_text, loading: 'lazy' });
  return className === 'block-image' ? link(src, picture) : picture;
}
