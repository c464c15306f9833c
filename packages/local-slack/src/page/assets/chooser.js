import { h } from './dom.js';

/** What the page has seen a value called; an app names the options of an external select only once. */
const seen = new Map();

/**
 * A box to type in that offers what matches; several can be chosen where the element says so.
 *
 * @param {{ id: string, isMultiple: boolean, most: number, minLength: number, placeholder: string, initial: string[],
 *   labels: { value: string, label: string }[],
 *   search: (typed: string) => Promise<{ groups: object[], trouble?: string }> }} options
 * @returns {import('./inputs.js').Field}
 */
export function createChooser(options) {
  const listId = `${options.id}-list`;
  let chosen = [];
  let offered = [];
  let active = -1;
  let asked = 0;
  remember(options.labels);

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
  const said = h('p', { class: 'hint', role: 'status' });
  const node = h('div', { class: 'chooser' }, chips, h('div', { class: 'chooser-box' }, input, list), said);

  function changed() {
    node.dispatchEvent(new Event('change'));
  }

  function drawChips() {
    chips.hidden = chosen.length === 0;
    chips.replaceChildren(
      ...chosen.map((value) =>
        h(
          'li',
          {},
          seen.get(value) ?? value,
          h(
            'button',
            { type: 'button', 'aria-label': `Remove ${seen.get(value) ?? value}`, onclick: () => remove(value) },
            '×',
          ),
        ),
      ),
    );
  }

  function remove(value) {
    chosen = chosen.filter((each) => each !== value);
    drawChips();
    input.focus();
    changed();
  }

  function choose({ value, label }) {
    remember([{ value, label }]);
    chosen = options.isMultiple ? [...chosen, value] : [value];
    input.value = '';
    hide();
    drawChips();
    changed();
  }

  function hide() {
    asked += 1;
    offered = [];
    drawList([]);
  }

  function drawList(groups) {
    list.hidden = offered.length === 0;
    input.setAttribute('aria-expanded', String(!list.hidden));
    list.replaceChildren(...groups.flatMap(renderGroup));
    activate(offered.length > 0 ? 0 : -1);
  }

  function renderGroup({ label, choices }) {
    const items = choices.map((choice) =>
      h(
        'li',
        {
          id: `${listId}-${offered.indexOf(choice)}`,
          role: 'option',
          'aria-selected': 'false',
          onmousedown: (event) => {
            event.preventDefault();
            choose(choice);
          },
        },
        choice.label,
      ),
    );
    return label === null || items.length === 0
      ? items
      : [h('li', { role: 'presentation', class: 'group-label' }, label), ...items];
  }

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
    asked += 1;
    const mine = asked;
    if (input.value.length < options.minLength) {
      hide();
      const missing = options.minLength - input.value.length;
      said.textContent =
        input.value === '' ? '' : `Type ${missing} more ${missing === 1 ? 'character' : 'characters'}.`;
      return;
    }
    if (chosen.length >= options.most) {
      said.textContent = `At most ${options.most} can be chosen.`;
      return;
    }
    input.setAttribute('aria-busy', 'true');
    const { groups, trouble } = await options.search(input.value);
    input.removeAttribute('aria-busy');
    if (mine !== asked) {
      return; // something else was typed meanwhile
    }
    const open = groups.map(({ label, choices }) => ({
      label,
      choices: choices.filter(({ value }) => !chosen.includes(value)),
    }));
    offered = open.flatMap(({ choices }) => choices);
    drawList(open);
    said.textContent = trouble ?? (offered.length === 0 ? 'No result' : '');
  }

  input.addEventListener('input', () => void search());
  input.addEventListener('click', () => void search());
  input.addEventListener('blur', hide);
  input.addEventListener('keydown', (event) => {
    const steps = { ArrowDown: 1, ArrowUp: -1 };
    if (Object.hasOwn(steps, event.key)) {
      event.preventDefault();
      if (offered.length === 0) {
        void search();
      } else {
        activate((active + steps[event.key] + offered.length) % offered.length);
      }
    } else if (event.key === 'Enter') {
      event.preventDefault(); // never submits the form around it
      if (active >= 0) {
        choose(offered[active]);
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

  const field = {
    node,
    focusable: input,
    read: () => (options.isMultiple ? chosen : (chosen[0] ?? '')),
    write(value) {
      chosen = [value].flat().filter((each) => each !== '');
      drawChips();
    },
  };
  field.write(options.initial);
  return field;
}

function remember(labels) {
  for (const { value, label } of labels) {
    seen.set(value, label);
  }
}
