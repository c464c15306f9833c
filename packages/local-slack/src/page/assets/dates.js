const FORMATS = {
  date_num: { year: 'numeric', month: '2-digit', day: '2-digit' },
  date: { year: 'numeric', month: 'long', day: 'numeric' },
  date_short: { year: 'numeric', month: 'short', day: 'numeric' },
  date_long: { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' },
  time: { hour: 'numeric', minute: '2-digit' },
  time_secs: { hour: 'numeric', minute: '2-digit', second: '2-digit' },
};

function format(date, name) {
  return new Intl.DateTimeFormat(undefined, FORMATS[name]).format(date);
}

function dayDistance(date) {
  const midnight = (value) => new Date(value.getFullYear(), value.getMonth(), value.getDate()).getTime();
  return Math.round((midnight(date) - midnight(new Date())) / 86_400_000);
}

/** Yesterday, today and tomorrow by name. */
function pretty(date, name) {
  const near = { '-1': 'yesterday', 0: 'today', 1: 'tomorrow' };
  return near[dayDistance(date)] ?? format(date, name);
}

function ago(date) {
  const seconds = Math.round((date.getTime() - Date.now()) / 1000);
  const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
  for (const [unit, size] of [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
  ]) {
    if (Math.abs(seconds) >= size) {
      return relative.format(Math.trunc(seconds / size), unit);
    }
  }
  return relative.format(seconds, 'second');
}

/** Fills `{date_short_pretty}`, `{time}` and their like in the reader's own time zone. */
export function fillDateTokens(pattern, date) {
  return pattern.replace(/\{([a-z_]+)\}/g, (whole, name) => {
    if (name === 'ago') {
      return ago(date);
    }
    if (name.endsWith('_pretty')) {
      return pretty(date, name.slice(0, -'_pretty'.length));
    }
    return Object.hasOwn(FORMATS, name) ? format(date, name) : whole;
  });
}

/** The moment that a message's ts names. */
export function dateOfTs(ts) {
  return new Date(Number(ts.split('.')[0]) * 1000);
}

export const clockTime = (date) => format(date, 'time');

export function dayName(date) {
  const near = { '-1': 'Yesterday', 0: 'Today' };
  return (
    near[dayDistance(date)] ??
    new Intl.DateTimeFormat(undefined, { weekday: 'long', month: 'long', day: 'numeric' }).format(date)
  );
}
