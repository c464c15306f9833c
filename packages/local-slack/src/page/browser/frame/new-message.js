import { byId, h } from '../base/dom.js';

/**
 * Asks for the people of a direct message.
 *
 * @param {readonly { id: string, realName: string }[]} people
 * @returns {Promise<string[]>} ids. Empty when the person cancelled.
 */
export function choosePeople(people) {
  const dialog = byId('confirm', HTMLDialogElement);
  const failure = h('p', { class: 'failure', role: 'alert' });
  const boxes = people.map(({ id, realName }, index) => ({
    id,
    realName,
    box: h('input', { type: 'checkbox', autofocus: index === 0 }),
  }));
  const chosen = () => boxes.filter(({ box }) => box.checked).map(({ id }) => id);

  /** @param {Event} event */
  function submit(event) {
    event.preventDefault();
    failure.textContent = chosen().length === 0 ? 'Choose somebody to write to.' : '';
    if (chosen().length > 0) {
      dialog.close('yes');
    }
  }

  dialog.replaceChildren(
    h(
      'form',
      { onsubmit: submit },
      h('header', { class: 'modal-header' }, h('h2', { id: 'confirm-title' }, 'New direct message')),
      h(
        'div',
        { class: 'modal-body' },
        h(
          'fieldset',
          { class: 'choices' },
          h('legend', {}, 'To'),
          ...boxes.map(({ box, realName }) => h('label', { class: 'choice' }, box, realName)),
        ),
        failure,
      ),
      h(
        'footer',
        { class: 'modal-footer' },
        h('button', { type: 'button', class: 'button', onclick: () => dialog.close('') }, 'Cancel'),
        h('button', { type: 'submit', class: 'button primary' }, 'Open'),
      ),
    ),
  );
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes' ? chosen() : []), { once: true });
  });
}
