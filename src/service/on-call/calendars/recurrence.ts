import { RRuleTemporal } from 'rrule-temporal';
import { wallOf } from '../../../incident/wall-time.ts';

/** When an event is repeated. Times are milliseconds on a clock on the wall, as if it were UTC. */
export interface Rule {
  readonly start: number;
  /** As text with `RRULE:`; null: only `rdate`. */
  readonly rrule: string | null;
  readonly rdate: unknown;
  readonly zone: string;
}

/** More would be no shifts. */
const TOO_OFTEN = /FREQ=(SECONDLY|MINUTELY)|BYSECOND=|BYMINUTE=[^;]*,/;

/**
 * The times at which an event begins. The rule is computed as if its zone were UTC, so no clock that changes leaves one out.
 *
 * @throws when the rule is not understood
 */
export function wallsBetween(rule: Rule, from: number, to: number): number[] {
  const walls = new Set([rule.start, ...ruled(rule, from, to), ...readDates(rule.rdate, rule.zone)]);
  return [...walls].filter((wall) => from <= wall && wall <= to);
}

function ruled({ start, rrule, zone }: Rule, from: number, to: number): number[] {
  const text = /RRULE:(\S+)/.exec(rrule ?? '')?.[1];
  if (text === undefined) {
    return [];
  }
  if (TOO_OFTEN.test(text)) {
    throw new Error('it is repeated too often');
  }
  const inWalls = text.replace(
    /UNTIL=(\d{8}(?:T\d{6}Z?)?)/,
    (_, until: string) => `UNTIL=${stamp(readUntil(until, zone))}`,
  );
  const rules = new RRuleTemporal({ rruleString: `DTSTART:${stamp(start)}\nRRULE:${inWalls}` });
  return rules.between(new Date(from), new Date(to), true).map(({ epochMilliseconds }) => epochMilliseconds);
}

/** A day counts to its end. */
function readUntil(text: string, zone: string): number {
  return text.length === 8 ? readTime(text, zone) + 86_399_000 : readTime(text, zone);
}

/** `RDATE` as `node-ical` leaves it: text, or text with parameters. Periods are not read. */
function readDates(rdate: unknown, zone: string): number[] {
  return [rdate ?? []].flat().flatMap((each) => {
    const { val } = typeof each === 'object' && each !== null && 'val' in each ? each : { val: each };
    return String(val)
      .split(',')
      .map((text) => readTime(text.trim(), zone));
  });
}

/** @param text `20270301`, `20270301T090000` or `20270301T080000Z` */
function readTime(text: string, zone: string): number {
  const [, year, month, day, hour = '00', minute = '00', second = '00', utc] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z)?)?$/.exec(text) ?? [];
  if (year === undefined) {
    throw new Error('it has a date that is none');
  }
  const wall = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return utc === undefined ? wall : wallOf(new Date(wall), zone);
}

/** `20270301T090000Z` */
function stamp(wall: number): string {
  return `${new Date(wall).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}
