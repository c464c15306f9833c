import { byId, findByAction, focusedIn, h } from '../base/dom.js';
import { createForm } from './form.js';

/** @import { PageState } from '../../page-types.ts' */
/** @import { Directory, Server } from '../types.ts' */

/** The Home tab of the app. @param {Server} server */
export function createHome(server) {
  const panel = byId('home');
  /** @type {{ key: string, viewer: string, form: ReturnType<typeof createForm> | null } | null} */
  let shown = null;

  return {
    /** @param {PageState} state @param {Directory} directory */
    update(state, directory) {
      const view = state.home;
      const key = view === null ? `none ${state.viewer.id}` : `${view.id} ${view.hash}`;
      if (shown?.key === key) {
        return;
      }
      const focusedAction = focusedIn(panel)?.dataset.action;
      const form = view && createForm(view, directory, server);
      if (form !== null && shown?.viewer === state.viewer.id) {
        form.write(shown.form?.values() ?? {});
      }
      shown = { key, viewer: state.viewer.id, form };
      panel.replaceChildren(...(form?.nodes ?? [renderEmpty(state.app.name)]));
      findByAction(panel, focusedAction)?.focus();
    },
  };
}

/** @param {string} appName */
function renderEmpty(appName) {
  return h(
    'div',
    { class: 'empty' },
    h('h3', {}, `${appName} has published no Home yet`),
    h('p', {}, 'Apps publish it with views.publish, usually when they receive app_home_opened.'),
  );
}
