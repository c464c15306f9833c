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
  const ahead = Math.round((at - now) / 1000);
  const seconds = ahead >= 0 && ahead < 5 ? -0 : ahead;
  const [unit, length] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  return words.format(Math.trunc(seconds / length), unit);
}

const local = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const localDay = new Intl.DateTimeFormat('en-CA', { dateStyle: 'short' });
const localClock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

/** "14:05", with the date if that is another day. */
function clock(at) {
  const isToday = localDay.format(at) === localDay.format(Date.now());
  return isToday ? localClock.format(at) : `${localDay.format(at)} ${localClock.format(at)}`;
}

/** How far this machine's clock is behind that of the service; 0 where the page does not tell. */
const behindMs = Date.parse(document.documentElement.dataset.now ?? '') - Date.now() || 0;

function setText(element, text) {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}

/** Times in the zone of the reader, with UTC as a tooltip. */
function refreshTimes() {
  for (const time of document.querySelectorAll('time')) {
    const at = Date.parse(time.dateTime);
    if ('ago' in time.dataset) {
      setText(time, ago(at, Date.now() + behindMs));
      time.title = `${local.format(at)} (${time.dateTime.slice(0, 19).replace('T', ' ')} UTC)`;
    } else if ('clock' in time.dataset) {
      setText(time, clock(at));
    } else if ('exact' in time.dataset) {
      setText(time, local.format(at));
    }
  }
  for (const tick of document.querySelectorAll('.chart [data-at]')) {
    setText(tick, localClock.format(Number(tick.dataset.at)));
  }
  for (const zone of document.querySelectorAll('.chart [data-zone]')) {
    setText(zone, Intl.DateTimeFormat().resolvedOptions().timeZone);
  }
}
setInterval(refreshTimes, 5000);
refreshTimes();

const zoneField = document.querySelector('input[name="zone"]');
if (zoneField?.value === '') {
  zoneField.value = Intl.DateTimeFormat().resolvedOptions().timeZone;
}

// Whether the page follows changes.
const status = document.getElementById('live-status');
function sayStatus(text, isLive) {
  if (status !== null) {
    status.hidden = false;
    status.textContent = text;
    status.classList.toggle('is-live', isLive);
  }
}
const SILENT = 'Not live: the database does not answer';
const WHY_NOT_LIVE = { 401: 'Signed out: reload the page', 503: SILENT };
document.addEventListener('htmx:sse:after:connection', () => sayStatus('Live', true));
document.addEventListener('htmx:sse:error', ({ detail }) =>
  sayStatus(WHY_NOT_LIVE[detail.status] ?? 'Not live: reconnecting', false),
);
document.addEventListener('htmx:sse:before:message', ({ detail: { message } }) => {
  if (message.event === 'database') {
    const answers = message.data === 'answers';
    sayStatus(answers ? 'Live' : SILENT, answers);
  }
});
document.addEventListener('htmx:sse:after:message', refreshTimes);

// The root service is always in view.
function showRoots() {
  for (const box of document.querySelectorAll('.map-box')) {
    const root = box.querySelector('.node.root')?.getBoundingClientRect();
    const { left, width } = box.getBoundingClientRect();
    box.scrollLeft += Math.max(0, (root?.right ?? 0) - left - width + 16);
  }
}
showRoots();
document.addEventListener('htmx:sse:after:message', showRoots);
// A map that was folded had no size.
document.addEventListener(
  'toggle',
  ({ target }) => target.querySelector('.map-box .node.root')?.scrollIntoView({ block: 'nearest', inline: 'nearest' }),
  { capture: true },
);

// The theme: as the system has it, or the one chosen here (see theme.js).
const themeSwitch = document.querySelector('[data-theme-switch]');
themeSwitch.hidden = false;
themeSwitch.addEventListener('click', () => {
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  const shown = document.documentElement.dataset.theme ?? (isDark ? 'dark' : 'light');
  const next = shown === 'dark' ? 'light' : 'dark';
  document.documentElement.dataset.theme = next;
  localStorage.setItem('tocsin-theme', next);
});

// New incidents are counted in the title, which the tab shows.
const plainTitle = document.title;
function showCount() {
  const count = Number(document.getElementById('new-incidents')?.dataset.count ?? 0);
  document.title = count > 0 ? `(${count}) ${plainTitle}` : plainTitle;
}
document.addEventListener('htmx:sse:after:message', showCount);

// A sound for new incidents, which nobody has acknowledged yet: off unless it was chosen.
const SOUND = 'tocsin-sound';
const soundChoice = document.querySelector('[data-sound]');
soundChoice.checked = localStorage.getItem(SOUND) === 'on';
soundChoice.addEventListener('change', () => {
  localStorage.setItem(SOUND, soundChoice.checked ? 'on' : 'off');
  if (soundChoice.checked) {
    playTwoTones(); // lets people hear it, and lets the browser play it later
  }
});
let heardOf = 0;
document.addEventListener('htmx:sse:after:message', () => {
  const count = Number(document.getElementById('new-incidents')?.dataset.count ?? 0);
  if (count > heardOf && soundChoice.checked) {
    playTwoTones();
  }
  heardOf = count;
});

let audio = null;
function playTwoTones() {
  audio ??= new AudioContext();
  void audio.resume();
  const volume = audio.createGain();
  volume.gain.value = 0.15;
  volume.connect(audio.destination);
  for (const [index, hertz] of [660, 880].entries()) {
    const tone = audio.createOscillator();
    tone.frequency.value = hertz;
    tone.connect(volume);
    tone.start(audio.currentTime + index * 0.2);
    tone.stop(audio.currentTime + index * 0.2 + 0.18);
  }
  document.dispatchEvent(new CustomEvent('tocsin:sound'));
}

// Copying: what an address answers, or the text of an element.
const COPY_BUTTONS = 'button[data-copy], button[data-copy-from]';

async function textToCopy({ copy, copyFrom }) {
  return copyFrom === undefined ? (await fetch(copy)).text() : document.getElementById(copyFrom).textContent;
}

/** Also of parts that replaced others. */
function showCopyButtons() {
  for (const button of document.querySelectorAll(COPY_BUTTONS)) {
    button.hidden = false;
  }
}
showCopyButtons();
document.addEventListener('htmx:sse:after:message', showCopyButtons);
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

// A form shows the fields of the chosen type.
for (const field of document.querySelectorAll('[data-for]')) {
  const type = field.closest('form').elements.type;
  const show = () => {
    field.hidden = !field.dataset.for.split(' ').includes(type.value);
  };
  type.addEventListener('change', show);
  show();
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
  '/': () => {
    const find = document.querySelector('.find input');
    if (find?.checkVisibility() === false) {
      find.closest('details').open = true;
    }
    find?.focus();
  },
  a: () => document.querySelector('[data-key="a"]')?.focus(),
  r: () => unfold('r'),
  n: () => unfold('n'),
};

document.addEventListener('keydown', (event) => {
  const form = event.target.closest?.('form');
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && event.target.matches?.('textarea')) {
    event.preventDefault();
    form.requestSubmit();
    return;
  }
  const unfolded = event.key === 'Escape' ? event.target.closest?.('.forms details[open]') : null;
  if (unfolded) {
    unfolded.open = false;
    unfolded.querySelector('summary').focus();
    return;
  }
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
