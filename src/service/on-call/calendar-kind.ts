import type { Logger } from 'pino';
import { ON_CALL_LIMITS } from '../../contract/on-call.ts';
import type { End } from '../../effects/kept-effects.ts';
import { createKind, type EffectKind } from '../../effects/performer.ts';
import { addDays, minutesToMilliseconds } from '../../runtime/dates.ts';
import type { PeopleStore } from '../store/people/people-store.ts';
import type { CalendarStore, StoredCalendar } from '../store/schedules/calendar-store.ts';
import type { StoredSchedule } from '../store/schedules/stored-schedule.ts';
import type { ServiceTables } from '../store/schema/tables.ts';
import { TooLongError } from '../webhooks/bounded-text.ts';
import type { GuardedFetch, GuardedResponse } from '../webhooks/guarded-get.ts';
import { partition } from './calendars/partition.ts';
import { CalendarError, readCalendar } from './calendars/read-calendar.ts';

const PERIOD_MS = minutesToMilliseconds(5);
const MAX_BYTES = 1024 * 1024;
/** A copy is read again as often, because its repetitions go on and people become known. */
const EXPAND_AGAIN_MS = minutesToMilliseconds(60);

interface Seen {
  readonly schedule: StoredSchedule;
  readonly calendar: StoredCalendar;
}

/**
 * Reads the calendar of a schedule every five minutes. It has no end before the calendar is removed.
 *
 * The address is a secret, and what a library says of a failed request may hold it: so only our own words are kept.
 */
export function createCalendarKind(deps: {
  readonly calendars: CalendarStore;
  readonly readSchedule: (id: string) => Promise<StoredSchedule | null>;
  readonly people: Pick<PeopleStore, 'readPerson'>;
  readonly fetch: GuardedFetch;
  readonly logger: Logger;
  readonly now: () => Date;
}): EffectKind<ServiceTables> {
  const { calendars, people, now } = deps;

  /** @throws {CalendarError} @returns null: it is as it was */
  async function load({ url, etag, body }: StoredCalendar): Promise<{ etag: string | null; body: string } | null> {
    const address = new URL(url.replace(/^webcal:/i, 'https:'));
    const headers = { accept: 'text/calendar', ...(etag !== null && { 'if-none-match': etag }) };
    const response = await deps.fetch(address, { headers, maxBytes: MAX_BYTES }).catch((error: unknown) => {
      throw new CalendarError(
        error instanceof TooLongError ? 'the calendar is larger than 1 MiB' : 'the address does not answer',
      );
    });
    if (response.status === 304 && body !== null) {
      return null;
    }
    const text = textOf(response);
    // Some servers answer 200 to a condition that holds.
    return text === body ? null : { etag: response.etag, body: text };
  }

  async function readInto({ schedule, calendar }: Seen): Promise<void> {
    const copy = await load(calendar);
    const at = now();
    const isRecent = calendar.expandedAt !== null && at.getTime() - calendar.expandedAt.getTime() < EXPAND_AGAIN_MS;
    if (copy === null && isRecent) {
      await calendars.saveSame(schedule.id, calendar.url, at);
      return;
    }
    const { etag, body } = copy ?? { etag: calendar.etag, body: calendar.body ?? '' };
    const period = { from: at, to: addDays(at, ON_CALL_LIMITS.shiftDays) };
    const { shifts, unread } = readCalendar(body, period, schedule.timeZone);
    const known = new Map<string, string | null>();
    for (const email of new Set(shifts.flatMap(({ emails }) => emails))) {
      known.set(email, (await people.readPerson(`email:${email}`))?.id ?? null);
    }
    const taken = shifts.flatMap(({ from, to, emails }) => {
      const person = emails.map((email) => known.get(email) ?? null).find((id) => id !== null);
      return person === undefined || person === null ? [] : [{ from, to, person }];
    });
    const unknown = [...known].flatMap(([email, id]) => (id === null ? [email] : []));
    await calendars.saveCopy(schedule.id, calendar.url, { etag, body, unknown, unread, spans: partition(taken) }, at);
  }

  return createKind<ServiceTables, Seen>({
    target: 'calendars',
    effectOf: ({ subject }) => ({
      async look() {
        const [calendar, schedule] = [await calendars.findCalendar(subject), await deps.readSchedule(subject)];
        return calendar === null || schedule === null || schedule.goneAt !== null
          ? { over: { outcome: { state: 'removed' }, isRefused: true } }
          : { seen: { calendar, schedule } };
      },

      async call(seen): Promise<End<ServiceTables>> {
        const { id } = seen.schedule;
        try {
          await readInto(seen);
        } catch (error) {
          if (!(error instanceof CalendarError)) {
            throw error;
          }
          deps.logger.info({ scheduleId: id, fault: error.message }, 'a calendar was not read');
          await calendars.saveFault(id, seen.calendar.url, error.message);
        }
        const { url } = (await calendars.findCalendar(id)) ?? seen.calendar;
        return { againInMs: url === seen.calendar.url ? PERIOD_MS : 0 };
      },

      failureOf: () => null,
    }),
    endOf: () => null,
  });
}

/** @throws {CalendarError} */
function textOf({ status, text }: GuardedResponse): string {
  if (status < 200 || status >= 300) {
    throw new CalendarError(
      status >= 300 && status < 400
        ? 'the address leads to another one: use that one'
        : `the address answers with status ${status}`,
    );
  }
  if (text.includes('BEGIN:VCALENDAR') && !text.includes('BEGIN:VEVENT')) {
    throw new CalendarError('the calendar has come back without events');
  }
  return text;
}
