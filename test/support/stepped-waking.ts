import fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import { PolicyPlan, type WayKind } from '../../src/contract/waking.ts';
import { createKeptEffects, type End, type KeptEffect } from '../../src/effects/kept-effects.ts';
import type { EffectKind } from '../../src/effects/performer.ts';
import { LEASE_MS } from '../../src/effects/renewal.ts';
import { newIncident } from '../../src/service/core/incident.ts';
import { acknowledge, unacknowledge } from '../../src/service/core/incident-changes.ts';
import { createAttemptKind } from '../../src/service/on-call/attempt-kind.ts';
import { createStepKind } from '../../src/service/on-call/step-kind.ts';
import { createTakeBackKind } from '../../src/service/on-call/take-back-kind.ts';
import type { WakeMessage } from '../../src/service/on-call/waking/message.ts';
import { type LostAnswer, type Way, WayError } from '../../src/service/on-call/ways/way.ts';
import { createWriteMessage } from '../../src/service/on-call/write-message.ts';
import { appendEvents } from '../../src/service/store/events/event-store.ts';
import { changeIncident } from '../../src/service/store/incidents/change-incident.ts';
import { saveIncidents } from '../../src/service/store/incidents/incident-writer.ts';
import { attemptKind, STEP_KIND, takeBackKind } from '../../src/service/store/pages/page-effects.ts';
import { createPageStore, type PageStore } from '../../src/service/store/pages/page-store.ts';
import { createPolicyStore } from '../../src/service/store/pages/policy-store.ts';
import { createWayStore } from '../../src/service/store/pages/way-store.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { claimEffect } from './claim-effect.ts';
import type { TestDatabase } from './database.ts';
import { advanceDatabaseClock } from './database-clock.ts';

/**
 * Drives the effects of pages by hand over the real tables: between any two accesses the process may die, and somebody may
 * acknowledge. Providers answer, answer late, or not.
 */

const PEOPLE = ['ana', 'ben', 'cy'] as const;
/** Ways of each person, which resolve a lost answer by repeating (two of them), by finding, and by two calls at most. */
const LOUD_AFTER_S = { email: 0, webhook: 60, sms: 60, pushover: 60 } as const satisfies Partial<
  Record<WayKind, number>
>;
type SteppedWay = keyof typeof LOUD_AFTER_S;

const WAYS = PEOPLE.length * Object.keys(LOUD_AFTER_S).length;
const NOBODY = 'schedule of nobody';
const FATES = ['works', 'works, answer lost', 'away', 'gone'] as const;
type Fate = (typeof FATES)[number];

const target = fc.oneof(
  fc.constantFrom(...PEOPLE).map((id) => ({ kind: 'person' as const, id })),
  fc.constant({ kind: 'schedule' as const, id: NOBODY }),
);
export const plan = fc
  .record({
    steps: fc.array(
      fc.record({ after_s: fc.constantFrom(0, 60), to: fc.array(target, { minLength: 1, maxLength: 2 }) }),
      { minLength: 1, maxLength: 3 },
    ),
    repeat: fc.constantFrom(0, 1),
    last_resort: fc.constantFrom([], [{ kind: 'person' as const, id: 'ana' }]),
  })
  .map((given) => PolicyPlan.parse({ name: 'Everything', wait_s: 60, ...given }));

/** Which access of a process is the one before which something happens; null: it does not. */
const access = fc.option(fc.nat(9));
export const event = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('work' as const),
      fate: fc.constantFrom(...FATES),
      dies: access,
      acked: fc.constant(null),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('work' as const),
      fate: fc.constantFrom(...FATES),
      dies: fc.constant(null),
      acked: fc.nat(9),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('time' as const), seconds: fc.constantFrom(1, 30, 120) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unacknowledge' as const) }) },
);
type SteppedEvent = typeof event extends fc.Arbitrary<infer Value> ? Value : never;

/** A defect in the protocol, with which some law must be broken. */
export interface Defect {
  /** In place of the store's. @param pass an access, at which things happen */
  readonly beginAttempt?: (db: Kysely<ServiceTables>, id: string, pass: () => Promise<void>) => Promise<boolean>;
  /** Acknowledges without ending the page. @returns what ends it, after the next effect was carried out */
  readonly acknowledge?: (db: Kysely<ServiceTables>, incidentId: string) => Promise<() => Promise<void>>;
  readonly endOf?: (kind: string, end: End<ServiceTables>) => End<ServiceTables>;
  readonly write?: (message: WakeMessage) => WakeMessage;
  /** Kinds that are never carried out. */
  readonly leavesOut?: RegExp;
}

interface Said {
  readonly messageId: string;
  readonly kind: SteppedWay;
  readonly isAsked: boolean;
  readonly text: string;
  readonly hasArrived: boolean;
}

/** @param db of the tables in the database, which are emptied */
async function startWorld(database: TestDatabase, db: Kysely<ServiceTables>, given: PolicyPlan, defect: Defect) {
  await sql`truncate effects, ways, policies, incidents cascade`.execute(db);
  const at = new Date();
  const ways = createWayStore(db);
  for (const personId of PEOPLE) {
    for (const [kind, loudAfterS] of Object.entries(LOUD_AFTER_S) as [SteppedWay, number][]) {
      const { id } = await ways.add({ personId, kind, address: { to: personId }, loudAfterS, quietAfterS: null }, at);
      await ways.markVerified(id, at);
    }
  }
  await createPolicyStore(db).create(given, { by: 'test' }, at);
  const incident = newIncident(1, 'payments', null, new Date(at.getTime() + 1));

  const said: Said[] = [];
  /** Attempts that were begun after an acknowledgement was committed, and before it was taken back. */
  const begunTooLate: string[] = [];
  let isAcknowledged = false;
  let endLater = async () => {};
  let fate: Fate = 'works';
  let accesses = 0;
  let onAccess: (nth: number) => Promise<void> = async () => undefined;
  const passAccess = () => onAccess(accesses++);

  const stored = createPageStore(db);
  const pages: PageStore = {
    readPage: (id) => passAccess().then(() => stored.readPage(id)),
    readPages: (ids) => passAccess().then(() => stored.readPages(ids)),
    readAttempt: (id) => passAccess().then(() => stored.readAttempt(id)),
    findAnswered: (id) => passAccess().then(() => stored.findAnswered(id)),
    listRinging: (person, page) => passAccess().then(() => stored.listRinging(person, page)),
    isAskedForOthers: (id) => passAccess().then(() => stored.isAskedForOthers(id)),
    async beginAttempt(id, listed) {
      await passAccess();
      const isBegun = await (defect.beginAttempt?.(db, id, passAccess) ?? stored.beginAttempt(id, listed));
      if (isBegun && isAcknowledged) {
        begunTooLate.push(id);
      }
      await passAccess();
      return isBegun;
    },
  };
  async function send(kind: SteppedWay, message: WakeMessage): Promise<string> {
    const { id, answerUrl, title } = defect.write?.(message) ?? message;
    const hasArrived = fate === 'works' || fate === 'works, answer lost';
    said.push({ messageId: id, kind, isAsked: answerUrl !== null, text: `${title} ${answerUrl}`, hasArrived });
    await passAccess();
    if (fate !== 'works') {
      throw new WayError(fate === 'gone' ? 'gone' : 'unavailable', fate);
    }
    return id;
  }
  async function find(id: string): Promise<string | null> {
    await passAccess();
    if (fate === 'away') {
      throw new WayError('unavailable', fate);
    }
    return said.some(({ messageId, hasArrived }) => messageId === id && hasArrived) ? id : null;
  }
  const lostAnswers: Readonly<Record<SteppedWay, LostAnswer<object>>> = {
    email: { by: 'repeating' },
    webhook: { by: 'repeating' },
    sms: { by: 'finding', find: ({ id }) => find(id) },
    pushover: { by: 'at most two calls' },
  };
  const wayOf = (kind: SteppedWay): Way => ({
    address: z.object({ to: z.string() }),
    describe: () => 'somewhere',
    provedBy: 'delivery',
    missing: null,
    lostAnswer: lostAnswers[kind],
    call: (_address, message) => send(kind, message),
    takeBack: (_sent, message) => send(kind, message),
  });
  const answerSecret = async () => Buffer.from('secret');
  const write = createWriteMessage({ answerSecret, publicUrl: 'http://tocsin.test' });
  const duty = {
    readPerson: async (id: string) => ({
      id,
      name: id,
      email: null,
      slackUserId: null,
      openIdSubject: null,
      timeZone: null,
      createdAt: at,
      goneAt: null,
    }),
    readSchedule: async () => ({ name: 'Nobody', goneAt: null }),
    whoIsOnCall: async () => null,
  };
  const kinds = new Map<string, EffectKind<ServiceTables>>([
    [STEP_KIND, createStepKind({ duty, ways, pages, now: () => new Date() })],
    ...(Object.keys(LOUD_AFTER_S) as SteppedWay[]).flatMap((kind) => [
      [attemptKind(kind), createAttemptKind(kind, wayOf(kind), { pages, write })] as const,
      [takeBackKind(kind), createTakeBackKind(kind, wayOf(kind), { pages, write })] as const,
    ]),
  ]);
  const effects = createKeptEffects<ServiceTables>(db);
  const passTime = (ms: number) => advanceDatabaseClock(database, SERVICE_SCHEMA, ms);

  async function perform(kind: EffectKind<ServiceTables>, effect: KeptEffect): Promise<void> {
    const begin = () => passAccess().then(() => effects.begin(effect));
    const end = await kind
      .carryOut(effect, begin, new AbortController().signal)
      .catch(
        (error: unknown): End<ServiceTables> => kind.endOf(effect, error) ?? { againInMs: 1_000, error: 'failed' },
      );
    await passAccess();
    if (end !== null) {
      await effects.end(effect, defect.endOf?.(effect.kind, end) ?? end);
    }
  }

  async function acknowledgeIncident(): Promise<void> {
    if (defect.acknowledge === undefined) {
      await db
        .transaction()
        .execute((tx) => changeIncident(tx, incident.id, (old) => acknowledge(old, { by: 'ben' }, at)));
    } else {
      endLater = await defect.acknowledge(db, incident.id);
    }
    isAcknowledged = true;
  }

  /** @returns false: nothing was due */
  async function work(does: Extract<SteppedEvent, { kind: 'work' }>): Promise<boolean> {
    const endPage = endLater;
    const effect = await claimEffect(
      effects,
      [...kinds.keys()].filter((kind) => defect.leavesOut?.test(kind) !== true),
    );
    const kind = kinds.get(effect?.kind ?? '');
    if (effect === null || kind === undefined) {
      return false;
    }
    ({ fate } = does);
    accesses = 0;
    await new Promise<void>((resolve, reject) => {
      onAccess = async (nth) => {
        if (nth === does.dies) {
          resolve(); // the process does not come back from this access
          await new Promise(() => undefined);
        }
        if (nth === does.acked) {
          await acknowledgeIncident();
        }
      };
      perform(kind, effect).then(resolve, reject);
    });
    await endPage();
    await passTime(does.dies === null ? 1 : LEASE_MS + 1_000);
    return true;
  }

  await db.transaction().execute(async (tx) => {
    await saveIncidents(tx, [incident]);
    await appendEvents(tx, [{ type: 'incident.opened', incident }], at);
  });

  return {
    said,
    begunTooLate,
    work,
    acknowledgeIncident,
    passTime,
    isAcknowledged: () => isAcknowledged,
    async unacknowledgeIncident() {
      await db
        .transaction()
        .execute((tx) => changeIncident(tx, incident.id, (old) => unacknowledge(old, { by: 'ben' }, null, at)));
      isAcknowledged = false;
    },
  };
}

const WORKS = { kind: 'work', fate: 'works', dies: null, acked: null } as const;

export interface Scenario {
  readonly plan: PolicyPlan;
  readonly events: readonly SteppedEvent[];
  readonly isTakenInTheEnd: boolean;
}

/** Runs a scenario, and then lets all providers answer for longer than any policy here takes. @returns the broken laws */
export async function findBrokenLaws(
  database: TestDatabase,
  db: Kysely<ServiceTables>,
  { plan: given, events, isTakenInTheEnd }: Scenario,
  defect: Defect = {},
): Promise<string[]> {
  const world = await startWorld(database, db, given, defect);
  for (const each of events) {
    switch (each.kind) {
      case 'work':
        await world.work(each);
        break;
      case 'time':
        await world.passTime(each.seconds * 1_000);
        break;
      case 'unacknowledge':
        await world.unacknowledgeIncident();
        break;
    }
  }
  if (isTakenInTheEnd) {
    await world.acknowledgeIncident();
  }
  const saidBefore = world.said.length;
  for (let quiet = 0; quiet < 12; ) {
    if (!(await world.work(WORKS))) {
      quiet += 1;
      await world.passTime(61_000);
    }
  }

  const pages = await db.selectFrom('pages').selectAll().orderBy('started_at').orderBy('id').execute();
  const attempts = await db.selectFrom('page_attempts').selectAll().execute();
  const usable = await db.selectFrom('ways').select('id').where('unusable_because', 'is', null).execute();
  const live = pages.filter(({ ended_at: endedAt }) => endedAt === null).map(({ state }) => state);
  const asked = world.said.filter(({ isAsked }) => isAsked);
  const isAskedLater = world.said.slice(saidBefore).some(({ isAsked }) => isAsked);
  const isTaken = world.isAcknowledged();
  const places = attempts.map(({ page_id, cycle, step, way_id }) => [page_id, cycle, step, way_id].join(' '));
  const texts = Map.groupBy(asked, ({ messageId }) => messageId);
  const isLive = new Set(pages.filter(({ ended_at: endedAt }) => endedAt === null).map(({ id }) => id));
  const isOver = (id: string) => attempts.some((each) => each.id === id && !isLive.has(each.page_id ?? ''));
  const isTakenBack = (id: string) => {
    const last = world.said.findLastIndex(({ messageId, hasArrived }) => messageId === id && hasArrived);
    return last < 0 || world.said[last]?.isAsked === false || usable.length < WAYS;
  };
  const mostArrived = (kind: SteppedWay) =>
    Math.max(
      0,
      ...[...texts.values()].map((same) => same.filter((each) => each.kind === kind && each.hasArrived).length),
    );
  const laws: Readonly<Record<string, boolean>> = {
    'an attempt began after the acknowledgement': world.begunTooLate.length > 0,
    'a page is lost': live.join() !== (isTaken ? '' : 'exhausted') || (!isTaken && !isAskedLater && usable.length > 0),
    'somebody is woken who should not be': isTaken && isAskedLater,
    'a step began twice': new Set(places).size < places.length,
    'a repetition is another message': [...texts].some(
      ([id, same]) => attempts.every((each) => each.id !== id) || new Set(same.map(({ text }) => text)).size > 1,
    ),
    'a message arrived twice': mostArrived('sms') > 1 || mostArrived('pushover') > 2,
    'a message was not taken back': [...texts.keys()].some((id) => isOver(id) && !isTakenBack(id)),
    'a step that reached nobody did not go on at once': (await listIdleSteps(db)).length > 0,
  };
  return Object.keys(laws).filter((law) => laws[law]);
}

/** Steps that reached nobody, and whose next one waited. */
async function listIdleSteps(db: Kysely<ServiceTables>): Promise<readonly object[]> {
  const { rows } = await sql<object>`
    with steps as (
      select subject, due_at, settled_at, outcome, (data->>'step')::int as step,
        lead(due_at) over (partition by subject order by (data->>'cycle')::int, (data->>'step')::int) as next_due_at
      from effects where kind = ${STEP_KIND}
    )
    select subject, steps.step from steps join pages on pages.id = subject
    where outcome->>'attempts' = '0' and steps.step < jsonb_array_length(policy->'steps')
      and coalesce(next_due_at > steps.settled_at + interval '30 seconds', true)
  `.execute(db);
  return rows;
}
