import { h } from './dom.js';
import { local } from './server.js';

const KEPT = 500;

/** Every call of the app and every attempt to reach it, the newest first; what is opened stays open. */
export function createInspector(node) {
  let latest = 0;
  let isFetching = false;
  const onlyTrouble = h('input', { type: 'checkbox', onchange: () => list.classList.toggle('only-trouble') });
  const list = h('ol', { class: 'inspected', 'aria-label': 'Calls and deliveries, newest first' });
  const empty = h('p', { class: 'soft' }, 'Nothing went over the line yet.');
  node.append(h('label', { class: 'choice' }, onlyTrouble, h('span', {}, 'Only what went wrong')), empty, list);

  async function refresh() {
    if (isFetching) {
      return;
    }
    isFetching = true;
    const answer = await local('GET', `inspector?since=${latest}`);
    isFetching = false;
    if (answer.shown !== null) {
      empty.textContent = answer.shown;
      return;
    }
    if (answer.latest < latest) {
      list.replaceChildren(); // local Slack was started anew
    }
    latest = answer.latest;
    list.prepend(...answer.entries.map(renderEntry).reverse());
    while (list.childElementCount > KEPT) {
      list.lastElementChild.remove();
    }
    empty.hidden = list.childElementCount > 0;
  }

  return { refresh };
}

function renderEntry(entry) {
  const isCall = entry.direction === 'to_slack';
  const details = h(
    'details',
    {
      ontoggle: () => {
        if (details.childElementCount === 1) {
          details.append(
            ...renderPart(isCall ? 'Arguments' : 'Payload', entry.payload),
            ...renderPart('Answer', entry.answer),
          );
        }
      },
    },
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

function renderPart(name, value) {
  const text = value === null || value === undefined ? 'nothing' : JSON.stringify(value, null, 2);
  return [h('h3', {}, name), h('pre', { tabindex: 0, role: 'region', 'aria-label': name }, h('code', {}, text))];
}
