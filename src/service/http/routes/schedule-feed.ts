import type { Hono } from 'hono';
import { addDays } from '../../../runtime/dates.ts';
import { NotFoundError } from '../../core/errors.ts';
import { peopleIn } from '../../core/present-schedule.ts';
import { shiftsBetween } from '../../core/turns/shifts.ts';
import { writeCalendar } from '../../on-call/calendars/write-calendar.ts';
import { type ApiEnv, refuseOtherMethods } from '../api-env.ts';
import type { RouteDeps } from '../route-handlers.ts';
import { readPathParameter } from '../storable-text.ts';

const FEED_DAYS = 90;
const PATH = '/v1/schedules/:file{[^/]+\\.ics}';

/** The shifts of a schedule for calendar programs, which have no key: the token in the address is one. */
export function bindFeed(
  api: Hono<ApiEnv>,
  { schedules, feeds, people, publicUrl, now }: Pick<RouteDeps, 'schedules' | 'feeds' | 'people' | 'publicUrl' | 'now'>,
): void {
  api.get(PATH, async (c) => {
    const id = readPathParameter(c.req.param('file')).slice(0, -'.ics'.length);
    const schedule = (await feeds.isFeedOf(id, c.req.query('token') ?? '')) ? await schedules.readSchedule(id) : null;
    if (schedule === null || schedule.goneAt !== null) {
      throw new NotFoundError('schedule', id);
    }
    const known = await people.findByIds(peopleIn(schedule));
    const at = now();
    // The shift that is running begins when it began, so it stays the same event.
    const around = shiftsBetween(schedule, addDays(at, -FEED_DAYS), addDays(at, FEED_DAYS));
    const shifts = around.filter(({ to }) => to > at);
    const text = writeCalendar(schedule, shifts, {
      nameOf: (person) => known.get(person)?.name ?? 'somebody',
      url: `${publicUrl}/dashboard/on-call/${id}`,
      now: at,
    });
    return c.body(text, 200, { 'content-type': 'text/calendar; charset=utf-8', 'cache-control': 'private' });
  });
  refuseOtherMethods(api, PATH, ['GET']);
}
