import { byId } from './dom.js';
import { createFaults } from './faults.js';
import { createInspector } from './inspector.js';
import { createPanel } from './panel.js';

/**
 * The panel beside the workspace: what one does to Slack itself, not in it. Each tool has a button at the side and
 * draws into the panel while it is open.
 *
 * @param {() => object | null} readState what the page shows now
 * @returns {{ changed: () => void, inspected: () => void, panelChanged: () => void }} to be told of news
 */
export function createTools(readState) {
  const tools = {
    inspector: createInspector(byId('tool-inspector')),
    faults: createFaults(byId('tool-faults'), readState),
    panel: createPanel(byId('tool-panel'), byId('open-panel')),
  };
  const panel = byId('tools');
  let shown = null;

  function show(name) {
    shown = name;
    panel.hidden = name === null;
    for (const each of Object.keys(tools)) {
      byId(`tool-${each}`).hidden = each !== name;
      byId(`open-${each}`).setAttribute('aria-expanded', String(each === name));
    }
    if (name !== null) {
      byId('tools-heading').textContent = byId(`open-${name}`).textContent;
      void tools[name].refresh();
    }
  }

  function close() {
    const opener = byId(`open-${shown}`);
    show(null);
    opener.focus();
  }

  for (const name of Object.keys(tools)) {
    byId(`open-${name}`).addEventListener('click', () => show(shown === name ? null : name));
  }
  byId('tools-close').addEventListener('click', close);
  panel.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.defaultPrevented) {
      close();
    }
  });

  return {
    changed: () => shown === 'faults' && void tools.faults.refresh(),
    inspected: () => shown === 'inspector' && void tools.inspector.refresh(),
    panelChanged: () => void tools.panel.refresh(), // shown or not: its button comes and goes
  };
}
