import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { ON_CALL_LIMITS } from '../../../contract/on-call.ts';
import { isTimeZone, reachedAt, wallOf } from '../../../incident/wall-time.ts';
import { addDays, addHours } from '../../../runtime/dates.ts';
import { csvOf, presentShifts } from '../../core/present-schedule.ts';
import { auditActor } from '../../core/session.ts';
import { applyEdit } from '../../core/turns/edit.ts';
import { shiftsBetween } from '../../core/turns/shifts.ts';
import { readPathParameter, StorableText } from '../../http/storable-text.ts';
import type { Waking } from '../../on-call/waking.ts';
import type { PeopleStore } from '../../store/people/people-store.ts';
import type { FeedStore } from '../../store/schedules/feed-store.ts';
import type { GapStore } from '../../store/schedules/gap-store.ts';
import type { Change, ScheduleStore } from '../../store/schedules/schedule-store.ts';
import type { StoredSchedule } from '../../store/schedules/stored-schedule.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { PageError } from '../page-error.ts';
import { refusals } from '../refusals.ts';
import { demandRole } from '../session/guard.ts';
import { WEEKS_SHOWN, weeksFrom } from './calendar.tsx';
import { editOf, newLayer, readForm, type TypedEdit, typedOf } from './edit-form.ts';
import { renderEditPage } from './edit-page.tsx';
import { renderOnCallPage, scheduleUrl } from './on-call-page.tsx';
import { renderSchedulePage } from './schedule-page.tsx';
import { bindSharing, PATH, type SharingDeps } from './sharing-routes.ts';

const MAX_AHEAD_DAYS = 366;

const NewSchedule = z.object({ name: StorableText.trim().min(1).max(ON_CALL_LIMITS.name), zone: z.string().trim() });
const Taken = z.object({ hours: z.coerce.number().int().min(1).max(24) });
const Local = z.iso.datetime({ local: true });
const OverrideForm = z.object({
  person: z.string(),
  from: z.union([z.literal('').transform(() => null), Local]),
  to: Local,
  reason: StorableText.trim().max(200),
});

interface OnCallDeps extends SharingDeps {
  readonly people: PeopleStore;
  readonly schedules: ScheduleStore;
  readonly feeds: FeedStore;
  readonly gaps: Pick<GapStore, 'listWoken'>;
  readonly waking: Pick<Waking, 'findAllGaps'>;
  readonly now: () => Date;
}

type Page = Context<DashboardEnv>;

export function bindOnCall(dashboard: Hono<DashboardEnv>, deps: OnCallDeps): void {
  const { people, schedules, feeds, waking, now } = deps;

  const get = async (c: Page): Promise<StoredSchedule> => {
    const schedule = await schedules.readSchedule(readPathParameter(c.req.param('id')));
    if (schedule === null) {
      throw new PageError(404, 'No such schedule', 'It may have been deleted. Go back to the list.');
    }
    return schedule;
  };
  const everybody = async () => {
    const known = await people.listPeople();
    return { people: known, names: new Map(known.map((person) => [person.id, person])) };
  };
  const change = (c: Page): Change => ({ ...auditActor(c.get('session').person), now: now() });

  const showList = async (c: Page, typed: { name: string; zone: string }, fault: string | null) => {
    const { names } = await everybody();
    const view = { session: c.get('session'), schedules: await schedules.listSchedules(now()), names, typed, fault };
    return c.html(renderOnCallPage({ ...view, now: now() }), fault === null ? 200 : 422);
  };

  dashboard.get(PATH, (c) => showList(c, { name: '', zone: '' }, null));

  dashboard.post(PATH, async (c) => {
    demandRole(c, 'responder');
    const given = await c.req.parseBody();
    const typed = z.object({ name: z.string().catch(''), zone: z.string().catch('') }).parse(given);
    const form = NewSchedule.safeParse(given);
    if (!form.success || !isTimeZone(form.data.zone)) {
      return showList(c, typed, 'A schedule needs a name and a time zone such as Europe/Berlin.');
    }
    const { name, zone } = form.data;
    const empty = { name, timeZone: zone, layers: [], isAtOnce: false };
    return refusals(
      async () => c.redirect(`${scheduleUrl((await schedules.create(empty, change(c))).id)}/edit`, 303),
      (fault) => showList(c, typed, fault),
    );
  });

  const show = async (
    c: Page,
    typed: Readonly<Record<string, string>>,
    fault: string | null,
    newFeed: string | null = null,
  ) => {
    const schedule = await get(c);
    const { timeZone } = schedule;
    const asked = z.iso.date().safeParse(c.req.query('from'));
    const start = asked.success ? reachedAt(Date.parse(asked.data), timeZone) : now();
    const { from, to } = weeksFrom(start, timeZone);
    const known = await everybody();
    const dateOf = (at: Date) => new Date(wallOf(at, timeZone)).toISOString().slice(0, 10);
    const view = {
      ...known,
      session: c.get('session'),
      schedule,
      shifts: shiftsBetween(schedule, from, to),
      gaps: (await waking.findAllGaps()).find((each) => each.schedule.id === schedule.id)?.gaps ?? [],
      feeds: await feeds.listFeeds(schedule.id),
      newFeed,
      self: await people.readPerson(c.get('session').person.userId),
      from,
      around: { earlier: dateOf(addDays(from, -7 * WEEKS_SHOWN)), later: dateOf(to) },
      typed,
      fault,
      now: now(),
    };
    return c.html(renderSchedulePage(view), fault === null ? 200 : 422);
  };

  dashboard.get(`${PATH}/:id`, (c) => show(c, {}, null));

  dashboard.get(`${PATH}/:id/hours.csv`, async (c) => {
    const schedule = await get(c);
    const asked = z.iso.date().safeParse(c.req.query('from'));
    const { from, to } = weeksFrom(asked.success ? new Date(asked.data) : now(), schedule.timeZone);
    const { names } = await everybody();
    const woken = await deps.gaps.listWoken(from, to);
    const shifts = presentShifts(shiftsBetween(schedule, from, to), schedule.timeZone, names, woken);
    return c.body(csvOf(shifts), 200, { 'content-type': 'text/csv; charset=utf-8' });
  });

  dashboard.post(`${PATH}/:id/take`, async (c) => {
    demandRole(c, 'responder');
    const schedule = await get(c);
    const self = await people.readPerson(c.get('session').person.userId);
    const form = Taken.safeParse(await c.req.parseBody());
    if (self === null || !form.success) {
      return show(c, {}, 'Nobody can be put on call by this sign-in, or not for that long.');
    }
    const times = { from: now(), to: addHours(now(), form.data.hours) };
    const override = { ...times, person: self.id, replaces: null, reason: null };
    return refusals(
      async () => {
        await schedules.createOverride(schedule.id, override, change(c));
        return c.redirect(scheduleUrl(schedule.id), 303);
      },
      (fault) => show(c, {}, fault),
    );
  });

  dashboard.post(`${PATH}/:id/overrides`, async (c) => {
    demandRole(c, 'responder');
    const schedule = await get(c);
    const given = await c.req.parseBody();
    const typed = z.record(z.string(), z.string()).catch({}).parse(given);
    const form = OverrideForm.safeParse(given);
    const person = form.success ? await people.readPerson(form.data.person) : null;
    if (!form.success || person === null) {
      return show(c, typed, 'An override needs a person and when it ends.');
    }
    const atWall = (text: string) => reachedAt(Date.parse(`${text}Z`), schedule.timeZone);
    const start = form.data.from === null ? now() : atWall(form.data.from);
    const [from, to] = [start > now() ? start : now(), atWall(form.data.to)];
    if (to <= from || to > addDays(now(), MAX_AHEAD_DAYS)) {
      return show(c, typed, `An override ends in the future, after its start, at most ${MAX_AHEAD_DAYS} days ahead.`);
    }
    const override = { from, to, person: person.id, replaces: null, reason: form.data.reason || null };
    return refusals(
      async () => {
        await schedules.createOverride(schedule.id, override, change(c));
        return c.redirect(scheduleUrl(schedule.id), 303);
      },
      (fault) => show(c, typed, fault),
    );
  });

  // One that has ended meanwhile is gone too.
  dashboard.post(`${PATH}/:id/overrides/:override/end`, async (c) => {
    demandRole(c, 'responder');
    const { id } = await get(c);
    return refusals(
      async () => {
        await schedules.endOverride(readPathParameter(c.req.param('override')), change(c));
        return c.redirect(scheduleUrl(id), 303);
      },
      () => Promise.resolve(c.redirect(scheduleUrl(id), 303)),
    );
  });

  bindSharing(dashboard, deps, { get, change, show });

  dashboard.post(`${PATH}/:id/delete`, async (c) => {
    demandRole(c, 'responder');
    const { id } = await get(c);
    return refusals(
      async () => {
        await schedules.delete(id, change(c));
        return c.redirect(`/dashboard${PATH}`, 303);
      },
      (fault) => show(c, {}, fault),
    );
  });

  const showEdit = async (
    c: Page,
    schedule: StoredSchedule,
    typed: TypedEdit,
    fault: string | null,
    isPreview = false,
  ) => {
    const edit = editOf(typed, schedule);
    const { from, to } = weeksFrom(now(), schedule.timeZone);
    const said = isPreview && typeof edit === 'string' ? edit : fault;
    const preview =
      isPreview && typeof edit !== 'string'
        ? {
            before: shiftsBetween(schedule, from, to),
            after: shiftsBetween(
              applyEdit(schedule, edit, now(), () => crypto.randomUUID()),
              from,
              to,
            ),
            from,
          }
        : null;
    const view = { ...(await everybody()), session: c.get('session'), schedule, typed, fault: said, preview };
    return c.html(renderEditPage({ ...view, now: now() }), said === null ? 200 : 422);
  };

  dashboard.get(`${PATH}/:id/edit`, async (c) => {
    demandRole(c, 'responder');
    const schedule = await get(c);
    const typed = typedOf(schedule, now());
    const layers = typed.layers.length === 0 ? [newLayer(now())] : typed.layers;
    return showEdit(c, schedule, { ...typed, layers }, null);
  });

  dashboard.post(`${PATH}/:id/edit`, async (c) => {
    demandRole(c, 'responder');
    const schedule = await get(c);
    const form = await c.req.formData();
    const typed = readForm(form);
    if (form.get('do') === 'add') {
      return showEdit(c, schedule, { ...typed, layers: [...typed.layers, newLayer(now())] }, null);
    }
    const edit = editOf(typed, schedule);
    const known = await people.findByIds(typeof edit === 'string' ? [] : edit.layers.flatMap(idsIn));
    if (typeof edit === 'string' || edit.layers.flatMap(idsIn).some((id) => !known.has(id))) {
      return showEdit(c, schedule, typed, typeof edit === 'string' ? edit : 'Somebody in the turns is not known.');
    }
    return refusals(
      async () => {
        if (form.get('do') !== 'save') {
          return showEdit(c, schedule, typed, null, true);
        }
        await schedules.update(schedule.id, edit, (revision) => String(revision) === typed.revision, change(c));
        return c.redirect(scheduleUrl(schedule.id), 303);
      },
      (fault) => showEdit(c, schedule, typed, fault),
    );
  });
}

function idsIn({ people }: { readonly people: readonly (string | null)[] }): string[] {
  return people.filter((person) => person !== null);
}
