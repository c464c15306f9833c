import { h, nextId } from '../base/dom.js';
import { local } from '../base/server.js';

/** @import { Panel } from '../../../control/panel.ts' */

/** @typedef {Panel['buttons'][number]} PanelButton */

/**
 * The panel of another program: its buttons, metrics and log.
 *
 * @param {HTMLElement} node
 * @param {HTMLElement} opener shown while there is a panel
 */
export function createPanel(node, opener) {
  const failure = h('p', { class: 'failure', role: 'alert' });
  const ended = h('p', { class: 'soft' }, 'The program behind this panel has stopped.');
  const metrics = h('dl', { class: 'panel-metrics' });
  const groups = h('div', { class: 'panel-groups' });
  const log = h('ol', { class: 'panel-log', 'aria-label': 'What happened, newest first' });
  const content = h(
    'div',
    { class: 'panel-content', hidden: true },
    metrics,
    groups,
    failure,
    h('h3', {}, 'What happened'),
    log,
  );
  node.append(ended, content);
  let drawnLayout = '';
  /** @type {ReadonlyMap<string, HTMLButtonElement>} */
  let buttons = new Map();

  /** @param {string} id */
  async function press(id) {
    failure.textContent = (await local('POST', 'panel/presses', { button: id })).shown ?? '';
  }

  /** While only their state changes, the buttons stay the same elements, so that the focus stays. @param {readonly PanelButton[]} wanted */
  function drawButtons(wanted) {
    const layout = JSON.stringify(wanted.map(({ id, label, description, group }) => [id, label, description, group]));
    if (layout !== drawnLayout) {
      drawnLayout = layout;
      buttons = new Map(wanted.map(({ id, label }) => [id, renderButton(id, label)]));
      groups.replaceChildren(...[...Map.groupBy(wanted, ({ group }) => group)].flatMap(renderGroup));
    }
    for (const { id, active } of wanted) {
      buttons.get(id)?.setAttribute('aria-pressed', String(active));
    }
  }

  /** @param {string} id @param {string} label */
  function renderButton(id, label) {
    return h('button', { type: 'button', class: 'button', onclick: () => press(id) }, label);
  }

  /** @param {[string, PanelButton[]]} group */
  function renderGroup([name, members]) {
    return [
      ...(name === '' ? [] : [h('h3', {}, name)]),
      h(
        'div',
        { class: 'panel-buttons', role: 'group', 'aria-label': name || 'Buttons' },
        ...members.map(renderDescribed),
      ),
    ];
  }

  /** @param {PanelButton} button */
  function renderDescribed({ id, description }) {
    const button = buttons.get(id);
    if (description === '' || button === undefined) {
      return button;
    }
    const descriptionId = nextId('panel-description');
    button.setAttribute('aria-describedby', descriptionId);
    return h('div', { class: 'panel-described' }, button, h('p', { id: descriptionId }, description));
  }

  return {
    async refresh() {
      /** @type {Awaited<ReturnType<typeof local<{ panel: Panel | null }>>>} */
      const { panel = null } = await local('GET', 'panel');
      const isOpen = opener.getAttribute('aria-expanded') === 'true';
      opener.parentElement?.toggleAttribute('hidden', panel === null && !isOpen);
      content.hidden = panel === null;
      ended.hidden = panel !== null;
      if (panel === null) {
        return;
      }
      opener.textContent = panel.title;
      drawButtons(panel.buttons);
      metrics.replaceChildren(...panel.metrics.map(renderMetric));
      log.replaceChildren(...panel.log.map((line) => h('li', {}, line)));
    },
  };
}

/** @param {Panel['metrics'][number]} metric */
function renderMetric({ label, value, alarming }) {
  return h(
    'div',
    { class: alarming ? 'alarming' : null },
    h('dt', {}, label),
    h('dd', {}, alarming ? `⚠ ${value}` : value),
  );
}
