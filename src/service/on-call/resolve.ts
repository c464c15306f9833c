import type { WakeTarget } from '../../contract/waking.ts';
import type { KnownPerson } from '../core/known-person.ts';
import type { WayStore } from '../store/pages/way-store.ts';
import { type Reached, type Resolved, reachesNobody, waysFor } from './waking/attempts.ts';
import { askedAt, isLastResort, type Position, type WakePolicy } from './waking/policy.ts';
import { quietForS } from './waking/quiet-hours.ts';

/** Who people are and who is on call. */
export interface Duty {
  /** @param reference the id of a person, or of an `Actor` */
  readPerson(reference: string): Promise<KnownPerson | null>;
  /** null: there is no such schedule, or it was deleted. */
  readSchedule(id: string): Promise<{ readonly name: string; readonly goneAt: Date | null } | null>;
  /** null: nobody. */
  whoIsOnCall(scheduleId: string, at: Date): Promise<string | null>;
}

export interface ResolveDeps {
  readonly duty: Duty;
  readonly ways: Pick<WayStore, 'listOf' | 'listWakeable'>;
}

/** A person, or why there is none. */
type Found = { readonly personId: string; readonly because: string } | { readonly skipped: string };

/** Whom the targets of a step are now, and by what they are woken. Everybody is there once. */
export async function resolveTargets(
  { to, loud }: { readonly to: readonly WakeTarget[]; readonly loud: boolean },
  at: Date,
  deps: ResolveDeps,
): Promise<Resolved> {
  const people = new Map<string, Reached>();
  const skipped: string[] = [];
  for (const target of to) {
    const found = await findPerson(target, at, deps.duty);
    if (found === null) {
      continue;
    }
    const reached = 'skipped' in found ? found.skipped : await reach(found, loud ? null : at, deps);
    if (typeof reached === 'string') {
      skipped.push(reached);
    } else if (!people.has(reached.personId)) {
      people.set(reached.personId, reached);
    }
  }
  const channels = to.flatMap((target) => (target.kind === 'channel' ? [target.url] : []));
  return { people: [...people.values()], channels: [...new Set(channels)], skipped };
}

/**
 * Whom a step of a policy asks now. A last resort that reaches nobody asks everybody.
 *
 * @param answered those who have answered the page already
 */
export async function resolveStep(
  policy: WakePolicy,
  position: Position,
  answered: ReadonlySet<string>,
  at: Date,
  deps: ResolveDeps,
): Promise<Resolved> {
  const unanswered = (resolved: Resolved): Resolved => ({
    ...resolved,
    people: resolved.people.filter(({ personId }) => !answered.has(personId)),
  });
  const asked = unanswered(await resolveTargets(askedAt(policy, position), at, deps));
  return isLastResort(policy, position) && reachesNobody(asked)
    ? { ...unanswered(await resolveEverybody(deps)), skipped: asked.skipped }
    : asked;
}

/** Everybody who can be woken at all. */
async function resolveEverybody(deps: ResolveDeps): Promise<Resolved> {
  const wakeable = await deps.ways.listWakeable();
  const all = await Promise.all(wakeable.map((personId) => reach({ personId, because: 'can be woken' }, null, deps)));
  return { people: all.filter((reached) => typeof reached !== 'string'), channels: [], skipped: [] };
}

/** null: it is a channel. */
async function findPerson(target: WakeTarget, at: Date, duty: Duty): Promise<Found | null> {
  switch (target.kind) {
    case 'channel':
      return null;
    case 'person':
      return { personId: target.id, because: 'named by the policy' };
    case 'schedule': {
      const schedule = await duty.readSchedule(target.id);
      if (schedule === null || schedule.goneAt !== null) {
        return { skipped: `the schedule ${schedule?.name ?? target.id} does not exist any more` };
      }
      const personId = await duty.whoIsOnCall(target.id, at);
      return personId === null
        ? { skipped: `nobody is on call in ${schedule.name}` }
        : { personId, because: `on call in ${schedule.name}` };
    }
  }
}

/** @param quietlyAt null: loudly. @returns why the person cannot be woken */
async function reach(
  { personId, because }: { readonly personId: string; readonly because: string },
  quietlyAt: Date | null,
  { duty, ways }: ResolveDeps,
): Promise<Reached | string> {
  const person = await duty.readPerson(personId);
  if (person === null || person.goneAt !== null) {
    return `${person?.name ?? personId} has left (${because})`;
  }
  const { quietHours = null, timeZone } = person;
  const quietS = quietlyAt === null ? 0 : quietForS(quietHours, timeZone ?? 'UTC', quietlyAt);
  const used = waysFor(await ways.listOf(person.id), quietlyAt === null, quietS);
  return used.length === 0
    ? `${person.name} has no way to be woken that is verified and works (${because})`
    : { personId: person.id, name: person.name, because, ways: used };
}
