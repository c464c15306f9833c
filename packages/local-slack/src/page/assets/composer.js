import { h, nextId } from './dom.js';
import { fileField } from './files.js';

/**
 * Turns a form into a message box. What starts with a slash completes from the commands: the list is told of by
 * `aria-activedescendant`, and in words, because a box of several lines cannot be a combobox.
 *
 * @param {HTMLFormElement} form
 * @param {{ id: string, label: () => string, commands: () => readonly object[],
 *   send: (text: string, files: readonly string[]) => Promise<string | null>,
 *   upload: (file: File) => Promise<{ id?: string, shown: string | null }>, tools?: readonly HTMLElement[] }} options
 */
export function createComposer(form, options) {
  const listId = nextId('completions');
  let suggestions = [];
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
  const files = fileField({}, nextId('files'), options.upload);
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

  function suggest() {
    const typed = text.value;
    const isCommandName = /^\/\S*$/.test(typed);
    suggestions = isCommandName ? options.commands().filter(({ command }) => command.startsWith(typed)) : [];
    active = 0;
    draw();
    const known = options.commands().find(({ command }) => typed === command || typed.startsWith(`${command} `));
    hint.textContent = known?.usageHint ? `${known.command} ${known.usageHint}` : '';
  }

  function draw() {
    list.hidden = suggestions.length === 0;
    help.textContent = list.hidden ? '' : `${describeCount()} Arrows choose, Tab completes, Escape closes.`;
    list.replaceChildren(
      ...suggestions.map((each, index) =>
        h(
          'li',
          {
            id: `${listId}-${index}`,
            role: 'option',
            'aria-selected': String(index === active),
            onmousedown: (event) => {
              event.preventDefault();
              complete(each);
            },
          },
          h('strong', {}, each.command),
          h('span', {}, each.usageHint),
          h('small', {}, each.description),
        ),
      ),
    );
    if (list.hidden) {
      text.removeAttribute('aria-activedescendant');
    } else {
      text.setAttribute('aria-activedescendant', `${listId}-${active}`);
    }
  }

  function describeCount() {
    return suggestions.length === 1 ? `1 command: ${suggestions[0].command}.` : `${suggestions.length} commands.`;
  }

  function complete({ command }) {
    text.value = `${command} `;
    suggest();
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
    suggest();
    fitText();
    form.setAttribute('aria-busy', 'true');
    const shown = await options.send(typed, chosen);
    form.removeAttribute('aria-busy');
    // What Slackbot says of a command stands in the channel; what was not sent at all comes back to be sent again.
    if (shown !== null && (chosen.length > 0 || !typed.startsWith('/'))) {
      failure.textContent = shown;
      files.write([chosen, files.read()].flat());
      text.value ||= typed;
      fitText();
    }
  }

  text.addEventListener('input', () => {
    suggest();
    fitText();
  });
  text.addEventListener('keydown', (event) => {
    const isOpen = !list.hidden;
    if (isOpen && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : suggestions.length - 1;
      active = (active + step) % suggestions.length;
      draw();
    } else if (isOpen && event.key === 'Escape') {
      event.preventDefault();
      suggestions = [];
      draw();
    } else if (isOpen && event.key === 'Tab' && !event.shiftKey) {
      event.preventDefault();
      complete(suggestions[active]);
    } else if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      const chosen = suggestions[active];
      if (isOpen && chosen.command !== text.value) {
        complete(chosen);
      } else {
        void submit();
      }
    }
  });
  text.addEventListener('blur', () => {
    suggestions = [];
    draw();
  });
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void submit();
  });

  return {
    /** The label follows the place that is open. */
    relabel() {
      text.setAttribute('aria-label', options.label());
      text.placeholder = options.label();
    },
  };
}
