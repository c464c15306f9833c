import { byId } from '../base/dom.js';
import { createFaults } from './faults.js';
import { createInspector } from './inspector.js';
import { createPanel } from './panel.js';
import { createUserGroups } from './user-groups.js';

/** @import { PageState } from '../../page-types.ts' */
/** @import { Server } from '../types.ts' */

/** @typedef {'inspector' | 'faults' | 'user-groups' | 'panel'} ToolName */

/** @type {readonly ToolName[]} */
const NAMES = ['inspector', 'faults', 'user-groups', 'panel'];

/**
 * The tools beside the workspace. Each has a button in the sidebar and is drawn while it is open.
 *
 * @param {() => PageState | null} readState
 * @param {Server} server
 */
export function createTools(readState, server) {
  const tools = {
    inspector: createInspector(byId('tool-inspector')),
    faults: createFaults(byId('tool-faults'), readState),
    'user-groups': createUserGroups(byId('tool-user-groups'), readState, server),
    panel: createPanel(byId('tool-panel'), byId('open-panel')),
  };
  const panel = byId('tools');
  /** @type {ToolName | null} */
  let shown = null;

  /** @param {ToolName | null} name */
  function show(name) {
    shown = name;
    panel.hidden = name === null;
    for (const each of NAMES) {
      byId(`tool-${each}`).hidden = each !== name;
      byId(`open-${each}`).setAttribute('aria-expanded', String(each === name));
    }
    if (name !== null) {
      byId('tools-heading').textContent = byId(`open-${name}`).textContent;
      void tools[name].refresh();
    }
  }

  function close() {
    const opener = shown && byId(`open-${shown}`);
    show(null);
    opener?.focus();
  }

  for (const name of NAMES) {
    byId(`open-${name}`).addEventListener('click', () => show(shown === name ? null : name));
  }
  byId('tools-close').addEventListener('click', close);
  panel.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !event.defaultPrevented) {
      close();
    }
  });

  return {
    onChange: () => shown === 'faults' && void tools.faults.refresh(),
    /** After the page has a new state. */
    onState: () => shown === 'user-groups' && tools['user-groups'].refresh(),
    onInspected: () => shown === 'inspector' && void tools.inspector.refresh(),
    /** Also while it is closed, because its button appears and disappears. */
    onPanel: () => void tools.panel.refresh(),
  };
}
