import type { z } from 'zod';
import type { Actor } from '../../../contract/actor.ts';
import { nameOf } from '../../../contract/actor.ts';
import type { ScheduleRequest } from '../../../contract/on-call.ts';
import { isTimeZone } from '../../../incident/wall-time.ts';
import { addDays } from '../../../runtime/dates.ts';
import { NotFoundError } from '../../core/errors.ts';
import {
  csvOf,
  maskUrl,
  peopleIn,
  presentGap,
  presentName,
  presentOverride,
  presentSchedule,
  presentShifts,
} from '../../core/present-schedule.ts';
import { applyEdit, type Edit } from '../../core/turns/edit.ts';
import { shiftsBetween } from '../../core/turns/shifts.ts';
import type { Feed } from '../../store/schedules/feed-store.ts';
import type { Change } from '../../store/schedules/schedule-store.ts';
import type { StoredSchedule } from '../../store/schedules/stored-schedule.ts';
import type { Swap } from '../../store/schedules/swap-store.ts';
import { actorOf } from '../actor-of.ts';
import { expectsRevision, scheduleTagOf } from '../conditional.ts';
import type { Handlers, RouteDeps } from '../route-handlers.ts';
import { invalidBody } from '../validate.ts';

type ScheduleHandlers = Pick<
  Handlers,
  | 'listSchedules'
  | 'createSchedule'
  | 'getSchedule'
  | 'updateSchedule'
  | 'deleteSchedule'
  | 'previewSchedule'
  | 'setSlackGroup'
  | 'listShifts'
  | 'listGaps'
  | 'setCalendar'
  | 'reloadCalendar'
  | 'listFeeds'
  | 'addFeed'
  | 'removeFeed'
  | 'createOverride'
  | 'endOverride'
  | 'listSwaps'
  | 'createSwap'
  | 'answerSwap'
>;

const AHEAD_DAYS = 30;
/** How far ahead an override or a swap may end. */
const MAX_AHEAD_DAYS = 366;

export function createScheduleHandlers(deps: RouteDeps): ScheduleHandlers {
  const { schedules, swaps, calendars, feeds, people, now } = deps;

  const get = async (id: string) => {
    const schedule = await schedules.readSchedule(id);
    if (schedule === null) {
      throw new NotFoundError('schedule', id);
    }
    return schedule;
  };
  const present = async (schedule: StoredSchedule) =>
    presentSchedule(schedule, await people.findByIds(peopleIn(schedule)), now());
  const respond = async (schedule: StoredSchedule) => {
    const body = await present(schedule);
    return { body, headers: { etag: scheduleTagOf(body, schedule.revision) } };
  };
  const presentSwap = async ({ id, scheduleId, from, to, asker, taker, state, undoUntil }: Swap) => {
    const known = await people.findByIds([asker, ...(taker === null ? [] : [taker])]);
    return {
      id,
      schedule_id: scheduleId,
      from: from.toISOString(),
      to: to.toISOString(),
      asker: presentName(asker, known) ?? { id: asker, name: asker },
      taker: presentName(taker, known),
      state: state === 'asked' && to <= now() ? ('expired' as const) : state,
      undo_until: undoUntil !== null && undoUntil > now() ? undoUntil.toISOString() : null,
    };
  };
  /** @throws {RequestError} when nobody is known by the reference */
  const personAt = async (reference: string, pointer: string) => {
    const person = await people.readPerson(reference);
    if (person === null) {
      throw invalidBody([{ pointer, detail: 'is nobody whom the service knows: save the person first' }]);
    }
    return person.id;
  };
  const optionalPerson = async (reference: string | null | undefined, pointer: string) =>
    reference === null || reference === undefined ? null : personAt(reference, pointer);

  const editOf = async (body: z.output<typeof ScheduleRequest>): Promise<Edit> => {
    demandTimeZone(body.time_zone, '/time_zone');
    const layers = body.layers.map(async (layer, index) => {
      const { id = null, time_zone: timeZone = body.time_zone, valid_from: validFrom, valid_until: validUntil } = layer;
      demandTimeZone(timeZone, `/layers/${index}/time_zone`);
      const turns = layer.people.map((person, place) => optionalPerson(person, `/layers/${index}/people/${place}`));
      const { every, at, anchor, hours } = layer;
      const validity = { validFrom: validFrom ?? null, validUntil: validUntil ?? null };
      return {
        id,
        every,
        at,
        anchor,
        timeZone,
        hours,
        ...validity,
        people: await Promise.all(turns),
      };
    });
    return {
      name: body.name,
      timeZone: body.time_zone,
      layers: await Promise.all(layers),
      isAtOnce: body.is_at_once,
    };
  };
  const demandTimes = (from: Date, to: Date) => {
    if (to <= from || to > addDays(now(), MAX_AHEAD_DAYS)) {
      const detail = `must be in the future, after \`from\`, and at most ${MAX_AHEAD_DAYS} days ahead`;
      throw invalidBody([{ pointer: '/to', detail }]);
    }
  };
  const fromNowOn = (from: Date | undefined) => (from !== undefined && from > now() ? from : now());
  const change = (given: Acting, callerName: string): Change => ({ ...actorWithName(given, callerName), now: now() });

  return {
    async listSchedules() {
      const all = await schedules.listSchedules(now());
      const known = await people.findByIds([...new Set(all.flatMap(peopleIn))]);
      return { body: { schedules: all.map((schedule) => presentSchedule(schedule, known, now())) } };
    },

    async createSchedule({ body, callerName }) {
      const created = await schedules.create(await editOf(body), change(body, callerName));
      const { body: presented, headers } = await respond(created);
      return { body: presented, headers: { ...headers, location: `/v1/schedules/${created.id}` } };
    },

    getSchedule: async ({ id }) => respond(await get(id)),

    async updateSchedule({ id, body, headers, callerName }) {
      const edit = await editOf(body);
      return respond(await schedules.update(id, edit, expectsRevision(headers), change(body, callerName)));
    },

    async deleteSchedule({ id, query, callerName }) {
      await schedules.delete(id, change(query, callerName));
      return { body: null };
    },

    async setSlackGroup({ id, body, callerName }) {
      const members = body.people?.map((person, place) => personAt(person, `/people/${place}`)) ?? null;
      const people = members === null ? null : await Promise.all(members);
      return respond(await schedules.setSlackGroup(id, body.group, people, change(body, callerName)));
    },

    async previewSchedule({ id, body }) {
      const at = now();
      const edited = applyEdit(await get(id), await editOf(body), at, () => crypto.randomUUID());
      const shifts = shiftsBetween(edited, at, addDays(at, AHEAD_DAYS));
      return { body: presentShifts(shifts, edited.timeZone, await people.findByIds(peopleIn(edited))) };
    },

    async listShifts({ id, query: { from, to } }) {
      const schedule = await get(id);
      const known = await people.findByIds(peopleIn(schedule));
      const woken = await deps.gaps.listWoken(from, to);
      const body = presentShifts(shiftsBetween(schedule, from, to), schedule.timeZone, known, woken);
      return { body, csv: csvOf(body), headers: { vary: 'accept' } };
    },

    async listGaps({ id }) {
      const schedule = await get(id);
      const known = await people.findByIds(peopleIn(schedule));
      const found = (await deps.waking.findAllGaps()).find((each) => each.schedule.id === id);
      return { body: { gaps: (found?.gaps ?? []).map((gap) => presentGap(gap, known)) } };
    },

    async setCalendar({ id, body, callerName }) {
      const { calendarState } = await get(id);
      const isKnown = calendarState !== null && body.url === maskUrl(calendarState.url);
      if (!isKnown) {
        await calendars.setCalendar(id, body.url, change(body, callerName));
      }
      return { body: await present(await get(id)) };
    },

    async reloadCalendar({ id }) {
      await get(id);
      await calendars.reloadCalendar(id);
      return { body: await present(await get(id)) };
    },

    async listFeeds({ id }) {
      const { id: scheduleId } = await get(id);
      return { body: { feeds: (await feeds.listFeeds(scheduleId)).map(presentFeed) } };
    },

    async addFeed({ id, query, callerName }) {
      const { token, ...feed } = await feeds.addFeed(id, change(query, callerName));
      return {
        body: presentFeed(feed),
        headers: { location: `/v1/feeds/${feed.id}` },
        once: { url: feedUrl(deps.publicUrl, id, token) },
      };
    },

    async removeFeed({ id, query, callerName }) {
      await feeds.removeFeed(id, change(query, callerName));
      return { body: null };
    },

    async createOverride({ id, body, callerName }) {
      const from = fromNowOn(body.from);
      demandTimes(from, body.to);
      const override = {
        from,
        to: body.to,
        person: await optionalPerson(body.person, '/person'),
        replaces: await optionalPerson(body.replaces, '/replaces'),
        reason: body.reason ?? null,
      };
      const made = await schedules.createOverride(id, override, change(body, callerName));
      const known = await people.findByIds(peopleIn({ layers: [], overrides: [made] }));
      return { body: presentOverride(made, known), headers: { location: `/v1/overrides/${made.id}` } };
    },

    async endOverride({ id, query, callerName }) {
      await schedules.endOverride(id, change(query, callerName));
      return { body: null };
    },

    async listSwaps({ id }) {
      const { id: scheduleId } = await get(id);
      return { body: { swaps: await Promise.all((await swaps.list(scheduleId, now())).map(presentSwap)) } };
    },

    async createSwap({ id, body, callerName }) {
      const from = fromNowOn(body.from);
      demandTimes(from, body.to);
      const asker = await personAt(body.asker, '/asker');
      const taker = await optionalPerson(body.taker, '/taker');
      const swap = await swaps.create({ scheduleId: id, from, to: body.to, asker, taker }, change(body, callerName));
      return { body: await presentSwap(swap), headers: { location: `/v1/swaps/${swap.id}` } };
    },

    async answerSwap({ id, body, callerName }) {
      const swap = await swaps.find(id);
      const taker = await optionalPerson(body.person, '/person');
      if (body.answer === 'taken' && taker === null && swap?.taker === null) {
        throw invalidBody([{ pointer: '/person', detail: 'must say who takes it: it was offered to anybody' }]);
      }
      return { body: await presentSwap(await swaps.answer(id, body.answer, taker, change(body, callerName))) };
    },
  };
}

/** @param publicUrl without a slash at the end */
export function feedUrl(publicUrl: string, scheduleId: string, token: string): string {
  return `${publicUrl}/v1/schedules/${scheduleId}.ics?token=${token}`;
}

function presentFeed({ id, createdBy, createdAt }: Feed) {
  return { id, created_by: createdBy, created_at: createdAt.toISOString() };
}

interface Acting {
  readonly user?: string | undefined;
  readonly user_id?: string | undefined;
}

/** By the name that the history shows. */
function actorWithName({ user, user_id }: Acting, callerName: string): Actor {
  const actor = actorOf({ user: user ?? callerName, user_id }, callerName);
  return { ...actor, by: nameOf(actor) };
}

function demandTimeZone(name: string, pointer: string): void {
  if (!isTimeZone(name)) {
    throw invalidBody([{ pointer, detail: 'must be the name of a time zone: Europe/Berlin' }]);
  }
}
