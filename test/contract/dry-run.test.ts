import { addMilliseconds } from 'date-fns/addMilliseconds';
import { addSeconds } from 'date-fns/addSeconds';
import fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { type DryRun, PolicyPlan } from '../../src/contract/waking.ts';
import { createKeptEffects } from '../../src/effects/kept-effects.ts';
import { type IncidentRecord, newIncident } from '../../src/service/core/incident.ts';
import { acknowledge, reopen, resolve, unacknowledge } from '../../src/service/core/incident-changes.ts';
import { createAttemptKind } from '../../src/service/on-call/attempt-kind.ts';
import { createDryRun } from '../../src/service/on-call/dry-run.ts';
import { createStepKind } from '../../src/service/on-call/step-kind.ts';
import type { Way } from '../../src/service/on-call/ways/way.ts';
import { createWriteMessage } from '../../src/service/on-call/write-message.ts';
import { appendEvents } from '../../src/service/store/events/event-store.ts';
import { changeIncident } from '../../src/service/store/incidents/change-incident.ts';
import { readStored, saveIncidents } from '../../src/service/store/incidents/incident-writer.ts';
import { createMuteStore, FROM_NOW_ONCE } from '../../src/service/store/mutes/mute-store.ts';
import { readPolicies } from '../../src/service/store/pages/follow-pages.ts';
import { attemptKind, STEP_KIND } from '../../src/service/store/pages/page-effects.ts';
import { createPageStore } from '../../src/service/store/pages/page-store.ts';
import { createPolicyStore } from '../../src/service/store/pages/policy-store.ts';
import { readHistories } from '../../src/service/store/pages/wake-history.ts';
import { createWayStore } from '../../src/service/store/pages/way-store.ts';
import { createPeopleStore } from '../../src/service/store/people/people-store.ts';
import { createScheduleStore } from '../../src/service/store/schedules/schedule-store.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { claimEffect } from '../support/claim-effect.ts';
import { borrowTestDatabase, type TestDatabase } from '../support/database.ts';
import { stoppedClock } from '../support/database-clock.ts';
import { runs } from '../support/runs.ts';

/**
 * Lets histories of incidents happen under the real waking, over the real tables and by a clock that only the test moves,
 * and asks a dry run afterwards whom it would have woken.
 */

let database: TestDatabase;
let db: Kysely<ServiceTables>;
beforeAll(async () => {
  database = await borrowTestDatabase();
  db = await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  return () => database[Symbol.asyncDispose]();
});
afterAll(() => db.destroy());

/** Berlin's night; turns change each hour. */
const START = new Date('2026-11-27T20:00:00Z');
const END = addSeconds(START, 2 * 3_600);

const PEOPLE = ['ana', 'ben', 'cy', 'nobody'] as const;
const target = fc.constantFrom('schedule', ...PEOPLE, 'channel');
const seconds = (most: number) => fc.nat(most / 10).map((tens) => tens * 10);
const plan = fc.record({
  filter: fc.constantFrom({}, { severities: ['critical'] }, { services: ['pay*'] }, { labels: ['team:billing'] }),
  steps: fc.array(
    fc.record({ after_s: seconds(600), to: fc.array(target, { minLength: 1, maxLength: 2 }), loud: fc.boolean() }),
    { minLength: 1, maxLength: 3 },
  ),
  repeat: fc.nat(1),
  wait_s: seconds(600),
  hold_s: fc.constantFrom(0, 0, 180, 600),
  last_resort: fc.constantFrom([], ['ben'], ['nobody']),
});
const change = fc.record({
  afterS: seconds(1_800),
  what: fc.constantFrom(
    'acknowledge',
    'unacknowledge',
    'resolve',
    'reopen',
    'critical',
    'warning',
    'recovers',
    'quiet',
    'fails',
    'mute',
  ),
});
const incident = fc.record({
  opensAfterS: seconds(1_800),
  severity: fc.constantFrom('critical', 'error', 'warning'),
  rootService: fc.constantFrom('payments', 'search'),
  labels: fc.constantFrom([], ['team:billing']),
  changes: fc.array(change, { maxLength: 5 }),
});
type Plan = typeof plan extends fc.Arbitrary<infer Value> ? Value : never;
type GivenIncident = typeof incident extends fc.Arbitrary<infer Value> ? Value : never;

const way: Way = {
  address: z.object({ to: z.string() }),
  describe: () => 'somewhere',
  provedBy: 'delivery',
  missing: null,
  lostAnswer: { by: 'repeating' },
  call: async () => null,
};

const stopClock = (at: Date) => sql.raw(stoppedClock(SERVICE_SCHEMA, at)).execute(db);

/** Everybody and everything that policies name. */
async function setUp() {
  await sql`truncate effects, ways, policies, people, schedules, incidents, mutes cascade`.execute(db);
  await stopClock(START);
  const [people, ways, schedules] = [createPeopleStore(db), createWayStore(db), createScheduleStore(db)];
  const ids = new Map<string, string>();
  for (const name of PEOPLE) {
    const facts = { name, timeZone: 'Europe/Berlin' };
    ids.set(name, (await people.savePerson(`email:${name}@tocsin.test`, facts, START))?.id ?? '');
  }
  for (const name of ['ana', 'ben', 'cy']) {
    for (const [kind, loudAfterS] of [
      ['email', 0],
      ['webhook', 30],
    ] as const) {
      const uses = { loudAfterS, quietAfterS: name === 'ben' ? 60 : null };
      const { id } = await ways.add({ personId: ids.get(name) ?? '', kind, address: { to: name }, ...uses }, START);
      await ways.markVerified(id, START);
    }
  }
  const turns = { every: { count: 1, unit: 'hour' as const }, at: '21:00', anchor: '2026-11-27', hours: [] };
  const turn = [ids.get('ana') ?? '', null, ids.get('cy') ?? ''];
  const layer = { ...turns, id: null, timeZone: 'Europe/Berlin', people: turn, validFrom: null, validUntil: null };
  const edit = { name: 'Payments', timeZone: 'Europe/Berlin', layers: [layer], isAtOnce: true };
  const { id: schedule } = await schedules.create(edit, { by: 'test', now: START });
  return { people, ways, schedules, ids, schedule };
}

function planOf({ steps, last_resort: lastResort, ...given }: Plan, name: string, ids: ReadonlyMap<string, string>) {
  const targetOf = (word: string) => {
    const id = ids.get(word) ?? '';
    return word === 'channel'
      ? { kind: 'channel', url: 'https://chat.tocsin.test/' }
      : { kind: word === 'schedule' ? word : 'person', id };
  };
  return PolicyPlan.parse({
    ...given,
    name,
    steps: steps.map((step) => ({ ...step, to: step.to.map(targetOf) })),
    last_resort: lastResort.map(targetOf),
  });
}

/** What happens, in the order of its times: each at one at which nothing of another incident can be due. */
function momentsOf(given: readonly GivenIncident[]) {
  return given
    .flatMap(({ opensAfterS, changes }, index) => {
      let at = addSeconds(START, opensAfterS + index);
      const opens = { at, index, what: 'opens' as const };
      const later = changes.map(({ afterS, what }, nth) => {
        at = addMilliseconds(addSeconds(at, afterS), nth === 0 ? 100 : 10);
        return { at, index, what };
      });
      return [opens, ...later];
    })
    .toSorted((one, other) => one.at.getTime() - other.at.getTime());
}

/** Lets it happen. @returns the policies, and a dry run of each */
async function live(plans: readonly Plan[], given: readonly GivenIncident[]) {
  const { people, ways, schedules, ids, schedule } = await setUp();
  const policies = createPolicyStore(db);
  const known = new Map([...ids, ['schedule', schedule]]);
  const ofTest = plans.map((each, nth) => planOf(each, `policy ${nth}`, known));
  const created = [];
  for (const each of ofTest) {
    created.push({ plan: each, ...(await policies.create(each, { by: 'test' }, START)) });
  }
  let now = START;
  const duty = { ...people, ...schedules };
  const write = createWriteMessage({
    answerSecret: async () => Buffer.from('secret'),
    publicUrl: 'http://tocsin.test',
  });
  const pages = createPageStore(db);
  const kinds = {
    [STEP_KIND]: createStepKind({ duty, ways, pages, now: () => now }),
    [attemptKind('email')]: createAttemptKind('email', way, { pages, write }),
    [attemptKind('webhook')]: createAttemptKind('webhook', { ...way, address: z.object({}).loose() }, { pages, write }),
  };
  const effects = createKeptEffects<ServiceTables>(db);
  const mutes = createMuteStore(db);

  async function moveTo(at: Date): Promise<void> {
    now = at;
    await stopClock(at);
  }

  async function performUntil(end: Date): Promise<void> {
    for (;;) {
      const { rows } = await sql<{ due: Date | null }>`
        select min(due_at) as due from effects where settled_at is null and kind = any(${Object.keys(kinds)})
      `.execute(db);
      const due = rows[0]?.due ?? null;
      if (due === null || due > end) {
        return;
      }
      await moveTo(due > now ? due : now);
      const effect = await claimEffect(effects, Object.keys(kinds));
      const kind = effect && kinds[effect.kind];
      if (!effect || !kind) {
        throw new Error('what is due was not claimed');
      }
      const outcome = await kind.carryOut(effect, () => effects.begin(effect), new AbortController().signal);
      await effects.end(effect, outcome ?? { againInMs: 0 });
    }
  }

  const at = (index: number) => newIncident(index + 1, given[index]?.rootService ?? '', null, now);
  const stored = new Map<number, string>();
  async function happen(index: number, what: GivenIncident['changes'][number]['what'] | 'opens'): Promise<void> {
    const by = { by: 'test' };
    if (what === 'opens') {
      const { severity = 'error', labels = [] } = given[index] ?? {};
      const fresh = at(index);
      const signalCounts = { ...fresh.signalCounts, trace: 1 };
      const opened = { ...fresh, severity: severity as 'error', labels, signalCounts };
      stored.set(index, opened.id);
      await db.transaction().execute(async (tx) => {
        await saveIncidents(tx, [opened]);
        await appendEvents(tx, [{ type: 'incident.opened', incident: opened }], now);
      });
      return;
    }
    const id = stored.get(index) ?? '';
    await db.transaction().execute(async (tx) => {
      const before = (await readStored(tx, [id])).get(id);
      const isOpen = before?.closing === null;
      if (before === undefined || (!isOpen && what !== 'reopen')) {
        return;
      }
      const byPeople = {
        acknowledge: (old: IncidentRecord) => acknowledge(old, by, now),
        unacknowledge: (old: IncidentRecord) => unacknowledge(old, by, null, now),
        resolve: (old: IncidentRecord) => resolve(old, 'fixed', by, now),
        reopen: (old: IncidentRecord) => reopen(old, by, null, now),
      };
      const correlated = {
        critical: { severity: 'critical' as const },
        warning: { severity: 'warning' as const },
        recovers: { activity: 'recovered' as const },
        quiet: { activity: 'quiet' as const },
        fails: { activity: 'failing' as const },
      };
      if (what in correlated) {
        const after = { ...before, ...correlated[what as keyof typeof correlated], updatedAt: now };
        await saveIncidents(tx, [after]);
        await appendEvents(tx, [{ type: 'incident.updated', incident: after }], now);
      } else if (what in byPeople) {
        await changeIncident(tx, id, byPeople[what as keyof typeof byPeople]);
      }
    });
    if (
      what === 'mute' &&
      (await db.selectFrom('incidents').select('closed_at').where('id', '=', id).executeTakeFirst())?.closed_at === null
    ) {
      const mute = { ...FROM_NOW_ONCE, target: 'incident' as const, value: id, reason: null, actor: by };
      await mutes.create({ ...mute, until: addMilliseconds(now, 600_003) }, now);
    }
  }

  const moments = momentsOf(given);
  const unmutes = moments.filter(({ what }) => what === 'mute').map(({ at: muted }) => addMilliseconds(muted, 600_003));
  const all = [...moments, ...unmutes.map((ends) => ({ at: ends, index: -1, what: 'unmute' as const }))].toSorted(
    (one, other) => one.at.getTime() - other.at.getTime(),
  );
  for (const { at: time, index, what } of all.filter(({ at: time }) => time <= END)) {
    await performUntil(time);
    await moveTo(time);
    await (what === 'unmute' ? mutes.keepTime(now) : happen(index, what));
  }
  await performUntil(END);
  await moveTo(END);

  const dryRun = createDryRun({
    readHistories: (since, most) => readHistories(db, since, most),
    listPolicies: () => readPolicies(db),
    listPeople: () => people.listPeople(),
    listWays: () => ways.listAll(),
    readSchedule: (id) => schedules.readSchedule(id),
    pause: async () => undefined,
    now: () => END,
  });
  return { created, dryRun };
}

/** Who was woken by a policy, as a dry run says it. */
async function wokenBy(policyId: string) {
  const { rows } = await sql<{ at: Date; incident: string; person: string | null; step: number }>`
    select min(began_at) as at, incident_id as incident, person_id as person, page_attempts.step
    from page_attempts join pages on pages.id = page_id
    where began_at is not null and policy->>'id' = ${policyId}
    group by pages.id, page_attempts.cycle, page_attempts.step, person_id,
      case when person_id is null then page_attempts.id end
  `.execute(db);
  return rows;
}

function sorted(wakings: readonly { at: string; incident: string; person: string; step: number }[]): string[] {
  return wakings.map(({ at, incident, person, step }) => [at, incident, person, step].join(' ')).toSorted();
}

it('says of stored incidents exactly whom waking has woken for them, and when', async () => {
  let wakings = 0;
  const given = fc.record({
    plans: fc.array(plan, { minLength: 1, maxLength: 2 }),
    incidents: fc.array(incident, { minLength: 1, maxLength: 3 }),
  });
  await fc.assert(
    fc.asyncProperty(given, async ({ plans, incidents }) => {
      const { created, dryRun } = await live(plans, incidents);

      for (const { plan: own, id } of created) {
        const woken = await wokenBy(id);
        const said: DryRun = await dryRun(own, id);

        const people = woken.flatMap(({ at, incident: of, person, step }) =>
          person === null ? [] : [{ at: at.toISOString(), incident: of, person, step }],
        );
        wakings += people.length;
        expect(said.to).toBe(END.toISOString());
        expect(said.channel_messages).toBe(woken.length - people.length);
        expect(said.woken_for).toBe(new Set(woken.map(({ incident: of }) => of)).size);
        const newest = people.toSorted((one, other) => (one.at < other.at ? 1 : -1)).slice(0, 100);
        const shown = said.wakings.map(({ person, incident_id: of, ...each }) => ({
          ...each,
          incident: of,
          person: person.id,
        }));
        expect(sorted(shown)).toEqual(sorted(newest));
        const times = Map.groupBy(people, ({ person }) => person);
        expect(new Map(said.people.map(({ id: person, times: many }) => [person, many]))).toEqual(
          new Map([...times].map(([person, own]) => [person, own.length])),
        );
      }
    }),
    { numRuns: runs(4) },
  );
  expect(wakings).toBeGreaterThan(20); // the histories wake people
}, 300_000);
