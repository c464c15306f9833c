import { h } from '../base/dom.js';
import { local } from '../base/server.js';

/** @import { InspectorEntry } from '../../../control/inspector.ts' */

const MAX_ENTRIES = 500;

/** Calls of the app and deliveries to it, newest first. Open entries stay open. @param {HTMLElement} node */
export function createInspector(node) {
  let latest = 0;
  let isFetching = false;
  const list = h('ol', { class: 'inspected', 'aria-label': 'Calls and deliveries, newest first' });
  const onlyFailures = h('input', { type: 'checkbox', onchange: () => list.classList.toggle('only-failures') });
  const empty = h('p', { class: 'soft' }, 'No calls or deliveries yet.');
  node.append(h('label', { class: 'choice' }, onlyFailures, h('span', {}, 'Only failures')), empty, list);

  return {
    async refresh() {
      if (isFetching) {
        return;
      }
      isFetching = true;
      /** @type {Awaited<ReturnType<typeof local<{ entries: InspectorEntry[], latest: number }>>>} */
      const { shown, entries = [], latest: newest = 0 } = await local('GET', `inspector?since=${latest}`);
      isFetching = false;
      if (shown !== null) {
        empty.textContent = shown;
        return;
      }
      if (newest < latest) {
        list.replaceChildren(); // local Slack was restarted
      }
      latest = newest;
      list.prepend(...entries.map(renderEntry).reverse());
      while (list.childElementCount > MAX_ENTRIES) {
        list.lastElementChild?.remove();
      }
      empty.hidden = list.childElementCount > 0;
    },
  };
}

/** @param {InspectorEntry} entry */
function renderEntry(entry) {
  const isCall = entry.direction === 'to_slack';
  const renderDetails = () => {
    if (details.childElementCount === 1) {
      details.append(
        ...renderPart(isCall ? 'Arguments' : 'Payload', entry.payload),
        ...renderPart(isCall ? 'Response' : 'Acknowledgement', entry.answer),
      );
    }
  };
  const details = h(
    'details',
    { ontoggle: renderDetails },
    h(
      'summary',
      {},
      h('span', { class: 'way', 'aria-hidden': 'true' }, isCall ? '→' : '←'),
      h('span', { class: 'visually-hidden' }, isCall ? 'Call of the app: ' : 'Delivery to the app: '),
      h('strong', {}, entry.name),
      h('span', { class: entry.isFine ? 'verdict' : 'verdict bad' }, `${entry.isFine ? '' : '⚠ '}${entry.verdict}`),
      h('small', {}, `${new Date(entry.at).toLocaleTimeString()} · ${entry.latencyMs} ms`),
    ),
  );
  return h('li', { class: entry.isFine ? 'fine' : '' }, details);
}

/** @param {string} name @param {unknown} value */
function renderPart(name, value) {
  const text = value === null || value === undefined ? 'nothing' : JSON.stringify(value, null, 2);
  return [h('h3', {}, name), h('pre', { tabindex: 0, role: 'region', 'aria-label': name }, h('code', {}, text))];
}
