import { h } from '../base/dom.js';

/** @import { Choice, ChoiceGroup, Field, InputValue } from '../types.ts' */

/** Labels of all values seen so far: an app sends the options of an external select only once. @type {Map<string, string>} */
const labels = new Map();

/**
 * @typedef {object} ComboboxOptions
 * @property {string} id
 * @property {boolean} isMultiple
 * @property {number} max most values that can be chosen
 * @property {number} minLength characters to type before it searches
 * @property {string} placeholder
 * @property {string[]} initial
 * @property {readonly Choice[]} choices whose labels are known from the start
 * @property {(typed: string) => Promise<{ groups: readonly ChoiceGroup[], failure?: string }>} search
 */

/**
 * A text field that offers matching choices.
 *
 * @param {ComboboxOptions} options
 * @returns {Field}
 */
export function createCombobox(options) {
  const listId = `${options.id}-list`;
  /** @type {string[]} */
  let chosen = [];
  /** @type {readonly Choice[]} */
  let offered = [];
  let active = -1;
  let searches = 0;
  rememberLabels(options.choices);

  const input = h('input', {
    id: options.id,
    type: 'text',
    role: 'combobox',
    autocomplete: 'off',
    placeholder: options.placeholder,
    'aria-autocomplete': 'list',
    'aria-expanded': 'false',
    'aria-controls': listId,
  });
  const chips = h('ul', { class: 'chips', 'aria-label': 'Chosen' });
  const list = h('ul', {
    id: listId,
    class: 'completions below',
    role: 'listbox',
    'aria-label': 'Options',
    hidden: true,
  });
  const status = h('p', { class: 'hint', role: 'status' });
  const node = h('div', { class: 'chooser' }, chips, h('div', { class: 'chooser-box' }, input, list), status);

  function changed() {
    node.dispatchEvent(new Event('change'));
  }

  function drawChips() {
    chips.hidden = chosen.length === 0;
    chips.replaceChildren(...chosen.map(renderChip));
  }

  /** @param {string} value */
  function renderChip(value) {
    const label = labels.get(value) ?? value;
    return h(
      'li',
      {},
      label,
      h('button', { type: 'button', 'aria-label': `Remove ${label}`, onclick: () => remove(value) }, '×'),
    );
  }

  /** @param {string | undefined} value */
  function remove(value) {
    chosen = chosen.filter((each) => each !== value);
    drawChips();
    input.focus();
    changed();
  }

  /** @param {Choice} choice */
  function choose(choice) {
    rememberLabels([choice]);
    chosen = options.isMultiple ? [...chosen, choice.value] : [choice.value];
    input.value = '';
    hide();
    drawChips();
    changed();
  }

  function hide() {
    searches += 1; // a running search is ignored
    offered = [];
    drawList([]);
  }

  /** @param {readonly ChoiceGroup[]} groups */
  function drawList(groups) {
    list.hidden = offered.length === 0;
    input.setAttribute('aria-expanded', String(!list.hidden));
    list.replaceChildren(...groups.flatMap(renderGroup));
    activate(offered.length > 0 ? 0 : -1);
  }

  /** @param {ChoiceGroup} group */
  function renderGroup({ label, choices }) {
    const items = choices.map((choice) =>
      h(
        'li',
        {
          id: `${listId}-${offered.indexOf(choice)}`,
          role: 'option',
          'aria-selected': 'false',
          onmousedown: (/** @type {Event} */ event) => {
            event.preventDefault();
            choose(choice);
          },
        },
        choice.label,
        choice.description ? h('small', {}, choice.description) : null,
      ),
    );
    return label === null || items.length === 0
      ? items
      : [h('li', { role: 'presentation', class: 'group-label' }, label), ...items];
  }

  /** @param {number} index */
  function activate(index) {
    active = index;
    for (const item of list.querySelectorAll('[role=option]')) {
      const isActive = item.id === `${listId}-${index}`;
      item.setAttribute('aria-selected', String(isActive));
      if (isActive) {
        item.scrollIntoView({ block: 'nearest' });
      }
    }
    if (index < 0) {
      input.removeAttribute('aria-activedescendant');
    } else {
      input.setAttribute('aria-activedescendant', `${listId}-${index}`);
    }
  }

  async function search() {
    searches += 1;
    const current = searches;
    if (input.value.length < options.minLength) {
      hide();
      const missing = options.minLength - input.value.length;
      status.textContent =
        input.value === '' ? '' : `Type ${missing} more ${missing === 1 ? 'character' : 'characters'}.`;
      return;
    }
    if (chosen.length >= options.max) {
      status.textContent = `At most ${options.max} can be chosen.`;
      return;
    }
    input.setAttribute('aria-busy', 'true');
    const { groups, failure } = await options.search(input.value);
    input.removeAttribute('aria-busy');
    if (current !== searches) {
      return; // a newer search has started
    }
    const open = groups.map(({ label, choices }) => ({
      label,
      choices: choices.filter(({ value }) => !chosen.includes(value)),
    }));
    offered = open.flatMap(({ choices }) => choices);
    drawList(open);
    status.textContent = failure ?? (offered.length === 0 ? 'No result' : '');
  }

  /** @param {1 | -1} step */
  function move(step) {
    if (offered.length === 0) {
      void search();
    } else {
      activate((active + step + offered.length) % offered.length);
    }
  }

  input.addEventListener('input', () => void search());
  input.addEventListener('click', () => void search());
  input.addEventListener('blur', hide);
  input.addEventListener('keydown', (event) => {
    const choice = offered[active];
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      move(event.key === 'ArrowDown' ? 1 : -1);
    } else if (event.key === 'Enter') {
      event.preventDefault(); // does not submit the form
      if (choice !== undefined) {
        choose(choice);
      }
    } else if (event.key === 'Escape' && !list.hidden) {
      event.preventDefault();
      event.stopPropagation();
      hide();
    } else if (event.key === 'Backspace' && input.value === '' && chosen.length > 0) {
      remove(chosen.at(-1));
    }
  });
  node.addEventListener('change', (event) => event.target === input && event.stopImmediatePropagation(), true);

  /** @param {InputValue} value */
  function write(value) {
    chosen = [value].flat().filter((each) => each !== '');
    drawChips();
  }

  write(options.initial);
  return { node, focusable: input, read: () => (options.isMultiple ? chosen : (chosen[0] ?? '')), write };
}

/** @param {readonly Choice[]} choices */
function rememberLabels(choices) {
  for (const { value, label } of choices) {
    labels.set(value, label);
  }
}
