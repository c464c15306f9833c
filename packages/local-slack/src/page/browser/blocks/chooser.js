import { h } from '../base/dom.js';
import { morphChildren } from '../base/morph.js';
import { perform } from '../base/server.js';
import { choicesOf, chosenAtFirst, offeredIn } from './choices.js';

/** @import { BlockContext, Choice, FieldOptions, SelectOptions } from '../types.ts' */
/** @import { ExternalSelect, MultiSelect } from '@slack/types' */

/** Slack's default of `min_query_length`. */
const MIN_LENGTH = 3;

/**
 * A text field with the browser's own list of options, and what is chosen above it.
 *
 * @param {ExternalSelect | MultiSelect} element
 * @param {FieldOptions} options
 * @param {BlockContext} context
 */
export function createChooser(element, { id, key, onchange }, { place, directory }) {
  const isExternal = element.type.endsWith('external_select');
  const isMultiple = element.type.startsWith('multi_');
  const known = choicesOf(element, directory);
  /** The newest search; what is chosen waits for it. @type {Promise<readonly Choice[]>} */
  let offered = Promise.resolve(known);

  const list = h('datalist', { id: `${id}-list` }, ...known.map(renderOption));
  const chosen = h('ul', { class: 'chips', 'aria-label': 'Chosen' }, ...chosenAtFirst(element, known).map(renderChip));
  const status = h('p', { class: 'hint', role: 'status' });
  const input = h('input', {
    id,
    type: 'text',
    list: list.id,
    autocomplete: 'off',
    placeholder: element.placeholder?.text ?? 'Type to search',
    oninput,
    onclick: () => void search(),
    onchange: (event) => event.stopPropagation(),
    onkeydown,
  });
  const node = h(
    'div',
    {
      class: 'chooser',
      'data-field': key,
      'data-key': key,
      'data-is-single': !isMultiple,
      'data-live': true,
      onchange,
    },
    chosen,
    input,
    list,
    status,
  );

  /** @param {Choice} choice */
  function renderOption({ label, description }) {
    return h('option', { value: label }, description);
  }

  /** @param {Choice} choice */
  function renderChip({ value, label }) {
    const onclick = (/** @type {Event} */ { currentTarget }) => {
      /** @type {HTMLElement} */ (currentTarget).closest('li')?.remove();
      input.focus();
      node.dispatchEvent(new Event('change'));
    };
    return h('li', {}, h('button', { type: 'button', value, 'aria-label': `Remove ${label}`, onclick }, `${label} ×`));
  }

  async function search() {
    const missing = isExternal ? (('min_query_length' in element && element.min_query_length) ?? MIN_LENGTH) : 0;
    if (!isExternal || input.value.length < Number(missing)) {
      return;
    }
    const [blockId, actionId] = key.split('/').map(decodeURIComponent);
    /** @type {ReturnType<typeof perform<SelectOptions>>} */
    const asked = perform('suggest', { place, target: { blockId, actionId }, typed: input.value });
    const current = asked.then((answer) => offeredIn(answer));
    offered = current;
    const { shown } = await asked;
    if (offered === current) {
      const choices = await current;
      morphChildren(list, choices.map(renderOption));
      status.textContent = shown ?? (choices.length === 0 ? 'No result' : '');
    }
  }

  /** Takes the option whose label was typed. @param {boolean} orOnly takes the only one that there is, too */
  async function choose(orOnly) {
    const typed = input.value;
    const choices = await offered;
    const fitting = choices.filter(({ label }) => label.toLowerCase().includes(typed.toLowerCase()));
    const choice = choices.find(({ label }) => label === typed) ?? (orOnly && fitting.length === 1 && fitting[0]);
    if (!choice || typed === '') {
      return;
    }
    const others = [...chosen.querySelectorAll('button')].filter(({ value }) => isMultiple && value !== choice.value);
    chosen.replaceChildren(...others.flatMap((each) => each.closest('li') ?? []), renderChip(choice));
    input.value = input.value.slice(typed.length); // what was typed meanwhile is the next search
    node.dispatchEvent(new Event('change'));
  }

  /** @param {Event} event the browser says when somebody takes an option from its list */
  function oninput(event) {
    const isTyped = event instanceof InputEvent && event.inputType !== 'insertReplacementText';
    void (isTyped ? search() : choose(false));
  }

  /** @param {Event} event */
  function onkeydown(event) {
    const { key: pressed } = /** @type {KeyboardEvent} */ (event);
    if (pressed === 'Enter') {
      event.preventDefault(); // does not submit the form
      void choose(true);
    } else if (pressed === 'Backspace' && input.value === '') {
      chosen.lastElementChild?.querySelector('button')?.click();
    }
  }

  return node;
}
