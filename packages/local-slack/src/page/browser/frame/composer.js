import { h, nextId } from '../base/dom.js';
import { createFileField } from '../inputs/file-field.js';

/** @import { Command } from '../../page-types.ts' */
/** @import { UploadAnswer } from '../types.ts' */

/**
 * @typedef {object} ComposerOptions
 * @property {string} id of the text field
 * @property {() => string} label
 * @property {() => readonly Command[]} commands
 * @property {(text: string, files: readonly string[]) => Promise<string | null>} send returns an error message or null
 * @property {(file: File) => Promise<UploadAnswer>} upload
 * @property {readonly HTMLElement[]} [tools]
 */

/**
 * Turns a form into a message box that completes commands. A field of several lines cannot be a combobox, so the
 * completions are announced by `aria-activedescendant` and by text.
 *
 * @param {HTMLFormElement} form
 * @param {ComposerOptions} options
 */
export function createComposer(form, options) {
  const listId = nextId('completions');
  /** @type {readonly Command[]} */
  let completions = [];
  let active = 0;

  const text = h('textarea', {
    id: options.id,
    rows: 1,
    'aria-autocomplete': 'list',
    'aria-haspopup': 'listbox',
    'aria-controls': listId,
    'aria-describedby': `${listId}-help`,
    autocomplete: 'off',
    spellcheck: 'true',
  });
  const list = h('ul', { id: listId, class: 'completions', role: 'listbox', 'aria-label': 'Commands', hidden: true });
  const files = createFileField({}, nextId('files'), options.upload);
  files.node.addEventListener('change', () => text.focus());
  const attach = h(
    'button',
    {
      type: 'button',
      class: 'icon-button',
      'aria-label': 'Attach files',
      title: 'Attach files',
      onclick: () => files.focusable.click(),
    },
    '📎',
  );
  const failure = h('p', { class: 'failure', role: 'alert' });
  const send = h('button', { type: 'submit', class: 'send', 'aria-label': 'Send' }, '➤');
  const hint = h('p', { class: 'composer-hint' });
  const help = h('p', { id: `${listId}-help`, class: 'visually-hidden', 'aria-live': 'polite' });
  form.append(
    list,
    files.node,
    h('div', { class: 'composer-box' }, ...(options.tools ?? []), attach, text, send),
    help,
    h('div', { class: 'composer-foot' }, failure, hint),
  );

  function fitText() {
    text.style.height = 'auto';
    text.style.height = `${Math.min(text.scrollHeight, 200)}px`;
  }

  function updateCompletions() {
    const typed = text.value;
    const isCommandName = /^\/\S*$/.test(typed);
    completions = isCommandName ? options.commands().filter(({ command }) => command.startsWith(typed)) : [];
    active = 0;
    draw();
    const known = options.commands().find(({ command }) => typed === command || typed.startsWith(`${command} `));
    hint.textContent = known?.usageHint ? `${known.command} ${known.usageHint}` : '';
  }

  function draw() {
    list.hidden = completions.length === 0;
    help.textContent = list.hidden ? '' : `${describeCount()} Arrows choose, Tab completes, Escape closes.`;
    list.replaceChildren(...completions.map(renderCompletion));
    if (list.hidden) {
      text.removeAttribute('aria-activedescendant');
    } else {
      text.setAttribute('aria-activedescendant', `${listId}-${active}`);
    }
  }

  /** @param {Command} command @param {number} index */
  function renderCompletion(command, index) {
    return h(
      'li',
      {
        id: `${listId}-${index}`,
        role: 'option',
        'aria-selected': String(index === active),
        onmousedown: (/** @type {Event} */ event) => {
          event.preventDefault();
          complete(command);
        },
      },
      h('strong', {}, command.command),
      h('span', {}, command.usageHint),
      h('small', {}, command.description),
    );
  }

  function describeCount() {
    const [first] = completions;
    return completions.length === 1 ? `1 command: ${first?.command}.` : `${completions.length} commands.`;
  }

  /** @param {Command} command */
  function complete({ command }) {
    text.value = `${command} `;
    updateCompletions();
    text.focus();
  }

  async function submit() {
    await files.ready();
    const typed = text.value;
    const chosen = files.read();
    if (typed.trim() === '' && chosen.length === 0) {
      return;
    }
    text.value = '';
    files.write([]);
    failure.textContent = '';
    updateCompletions();
    fitText();
    form.setAttribute('aria-busy', 'true');
    const shown = await options.send(typed, chosen);
    form.removeAttribute('aria-busy');
    // The error of a command is shown in the channel. A message that was not sent comes back.
    if (shown !== null && (chosen.length > 0 || !typed.startsWith('/'))) {
      failure.textContent = shown;
      files.write([...chosen, ...files.read()]);
      text.value ||= typed;
      fitText();
    }
  }

  /** @param {KeyboardEvent} event */
  function handleKey(event) {
    const choice = completions[active];
    if (choice !== undefined && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : completions.length - 1;
      active = (active + step) % completions.length;
      draw();
    } else if (choice !== undefined && event.key === 'Escape') {
      event.preventDefault();
      completions = [];
      draw();
    } else if (choice !== undefined && event.key === 'Tab' && !event.shiftKey) {
      event.preventDefault();
      complete(choice);
    } else if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      if (choice !== undefined && choice.command !== text.value) {
        complete(choice);
      } else {
        void submit();
      }
    }
  }

  text.addEventListener('input', () => {
    updateCompletions();
    fitText();
  });
  text.addEventListener('keydown', handleKey);
  text.addEventListener('blur', () => {
    completions = [];
    draw();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit();
  });

  return {
    /** Updates the label after the place has changed. */
    relabel() {
      text.setAttribute('aria-label', options.label());
      text.placeholder = options.label();
    },
  };
}
