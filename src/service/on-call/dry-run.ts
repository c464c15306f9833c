import type { DryRun, PolicyPlan } from '../../contract/waking.ts';
import { minutesToMilliseconds, subDays } from '../../runtime/dates.ts';
import type { KnownPerson } from '../core/known-person.ts';
import { isNight } from '../core/turns/hours-of.ts';
import { onCallBefore } from '../core/turns/on-call-at.ts';
import { HISTORY_DAYS, type StoredHistory } from '../store/pages/wake-history.ts';
import type { StoredWay } from '../store/pages/way-store.ts';
import type { StoredSchedule } from '../store/schedules/stored-schedule.ts';
import { type ResolveDeps, resolveStep } from './resolve.ts';
import type { WakePolicy } from './waking/policy.ts';
import { type Ring, simulate } from './waking/simulate.ts';

/** Incidents that a dry run looks at, the newest ones. */
export const MOST_INCIDENTS = 5_000;
/** Steps and calls that it follows: some seconds. */
const MOST_STEPS = 200_000;
const MOST_SHOWN = 100;
const OVER_SOON_MS = minutesToMilliseconds(3);

/** What a dry run reads. Ways are those of now: nobody knows what they were. */
export interface DryRunDeps {
  readonly readHistories: (since: Date, most: number) => Promise<readonly StoredHistory[]>;
  readonly listPolicies: () => Promise<readonly WakePolicy[]>;
  readonly listPeople: () => Promise<readonly KnownPerson[]>;
  readonly listWays: () => Promise<readonly StoredWay[]>;
  readonly readSchedule: (id: string) => Promise<StoredSchedule | null>;
  /** Lets others of the process go on. */
  readonly pause: () => Promise<void>;
  readonly now: () => Date;
}

/** What a policy would have done with the stored incidents, beside the other policies. */
export type DryRunPolicy = (plan: PolicyPlan, replaces: string | null) => Promise<DryRun>;

const TRIED = 'the policy of the dry run';

/** One runs at a time, because it may take seconds. */
export function createDryRun(deps: DryRunDeps): DryRunPolicy {
  let last: Promise<unknown> = Promise.resolve();
  return (plan, replaces) => {
    const run = last.then(() => dryRun(plan, replaces, deps));
    last = run.catch(() => undefined);
    return run;
  };
}

async function dryRun(plan: PolicyPlan, replaces: string | null, deps: DryRunDeps): Promise<DryRun> {
  const now = deps.now();
  const from = subDays(now, HISTORY_DAYS);
  const histories = await deps.readHistories(from, MOST_INCIDENTS);
  const resolving = await readResolving(deps);
  const tried = { ...plan, id: TRIED, createdAt: from };
  const policies = placeIn(await deps.listPolicies(), tried, replaces, from);
  const { rings, until } = await simulate(
    histories,
    policies,
    (policy, position, at) => resolveStep(policy, position, new Set(), at, resolving),
    { until: now, most: MOST_STEPS, pause: deps.pause },
  );
  const period = {
    from: histories.length < MOST_INCIDENTS ? from : (histories.at(-1)?.openedAt ?? from),
    to: until ?? now,
  };
  return report(
    rings.filter(({ policyId }) => policyId === TRIED),
    histories,
    resolving.people,
    period,
  );
}

/** Policies are for all of these incidents, as if they had always been there. */
function placeIn(
  policies: readonly WakePolicy[],
  tried: WakePolicy,
  replaces: string | null,
  from: Date,
): WakePolicy[] {
  const isKnown = policies.some(({ id }) => id === replaces);
  const placed = policies.map((policy) => (policy.id === replaces ? tried : { ...policy, createdAt: from }));
  return isKnown ? placed : [...placed, tried];
}

/** Everything that steps ask for, read once. */
async function readResolving(
  deps: DryRunDeps,
): Promise<ResolveDeps & { readonly people: ReadonlyMap<string, KnownPerson> }> {
  const people = new Map((await deps.listPeople()).map((person) => [person.id, person]));
  const ways = Map.groupBy(await deps.listWays(), ({ personId }) => personId);
  const schedules = new Map<string, Promise<StoredSchedule | null>>();
  const readSchedule = (id: string) => {
    const read = schedules.get(id) ?? deps.readSchedule(id);
    schedules.set(id, read);
    return read;
  };
  return {
    people,
    duty: {
      readPerson: async (id) => people.get(id) ?? null,
      readSchedule,
      async whoIsOnCall(id, at) {
        const schedule = await readSchedule(id);
        return schedule === null ? null : onCallBefore(schedule, at);
      },
    },
    ways: {
      listOf: async (id) => ways.get(id) ?? [],
      listWakeable: async () => [...ways].flatMap(([id, all]) => (all.some(isUsable) ? [id] : [])).toSorted(),
    },
  };
}

function isUsable({ verifiedAt, unusableBecause }: StoredWay): boolean {
  return verifiedAt !== null && unusableBecause === null;
}

/** Several ways of one step wake a person once. */
function wakingsOf(rings: readonly Ring[]): readonly (Ring & { readonly personId: string })[] {
  const wakings = new Map<string, Ring & { readonly personId: string }>();
  for (const { personId, ...ring } of rings) {
    const key = [ring.incidentId, ring.pageAt.getTime(), ring.cycle, ring.step, personId].join(' ');
    if (personId !== null && !wakings.has(key)) {
      wakings.set(key, { ...ring, personId });
    }
  }
  return [...wakings.values()];
}

function report(
  rings: readonly Ring[],
  histories: readonly StoredHistory[],
  people: ReadonlyMap<string, KnownPerson>,
  { from, to }: { readonly from: Date; readonly to: Date },
): DryRun {
  const numbers = new Map(histories.map(({ id, number }) => [id, number]));
  const rung = new Set(rings.map(({ incidentId }) => incidentId));
  const wokenFor = histories.filter(({ id }) => rung.has(id));
  const nameOf = (id: string) => people.get(id)?.name ?? id;
  const wakings = wakingsOf(rings).map(({ at, incidentId, personId, step }) => ({
    at: at.toISOString(),
    incident_id: incidentId,
    incident_number: numbers.get(incidentId) ?? 0,
    person: { id: personId, name: nameOf(personId) },
    step,
    is_night: isNight(at, people.get(personId)?.timeZone ?? 'UTC'),
  }));
  const byPerson = Map.groupBy(wakings, ({ person: { id } }) => id);
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    incidents: histories.length,
    woken_for: wokenFor.length,
    over_in_three_minutes: wokenFor.filter(isOverSoon).length,
    without_lost_requests: wokenFor.filter(({ lost }) => lost === null || lost === 0).length,
    people: [...byPerson]
      .map(([id, own]) => ({
        id,
        name: nameOf(id),
        times: own.length,
        at_night: own.filter(({ is_night: isAtNight }) => isAtNight).length,
      }))
      .toSorted((one, other) => other.times - one.times),
    channel_messages: rings.filter(({ personId }) => personId === null).length,
    wakings: wakings.toReversed().slice(0, MOST_SHOWN),
  };
}

function isOverSoon({ openedAt, states }: StoredHistory): boolean {
  return states.some(
    ({ at, facts: { hasRecovered, isOpen } }) =>
      (hasRecovered || !isOpen) && at.getTime() - openedAt.getTime() <= OVER_SOON_MS,
  );
}
