import { createKind, type EffectKind } from '../../effects/performer.ts';
import { addDays, minutesToMilliseconds } from '../../runtime/dates.ts';
import { presentGap } from '../core/present-schedule.ts';
import { findGaps, type Gap, isMeant, tellGaps } from '../core/turns/gaps.ts';
import { shiftsBetween } from '../core/turns/shifts.ts';
import type { WayStore } from '../store/pages/way-store.ts';
import type { PeopleStore } from '../store/people/people-store.ts';
import type { GapStore } from '../store/schedules/gap-store.ts';
import type { ScheduleStore } from '../store/schedules/schedule-store.ts';
import type { StoredSchedule } from '../store/schedules/stored-schedule.ts';
import type { ServiceTables } from '../store/schema/tables.ts';
import { hasLoudWay } from './waking/attempts.ts';
import type { WakePolicy } from './waking/policy.ts';

const GAP_DAYS = 30;
/** So soon a dead subscription is seen; changes of a schedule are seen at once. */
const PERIOD_MS = minutesToMilliseconds(5);
const MOST_TOLD = 20;

export interface GapDeps {
  readonly schedules: Pick<ScheduleStore, 'listSchedules'>;
  readonly people: Pick<PeopleStore, 'listPeople'>;
  readonly ways: Pick<WayStore, 'listAll'>;
  readonly listPolicies: () => Promise<readonly WakePolicy[]>;
  readonly now: () => Date;
}

/** The gaps of the next 30 days, of each schedule that is not deleted. */
export type FindAllGaps = () => Promise<{ readonly schedule: StoredSchedule; readonly gaps: readonly Gap[] }[]>;

export function createFindGaps(deps: GapDeps): FindAllGaps {
  return async () => {
    const now = deps.now();
    const [schedules, people, ways, policies] = await Promise.all([
      deps.schedules.listSchedules(now),
      deps.people.listPeople(),
      deps.ways.listAll(),
      deps.listPolicies(),
    ]);
    const gone = new Set(people.flatMap(({ id, goneAt }) => (goneAt === null ? [] : [id])));
    const loud = Map.groupBy(ways, ({ personId }) => personId);
    const wakeable = new Set([...loud].flatMap(([id, own]) => (hasLoudWay(own) ? [id] : [])));
    const targets = policies.flatMap(({ steps, last_resort: last }) => [...steps.flatMap(({ to }) => to), ...last]);
    const asked = new Set(targets.flatMap((target) => (target.kind === 'schedule' ? [target.id] : [])));
    const rendered = schedules.map((schedule) => ({
      schedule,
      name: schedule.name,
      shifts: shiftsBetween(schedule, now, addDays(now, GAP_DAYS)),
    }));
    return rendered.map((each) => ({
      schedule: each.schedule,
      gaps: findGaps(each.shifts, {
        gone,
        wakeable: asked.has(each.schedule.id) ? wakeable : null,
        others: rendered.filter((other) => other !== each),
      }),
    }));
  };
}

/** Looks for gaps ahead, and tells each once, and once more a day before it begins. It is never over. */
export function createGapsKind(
  deps: GapDeps & { readonly gaps: GapStore; readonly findAllGaps: FindAllGaps },
): EffectKind<ServiceTables> {
  const { gaps, now } = deps;

  async function tell({ schedule, gaps: found }: Awaited<ReturnType<FindAllGaps>>[number]): Promise<void> {
    const at = now();
    const known = await gaps.listTold(schedule.id);
    const { tell: fresh, told } = tellGaps(
      found.filter((gap) => !isMeant(gap, schedule)),
      known,
      at,
    );
    const isSame = fresh.length === 0 && told.length === known.length;
    if (isSame && told.length === 0) {
      return;
    }
    const people = new Map((await deps.people.listPeople()).map((person) => [person.id, person]));
    const { id, name } = schedule;
    const event = { id, name, gaps: fresh.slice(0, MOST_TOLD).map((gap) => presentGap(gap, people)) };
    await gaps.tell(id, told, fresh.length === 0 ? null : event, at);
  }

  return createKind<ServiceTables, Awaited<ReturnType<FindAllGaps>>>({
    target: 'schedules',
    effectOf: () => ({
      look: async () => ({ seen: await deps.findAllGaps() }),
      async call(all) {
        for (const each of all) {
          await tell(each);
        }
        return { againInMs: PERIOD_MS };
      },
      failureOf: () => null,
    }),
    endOf: () => null,
  });
}
