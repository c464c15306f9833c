import { h } from './dom.js';
import { local } from './server.js';

/** The panel of a program that announced itself: its buttons, figures and log. `opener` is there while the panel is. */
export function createPanel(node, opener) {
  const said = h('p', { class: 'failure', role: 'alert' });
  const gone = h('p', { class: 'soft' }, 'The program that was here has gone.');
  const figures = h('dl', { class: 'panel-figures' });
  const groups = h('div', { class: 'panel-groups' });
  const log = h('ol', { class: 'panel-log', 'aria-label': 'What happened, newest first' });
  const whole = h(
    'div',
    { class: 'panel-whole', hidden: true },
    figures,
    groups,
    said,
    h('h3', {}, 'What happened'),
    log,
  );
  node.append(gone, whole);
  let drawn = '';

  async function press(id) {
    said.textContent = (await local('POST', 'panel/presses', { button: id })).shown ?? '';
  }

  /** Buttons stay the same elements while only their state changes, so that the keyboard stays where it is. */
  function drawButtons(buttons) {
    const layout = JSON.stringify(buttons.map(({ id, label, group }) => [id, label, group]));
    if (layout !== drawn) {
      drawn = layout;
      groups.replaceChildren(...[...Map.groupBy(buttons, ({ group }) => group)].flatMap(renderGroup));
    }
    for (const { id, active } of buttons) {
      groups.querySelector(`[data-button="${CSS.escape(id)}"]`).setAttribute('aria-pressed', String(active));
    }
  }

  function renderGroup([name, buttons]) {
    const row = buttons.map(({ id, label }) =>
      h('button', { type: 'button', class: 'button', 'data-button': id, onclick: () => press(id) }, label),
    );
    return [
      ...(name === '' ? [] : [h('h3', {}, name)]),
      h('div', { class: 'panel-buttons', role: 'group', 'aria-label': name || 'Buttons' }, ...row),
    ];
  }

  async function refresh() {
    const { panel = null } = await local('GET', 'panel');
    opener.parentElement.hidden = panel === null && opener.getAttribute('aria-expanded') !== 'true';
    whole.hidden = panel === null;
    gone.hidden = panel !== null;
    if (panel === null) {
      return;
    }
    opener.textContent = panel.title;
    drawButtons(panel.buttons);
    figures.replaceChildren(...panel.figures.map(renderFigure));
    log.replaceChildren(...panel.log.map((line) => h('li', {}, line)));
  }

  return { refresh };
}

function renderFigure({ label, value, alarming }) {
  return h(
    'div',
    { class: alarming ? 'alarming' : null },
    h('dt', {}, label),
    h('dd', {}, alarming ? `⚠ ${value}` : value),
  );
}
