import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { ON_CALL_LIMITS, SlackGroup } from '../../../contract/on-call.ts';
import { feedUrl } from '../../http/routes/schedules.ts';
import { readPathParameter } from '../../http/storable-text.ts';
import type { CalendarStore } from '../../store/schedules/calendar-store.ts';
import type { FeedStore } from '../../store/schedules/feed-store.ts';
import type { Change, ScheduleStore } from '../../store/schedules/schedule-store.ts';
import type { StoredSchedule } from '../../store/schedules/stored-schedule.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { refusals } from '../refusals.ts';
import { demandRole } from '../session/guard.ts';
import { scheduleUrl } from './on-call-page.tsx';

export const PATH = '/on-call';

const CalendarForm = z.object({
  url: z.union([z.literal(''), z.url({ protocol: /^(https?|webcal)$/ }).max(ON_CALL_LIMITS.calendarUrl)]).default(''),
  do: z.enum(['save', 'reload', 'remove']).default('save'),
});

const GroupForm = z.object({
  group: z.string().trim().catch(''),
  direction: z.string().catch(''),
  do: z.enum(['save', 'remove']).default('save'),
});

export interface SharingDeps {
  readonly schedules: Pick<ScheduleStore, 'setSlackGroup'>;
  readonly calendars: CalendarStore;
  readonly feeds: Pick<FeedStore, 'addFeed' | 'removeFeed'>;
  readonly publicUrl: string;
}

type Page = Context<DashboardEnv>;

/** The page of a schedule. */
interface SchedulePage {
  readonly get: (c: Page) => Promise<StoredSchedule>;
  readonly change: (c: Page) => Change;
  readonly show: (
    c: Page,
    typed: Readonly<Record<string, string>>,
    fault: string | null,
    newFeed?: string | null,
  ) => Promise<Response>;
}

/** What a schedule shares with other tools: a calendar that is read, calendars that are written, and a user group of Slack. */
export function bindSharing(dashboard: Hono<DashboardEnv>, deps: SharingDeps, page: SchedulePage): void {
  const { schedules, calendars, feeds } = deps;
  const { get, change, show } = page;

  dashboard.post(`${PATH}/:id/calendar`, async (c) => {
    demandRole(c, 'admin');
    const { id, calendarState } = await get(c);
    const form = CalendarForm.safeParse(await c.req.parseBody());
    if (!form.success) {
      return show(c, {}, 'The address of a calendar begins with https://.');
    }
    if (form.data.do === 'reload') {
      await calendars.reloadCalendar(id);
    } else {
      const url = form.data.do === 'remove' || form.data.url === '' ? null : form.data.url;
      if (url !== (calendarState?.url ?? null)) {
        await calendars.setCalendar(id, url, change(c));
      }
    }
    return c.redirect(scheduleUrl(id), 303);
  });

  dashboard.post(`${PATH}/:id/slack-group`, async (c) => {
    demandRole(c, 'responder');
    const { id } = await get(c);
    const { do: what, group: typed, direction } = GroupForm.parse(await c.req.parseBody());
    const group = SlackGroup.safeParse({ id: typed, direction });
    if (what === 'save' && !group.success) {
      const example = 'A user group is named by its ID, which begins with S, such as S012AB3CD: copy it in Slack.';
      return show(c, { group: typed, direction }, example);
    }
    return refusals(
      async () => {
        await schedules.setSlackGroup(id, (what === 'save' && group.data) || null, null, change(c));
        return c.redirect(scheduleUrl(id), 303);
      },
      (fault) => show(c, { group: typed, direction }, fault),
    );
  });

  dashboard.post(`${PATH}/:id/feeds`, async (c) => {
    demandRole(c, 'responder');
    const { id } = await get(c);
    return refusals(
      async () => {
        const { token } = await feeds.addFeed(id, change(c));
        return show(c, {}, null, feedUrl(deps.publicUrl, id, token));
      },
      (fault) => show(c, {}, fault),
    );
  });

  // One that was revoked meanwhile is gone too.
  dashboard.post(`${PATH}/:id/feeds/:feed/revoke`, async (c) => {
    demandRole(c, 'responder');
    const { id } = await get(c);
    const back = () => c.redirect(scheduleUrl(id), 303);
    return refusals(
      async () => {
        await feeds.removeFeed(readPathParameter(c.req.param('feed')), change(c));
        return back();
      },
      async () => back(),
    );
  });
}
