import { h } from '../base/dom.js';

/** @import { Field, UploadAnswer } from '../types.ts' */

/** Names of uploaded files by id, so that a view that the app updates can still show them. @type {Map<string, string>} */
const names = new Map();

/**
 * A field that uploads the chosen files. Its value is their ids.
 *
 * @param {{ filetypes?: string[], max_files?: number }} element
 * @param {string} id
 * @param {(file: File) => Promise<UploadAnswer>} upload
 * @returns {Omit<Field, 'read'> & { read: () => string[], ready: () => Promise<void> }}
 */
export function createFileField(element, id, upload) {
  /** @type {string[]} */
  let ids = [];
  let pending = Promise.resolve();
  const input = h('input', {
    id,
    type: 'file',
    multiple: (element.max_files ?? 10) > 1,
    accept: element.filetypes?.map((type) => `.${type}`).join(','),
    onchange(/** @type {Event} */ event) {
      event.stopPropagation();
      const files = [...(input.files ?? [])];
      input.value = '';
      pending = pending.then(() => uploadAll(files));
    },
  });
  const chosen = h('ul', { class: 'chips', 'aria-label': 'Chosen files', hidden: true });
  const status = h('p', { class: 'hint', role: 'status' });
  const node = h('div', { class: 'chooser' }, chosen, input, status);

  function draw() {
    chosen.hidden = ids.length === 0;
    chosen.replaceChildren(
      ...ids.map((each) => {
        const name = names.get(each) ?? each;
        return h(
          'li',
          {},
          name,
          h('button', { type: 'button', 'aria-label': `Remove ${name}`, onclick: () => remove(each) }, '×'),
        );
      }),
    );
  }

  /** @param {string} removed */
  function remove(removed) {
    ids = ids.filter((each) => each !== removed);
    draw();
    input.focus();
    node.dispatchEvent(new Event('change'));
  }

  /** @param {readonly File[]} files */
  async function uploadAll(files) {
    for (const file of files) {
      status.textContent = `Uploading ${file.name}…`;
      const { id: fileId, shown } = await upload(file);
      status.textContent = shown ?? '';
      if (fileId !== undefined) {
        names.set(fileId, file.name);
        ids = [...ids, fileId];
        draw();
      }
    }
    node.dispatchEvent(new Event('change'));
  }

  return {
    node,
    focusable: input,
    read: () => ids,
    write(value) {
      ids = [value].flat().filter((each) => each !== '');
      draw();
    },
    ready: () => pending,
  };
}
