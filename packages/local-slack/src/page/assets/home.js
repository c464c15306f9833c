import { byId, h } from './dom.js';
import { createForm } from './form.js';

/**
 * Shows what the app published as a person's Home.
 *
 * @param {{ perform: (doing: 'click', body: object) => Promise<string | null>, suggest: (body: object) => Promise<object>,
 *   upload: (file: File) => Promise<object> }} server
 */
export function createHome(server) {
  const panel = byId('home');
  let shown = null;

  /** @param {object} state */
  function update(state, directory) {
    const view = state.home;
    const hash = view === null ? `none ${state.viewer.id}` : `${view.id} ${view.hash}`;
    if (shown?.hash === hash) {
      return;
    }
    const focused = panel.contains(document.activeElement) ? document.activeElement.dataset.action : undefined;
    const form = view && createForm(view, directory, server);
    if (form !== null && shown?.viewer === state.viewer.id) {
      form.write(shown.form?.values() ?? {});
    }
    shown = { hash, form, viewer: state.viewer.id };
    panel.replaceChildren(...(form?.nodes ?? [renderEmpty(state.app)]));
    if (focused !== undefined) {
      panel.querySelector(`[data-action="${CSS.escape(focused)}"]`)?.focus();
    }
  }

  return { update };
}

function renderEmpty(app) {
  return h(
    'div',
    { class: 'empty' },
    h('h3', {}, `${app.name} has published no Home yet`),
    h('p', {}, 'An app publishes it with views.publish, as a rule when it hears app_home_opened.'),
  );
}
