import { byId, h } from '../base/dom.js';
import { morphChildren } from '../base/morph.js';
import { request } from '../base/server.js';

/** @import { Panel } from '../../../control/panel.ts' */

/** The panel of another program: its buttons, metrics and log. Its opener is shown while there is one. */
export function createPanel() {
  const opener = byId('open-panel');
  const aside = byId('panel');
  const failure = byId('panel-failure');

  /** @param {boolean} isOpen */
  function show(isOpen) {
    aside.hidden = !isOpen;
    opener.setAttribute('aria-expanded', String(isOpen));
    void refresh();
  }

  function close() {
    show(false);
    opener.focus();
  }

  async function refresh() {
    const { panel = null } = await /** @type {ReturnType<typeof request<{ panel: Panel | null }>>} */ (
      request('GET', '/local/panel')
    );
    opener.hidden = panel === null && aside.hidden;
    if (panel !== null) {
      opener.textContent = panel.title;
      byId('panel-heading').textContent = panel.title;
    }
    const ended = h('p', { class: 'soft' }, 'The program behind this panel has stopped.');
    morphChildren(byId('panel-content'), panel === null ? [ended] : renderPanel(panel));
  }

  /** @param {Panel} panel */
  function renderPanel({ metrics, buttons, log }) {
    return [
      h('dl', { class: 'metrics' }, ...metrics.map(renderMetric)),
      ...[...Map.groupBy(buttons, ({ group }) => group)].flatMap(([name, members]) => [
        name !== '' && h('h3', {}, name),
        h('div', { role: 'group', 'aria-label': name || 'Buttons' }, ...members.map(renderButton)),
      ]),
      h('h3', {}, 'What happened'),
      h('ol', { 'aria-label': 'What happened, newest first' }, ...log.map((line) => h('li', {}, line))),
    ].filter((node) => node instanceof Node);
  }

  /** @param {Panel['metrics'][number]} metric */
  function renderMetric({ label, value, alarming }) {
    return h('div', {}, h('dt', { class: 'soft' }, label), h('dd', {}, alarming ? `⚠ ${value}` : value));
  }

  /** @param {Panel['buttons'][number]} button */
  function renderButton({ id, label, description, active }) {
    const onclick = async () => {
      failure.textContent = (await request('POST', '/local/panel/presses', { button: id })).shown;
    };
    const describedBy = `panel-description-${id}`;
    return h(
      'p',
      { class: 'described', 'data-key': id },
      h(
        'button',
        { type: 'button', class: 'button', 'aria-pressed': String(active), 'aria-describedby': describedBy, onclick },
        label,
      ),
      h('span', { class: 'soft', id: describedBy }, description),
    );
  }

  opener.addEventListener('click', () => show(aside.hidden === true));
  byId('panel-close').addEventListener('click', close);
  aside.addEventListener('keydown', ({ key }) => key === 'Escape' && close());
  return { refresh };
}
