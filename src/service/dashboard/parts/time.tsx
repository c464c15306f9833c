const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

const words = new Intl.RelativeTimeFormat('en', { numeric: 'always' });

/** Clocks of two machines differ by less. */
const SAME_SECONDS = 5;

/**
 * "20 seconds ago", "in 5 minutes". A moment just ahead happened now, by another clock. `static/page.js` has the same rule
 * and keeps the words true.
 */
export function ago(at: Date, now: Date): string {
  const ahead = Math.round((at.getTime() - now.getTime()) / 1_000);
  const seconds = ahead >= 0 && ahead < SAME_SECONDS ? -0 : ahead;
  const [unit, length] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1];
  return words.format(Math.trunc(seconds / length), unit);
}

/** "2026-11-22 21:44:22 UTC" */
export function exactTime(at: Date): string {
  return `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** "20 seconds ago"; the exact time is a tooltip. */
export function Ago({ at, now }: { at: Date; now: Date }) {
  return (
    <time data-ago="" datetime={at.toISOString()} title={exactTime(at)}>
      {ago(at, now)}
    </time>
  );
}

/** "20 seconds ago (2026-11-22 21:44:22 UTC)". Browsers show both in the zone of the reader. */
export function Moment({ at, now }: { at: Date; now: Date }) {
  return (
    <>
      <Ago at={at} now={now} />{' '}
      <span class="quiet exact">
        (<Exact at={at} />)
      </span>
    </>
  );
}

function Exact({ at }: { at: Date }) {
  return (
    <time data-exact="" datetime={at.toISOString()} title={exactTime(at)}>
      {exactTime(at)}
    </time>
  );
}

/** "14:05 UTC", with the date if that is another day. Browsers show it in the zone of the reader. */
export function Clock({ at, now }: { at: Date; now: Date }) {
  const isToday = at.toISOString().slice(0, 10) === now.toISOString().slice(0, 10);
  return (
    <time data-clock="" datetime={at.toISOString()} title={exactTime(at)}>
      {`${at
        .toISOString()
        .slice(isToday ? 11 : 0, 16)
        .replace('T', ' ')} UTC`}
    </time>
  );
}
