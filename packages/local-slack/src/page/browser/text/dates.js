import { h } from '../base/dom.js';

/** @type {Readonly<Record<string, Intl.DateTimeFormatOptions>>} */
const FORMATS = {
  date_num: { year: 'numeric', month: '2-digit', day: '2-digit' },
  date: { year: 'numeric', month: 'long', day: 'numeric' },
  date_short: { year: 'numeric', month: 'short', day: 'numeric' },
  date_long: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
  time: { hour: 'numeric', minute: '2-digit' },
  time_secs: { hour: 'numeric', minute: '2-digit', second: '2-digit' },
};

/** @param {Date} date @param {string} name */
function format(date, name) {
  return new Intl.DateTimeFormat(undefined, FORMATS[name]).format(date);
}

/** Whole days from today. @param {Date} date */
function dayDistance(date) {
  /** @param {Date} value */
  const midnight = (value) => new Date(value.getFullYear(), value.getMonth(), value.getDate()).getTime();
  return Math.round((midnight(date) - midnight(new Date())) / 86_400_000);
}

/** @type {ReadonlyMap<number, string>} */
const NEAR_DAYS = new Map([
  [-1, 'yesterday'],
  [0, 'today'],
  [1, 'tomorrow'],
]);

/** @type {readonly (readonly [Intl.RelativeTimeFormatUnit, number])[]} */
const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** @param {Date} date */
function ago(date) {
  const seconds = Math.round((date.getTime() - Date.now()) / 1000);
  const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) {
      return relative.format(Math.trunc(seconds / size), unit);
    }
  }
  return relative.format(seconds, 'second');
}

/**
 * A date with tokens like `{date_short_pretty}` and `{ago}`, in the reader's time zone.
 *
 * @param {string} pattern
 * @param {Date} date
 */
export function renderTime(pattern, date) {
  const attributes = { datetime: date.toISOString(), title: date.toString(), 'data-pattern': pattern };
  return h('time', attributes, fillDateTokens(pattern, date));
}

/** How often ages are written again, in milliseconds. */
const AGE_MS = 10_000;

/** Keeps the ages and the near days on the page true while nothing else is redrawn. */
export function keepDatesTrue() {
  setInterval(() => {
    for (const time of document.querySelectorAll('time[data-pattern]')) {
      const text = fillDateTokens(
        time.getAttribute('data-pattern') ?? '',
        new Date(time.getAttribute('datetime') ?? ''),
      );
      if (time.textContent !== text) {
        time.textContent = text;
      }
    }
  }, AGE_MS);
}

/** @param {string} pattern @param {Date} date */
function fillDateTokens(pattern, date) {
  return pattern.replace(/\{([a-z_]+)\}/g, (/** @type {string} */ token, /** @type {string} */ name) => {
    if (name === 'ago') {
      return ago(date);
    }
    if (name.endsWith('_pretty')) {
      return NEAR_DAYS.get(dayDistance(date)) ?? format(date, name.slice(0, -'_pretty'.length));
    }
    return Object.hasOwn(FORMATS, name) ? format(date, name) : token;
  });
}

/** When a message was posted: the time, and the day unless it is today. @param {Date} date */
export function postedAt(date) {
  return dayDistance(date) === 0 ? format(date, 'time') : `${format(date, 'date_short')}, ${format(date, 'time')}`;
}
