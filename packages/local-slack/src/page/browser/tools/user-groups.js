import { findByAction, focusedIn, h, nextId } from '../base/dom.js';

/** @import { UserGroup } from '../../../workspace/model.ts' */
/** @import { PageState } from '../../page-types.ts' */
/** @import { Server } from '../types.ts' */

/**
 * The user groups of the workspace with their members, and a form for a new one.
 *
 * @param {HTMLElement} node
 * @param {() => PageState | null} readState
 * @param {Pick<Server, 'perform'>} server
 */
export function createUserGroups(node, readState, { perform }) {
  const id = nextId('user-group');
  const list = h('div', { class: 'user-groups' });
  const failure = h('p', { class: 'failure', role: 'alert' });
  const handle = h('input', { id, type: 'text', placeholder: 'oncall', autocomplete: 'off', required: true });
  let shown = '';
  node.append(
    list,
    h(
      'form',
      { class: 'fault-form', novalidate: true, onsubmit: create },
      h('h3', {}, 'New user group'),
      h('label', { for: id }, 'Handle, without @'),
      handle,
      h('button', { type: 'submit', class: 'button' }, 'Create'),
      failure,
    ),
  );

  /** @param {string} name @param {readonly string[]} people */
  async function change(name, people) {
    const refused = await perform('user-group', { handle: name, people });
    failure.textContent = refused ?? '';
    return refused === null;
  }

  /** @param {Event} event */
  async function create(event) {
    event.preventDefault();
    if (await change(handle.value, [])) {
      handle.value = '';
    }
  }

  /** @param {UserGroup} group @param {PageState['people']} people */
  function renderGroup(group, people) {
    const boxes = people.map((person) =>
      h('input', {
        type: 'checkbox',
        checked: group.users.includes(person.id),
        value: person.id,
        'data-action': `${group.id}/${person.id}`,
        onchange: () => void change(group.handle, checked()), // what is checked now, also before the answer is drawn
      }),
    );
    const checked = () => boxes.filter((box) => box.checked).map(({ value }) => value);
    return h(
      'fieldset',
      { class: 'choices' },
      h('legend', {}, `@${group.handle}`),
      ...people.map((person, index) => h('label', { class: 'choice' }, boxes[index], person.realName)),
    );
  }

  return {
    refresh() {
      const { userGroups = [], people = [] } = readState() ?? {};
      const current = JSON.stringify(userGroups.map(({ id: group, handle: name, users }) => [group, name, users]));
      if (current === shown) {
        return;
      }
      shown = current;
      const focused = focusedIn(list)?.dataset.action;
      const humans = people.filter(({ isBot }) => !isBot);
      list.replaceChildren(...userGroups.map((group) => renderGroup(group, humans)));
      findByAction(list, focused)?.focus();
    },
  };
}
