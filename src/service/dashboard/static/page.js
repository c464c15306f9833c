// Small conveniences. Every page works without this file.
const UNITS = [
  ['day', 86400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
];
const words = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

/** The same rule as `ago` of the server. */
function ago(at, now) {
  const seconds = Math.round((at - now) / 1000);
  const [unit, length] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  return words.format(Math.trunc(seconds / length), unit);
}

function refreshTimes() {
  for (const time of document.querySelectorAll('time[data-ago]')) {
    const text = ago(Date.parse(time.dateTime), Date.now());
    if (time.textContent !== text) {
      time.textContent = text;
    }
  }
}
setInterval(refreshTimes, 5000);

// Whether the page follows changes.
const status = document.getElementById('live-status');
function sayStatus(text, isLive) {
  if (status !== null) {
    status.hidden = false;
    status.textContent = text;
    status.classList.toggle('is-live', isLive);
  }
}
document.addEventListener('htmx:sse:after:connection', () => sayStatus('Live', true));
document.addEventListener('htmx:sse:error', ({ detail }) =>
  sayStatus(detail.status === 401 ? 'Signed out: reload the page' : 'Not live: reconnecting', false),
);
document.addEventListener('htmx:sse:after:message', refreshTimes);

// Copying: what an address answers, or the text of an element.
const COPY_BUTTONS = 'button[data-copy], button[data-copy-from]';

async function textToCopy({ copy, copyFrom }) {
  return copyFrom === undefined ? (await fetch(copy)).text() : document.getElementById(copyFrom).textContent;
}

for (const button of document.querySelectorAll(COPY_BUTTONS)) {
  button.hidden = false;
}
document.addEventListener('click', ({ target }) => {
  const button = target.closest(COPY_BUTTONS);
  if (button !== null) {
    void copy(button);
  }
});

async function copy(button) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(await textToCopy(button.dataset));
    button.textContent = 'Copied';
  } catch {
    button.textContent = 'Could not copy: select the text';
  }
  setTimeout(() => {
    button.textContent = label;
  }, 3000);
}

// Keyboard.
const STORED = 'tocsin-shortcuts';
const help = document.getElementById('keyboard-help');
const opener = document.querySelector('[data-help]');
const choice = document.querySelector('[data-shortcuts]');
opener.hidden = false;
opener.addEventListener('click', () => help.showModal());
choice.checked = localStorage.getItem(STORED) !== 'off';
choice.addEventListener('change', () => localStorage.setItem(STORED, choice.checked ? 'on' : 'off'));

function move(by) {
  const rows = [...document.querySelectorAll('a[data-row]')];
  const at = rows.indexOf(document.activeElement);
  const next = at === -1 ? (by > 0 ? 0 : rows.length - 1) : at + by;
  rows[Math.min(rows.length - 1, Math.max(0, next))]?.focus();
}

function unfold(key) {
  const details = document.querySelector(`details[data-key="${key}"]`);
  if (details?.checkVisibility()) {
    details.open = true;
    details.querySelector('textarea').focus();
  }
}

const ACTIONS = {
  j: () => move(1),
  k: () => move(-1),
  '?': () => help.showModal(),
  '/': () => document.querySelector('input[type="search"]')?.focus(),
  a: () => document.querySelector('[data-key="a"]')?.focus(),
  r: () => unfold('r'),
  n: () => unfold('n'),
};

document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest?.('input, textarea, select, dialog') !== null;
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || !choice.checked) {
    return;
  }
  const action = Object.hasOwn(ACTIONS, event.key) ? ACTIONS[event.key] : undefined;
  if (action !== undefined) {
    event.preventDefault();
    action();
  }
});
