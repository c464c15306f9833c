import { byId, h } from './dom.js';
import { renderMrkdwn, renderPlain } from './mrkdwn.js';

/**
 * Asks what an element's confirm object asks; true at once where there is none.
 *
 * @returns {Promise<boolean>}
 */
export function confirm(question, directory) {
  if (question === undefined) {
    return Promise.resolve(true);
  }
  const dialog = byId('confirm');
  const answer = (value) => () => dialog.close(value);
  const text =
    question.text.type === 'mrkdwn' ? renderMrkdwn(question.text.text, directory) : [renderPlain(question.text.text)];
  dialog.replaceChildren(
    h('header', { class: 'modal-header' }, h('h2', { id: 'confirm-title' }, renderPlain(question.title.text))),
    h('div', { class: 'modal-body' }, h('p', { class: 'text' }, ...text)),
    h(
      'footer',
      { class: 'modal-footer' },
      h('button', { type: 'button', class: 'button', onclick: answer('') }, renderPlain(question.deny.text)),
      h(
        'button',
        { type: 'button', class: `button ${question.style ?? 'primary'}`, autofocus: true, onclick: answer('yes') },
        renderPlain(question.confirm.text),
      ),
    ),
  );
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'yes'), { once: true });
  });
}
