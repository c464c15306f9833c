import { h } from '../base/dom.js';

/** @import { Command } from '../../page-types.ts' */
/** @import { Answer } from '../types.ts' */

/**
 * @typedef {object} ComposerOptions
 * @property {string} id of the text field
 * @property {() => readonly Command[]} commands
 * @property {(text: string) => Promise<Answer>} send
 * @property {HTMLElement} [tool] before the text
 */

/**
 * Turns a form into a message box, which says what the commands are that begin with what is typed.
 *
 * @param {HTMLFormElement} form
 * @param {ComposerOptions} options
 */
export function createComposer(form, { id, commands, send, tool }) {
  const text = h('textarea', {
    id,
    rows: 1,
    autocomplete: 'off',
    'aria-describedby': `${id}-hint`,
    oninput,
    onkeydown,
  });
  const failure = h('p', { class: 'failure', role: 'alert' });
  const hint = h('p', { class: 'hint', id: `${id}-hint`, role: 'status' });
  const button = h('button', { type: 'submit', class: 'button primary', 'aria-label': 'Send' }, '➤');
  form.append(h('div', { class: 'composer-box' }, ...(tool ? [tool] : []), text, button), failure, hint);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit();
  });

  function fitting() {
    const [name = '', ...rest] = text.value.split(' ');
    const isMeant = (/** @type {Command} */ { command }) =>
      rest.length === 0 ? command.startsWith(name) : command === name;
    return name.startsWith('/') ? commands().filter(isMeant) : [];
  }

  function oninput() {
    const lines = fitting().map(({ command, usageHint, description }) => `${command} ${usageHint}: ${description}`);
    hint.textContent = lines.join('\n') + (lines.length > 0 && !text.value.includes(' ') ? '\nTab completes.' : '');
  }

  /** @param {Event} event */
  function onkeydown(event) {
    const { key, shiftKey, isComposing } = /** @type {KeyboardEvent} */ (event);
    const [first] = fitting();
    if (key === 'Tab' && !shiftKey && first !== undefined && !text.value.includes(' ')) {
      event.preventDefault();
      text.value = `${first.command} `;
      oninput();
    } else if (key === 'Enter' && !shiftKey && !isComposing) {
      event.preventDefault();
      void submit();
    }
  }

  async function submit() {
    const typed = text.value;
    if (typed.trim() === '') {
      return;
    }
    text.value = '';
    failure.textContent = '';
    oninput();
    const { shown } = await send(typed);
    // The error of a command is shown in the channel. A message that was not sent comes back.
    if (shown !== null && !typed.startsWith('/')) {
      failure.textContent = shown;
      text.value ||= typed;
    }
  }

  return {
    /** @param {string} label */
    relabel(label) {
      text.setAttribute('aria-label', label);
      text.placeholder = label;
    },
  };
}
