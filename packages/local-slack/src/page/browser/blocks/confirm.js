import { byId, h } from '../base/dom.js';
import { renderPlain, renderText } from '../text/mrkdwn.js';

/** @import { ConfirmationDialog } from '@slack/types' */
/** @import { Directory } from '../types.ts' */

/**
 * Shows the confirmation dialog of an element. True at once when there is none.
 *
 * @param {ConfirmationDialog | undefined} question
 * @param {Directory} directory
 * @returns {Promise<boolean>}
 */
export function confirm(question, directory) {
  if (question === undefined) {
    return Promise.resolve(true);
  }
  const dialog = byId('confirm', HTMLDialogElement);
  /** @param {'yes' | ''} value */
  const answer = (value) => () => dialog.close(value);
  dialog.replaceChildren(
    h('header', { class: 'modal-header' }, h('h2', { id: 'confirm-title' }, renderPlain(question.title?.text ?? ''))),
    h('div', { class: 'modal-body' }, h('p', { class: 'text' }, ...renderText(question.text, directory))),
    h(
      'footer',
      { class: 'modal-footer' },
      h('button', { type: 'button', class: 'button', onclick: answer('') }, renderPlain(question.deny?.text ?? 'No')),
      h(
        'button',
        { type: 'button', class: `button ${question.style ?? 'primary'}`, autofocus: true, onclick: answer('yes') },
        renderPlain(question.confirm?.text ?? 'Yes'),
      ),
    ),
  );
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}
