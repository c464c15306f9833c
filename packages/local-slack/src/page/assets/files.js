import { h } from './dom.js';

/** What uploaded files are called, by id: a view that the app changes keeps them. */
const names = new Map();

/**
 * A field that uploads what is chosen and hands in the ids.
 *
 * @param {{ filetypes?: string[], max_files?: number }} element
 * @param {(file: File) => Promise<{ id?: string, shown: string | null }>} upload
 * @returns {import('./inputs.js').Field}
 */
export function fileField(element, id, upload) {
  let ids = [];
  let coming = Promise.resolve();
  const input = h('input', {
    id,
    type: 'file',
    multiple: (element.max_files ?? 10) > 1,
    accept: element.filetypes?.map((type) => `.${type}`).join(',') ?? null,
    onchange(event) {
      event.stopPropagation();
      const files = [...input.files];
      input.value = '';
      coming = coming.then(() => takeAll(files));
    },
  });
  const chosen = h('ul', { class: 'chips', 'aria-label': 'Chosen files', hidden: true });
  const said = h('p', { class: 'hint', role: 'status' });
  const node = h('div', { class: 'chooser' }, chosen, input, said);

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

  function remove(gone) {
    ids = ids.filter((each) => each !== gone);
    draw();
    input.focus();
    node.dispatchEvent(new Event('change'));
  }

  async function takeAll(files) {
    for (const file of files) {
      said.textContent = `Uploading ${file.name}…`;
      const { id: fileId, shown } = await upload(file);
      said.textContent = shown ?? '';
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
      ids = value;
      draw();
    },
    ready: () => coming,
  };
}
