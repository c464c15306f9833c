import { maskUrl } from '../../core/present-schedule.ts';
import { hasRole } from '../../core/session.ts';
import type { Feed } from '../../store/schedules/feed-store.ts';
import type { StoredSchedule } from '../../store/schedules/stored-schedule.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { Foreign } from '../parts/foreign.tsx';
import { InlineAction } from '../parts/inline-action.tsx';
import { RecordTable } from '../parts/table.tsx';
import { CsrfField } from '../session/csrf.tsx';
import { Copyable } from '../settings/copy-button.tsx';
import { whenWords } from './calendar.tsx';
import { scheduleUrl } from './on-call-page.tsx';

/** What the parts of the page about calendars show. */
export interface CalendarView {
  readonly session: DashboardSession;
  readonly schedule: StoredSchedule;
  readonly feeds: readonly Feed[];
  /** The address of a feed that was just made; null: none was. */
  readonly newFeed: string | null;
  readonly now: Date;
}

/** A copy that is older is said to be. */
const OLD_MS = 3_600_000;

/** The calendar that the schedule reads. Its address is a secret, and so are those of people. */
export function CalendarIn({ session, schedule, now }: CalendarView) {
  const { id, timeZone, calendarState: calendar } = schedule;
  const isAdmin = hasRole(session, 'admin') && schedule.goneAt === null;
  if (calendar === null && !isAdmin) {
    return null;
  }
  const isOld = calendar?.readAt != null && now.getTime() - calendar.readAt.getTime() > OLD_MS;
  return (
    <section class="box" aria-labelledby="calendar-in">
      <h2 id="calendar-in">Read a calendar</h2>
      {calendar === null ? (
        <p>
          Where no layer has somebody, whoever attends an event of an iCal calendar is on call. People are known by
          their e-mail address alone.
        </p>
      ) : (
        <ul>
          <li>
            From <Foreign>{maskUrl(calendar.url)}</Foreign>,{' '}
            {calendar.readAt === null ? 'not read yet' : `read ${whenWords(calendar.readAt, timeZone)}`}
            {isOld && <span class="alarm"> (older than an hour; it still counts)</span>}
          </li>
          {calendar.fault !== null && <li class="alarm">Not read: {calendar.fault}.</li>}
          {calendar.unknown.length > 0 && (
            <li>
              <span class="alarm">
                {calendar.unknown.length === 1 ? 'One address is' : `${calendar.unknown.length} addresses are`} of
                nobody whom Tocsin knows, so their times are gaps.
              </span>{' '}
              {isAdmin && <Foreign>{calendar.unknown.join(', ')}</Foreign>}
            </li>
          )}
          {calendar.unread > 0 && <li class="alarm">Events that are not understood: {calendar.unread}.</li>}
        </ul>
      )}
      {isAdmin && (
        <form class="row" method="post" action={`${scheduleUrl(id)}/calendar`}>
          <CsrfField session={session} />
          <label>
            Address (a secret)
            <input type="url" name="url" value={calendar?.url ?? ''} maxlength={2_000} autocomplete="off" />
          </label>
          <button type="submit" name="do" value="save">
            Read this calendar
          </button>
          {calendar !== null && (
            <>
              <button type="submit" name="do" value="reload">
                Reload
              </button>
              <button type="submit" name="do" value="remove">
                Stop reading it
              </button>
            </>
          )}
        </form>
      )}
    </section>
  );
}

/** Addresses at which calendar programs read the schedule. */
export function CalendarOut({ session, schedule, feeds, newFeed }: CalendarView) {
  const { id, timeZone } = schedule;
  return (
    <section class="box" aria-labelledby="calendar-out">
      <h2 id="calendar-out">In your calendar</h2>
      <p>
        A calendar program reads the shifts of the next 90 days at an address of its own. Who has the address can read
        them. Some programs look only once or twice a day.
      </p>
      {newFeed !== null && (
        <div role="status">
          <p>The new address, shown only now:</p>
          <Copyable id="new-feed" text={newFeed} label="Copy the address" />
        </div>
      )}
      {feeds.length > 0 && (
        <RecordTable
          caption="Addresses in use"
          records={feeds}
          values={{
            'Made by': ({ createdBy }) => <Foreign>{createdBy}</Foreign>,
            On: ({ createdAt }) => whenWords(createdAt, timeZone),
          }}
          action={{
            heading: 'Revoke',
            of: ({ id: feed, createdAt }) => (
              <InlineAction
                action={`${scheduleUrl(id)}/feeds/${feed}/revoke`}
                session={session}
                text="Revoke"
                label={`Revoke the address of ${whenWords(createdAt, timeZone)}`}
              />
            ),
          }}
        />
      )}
      <InlineAction action={`${scheduleUrl(id)}/feeds`} session={session} text="Make an address" />
    </section>
  );
}
