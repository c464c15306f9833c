import fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PolicyPlan } from '../../src/contract/waking.ts';
import { endPage } from '../../src/service/store/pages/follow-pages.ts';
import { STEP_KIND } from '../../src/service/store/pages/page-effects.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { borrowTestDatabase, type TestDatabase } from '../support/database.ts';
import { runs } from '../support/runs.ts';
import { type Defect, event, findBrokenLaws, plan, type Scenario } from '../support/stepped-waking.ts';

let database: TestDatabase;
let db: Kysely<ServiceTables>;
beforeAll(async () => {
  database = await borrowTestDatabase();
  db = await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  return () => database[Symbol.asyncDispose]();
});
afterAll(() => db.destroy());

it('loses no page, begins none after the acknowledgement, doubles none, and takes back what was sent', async () => {
  const scenario = fc.record({ plan, events: fc.array(event, { maxLength: 30 }), isTakenInTheEnd: fc.boolean() });
  const property = fc.asyncProperty(scenario, async (given) => {
    expect(await findBrokenLaws(database, db, given)).toEqual([]);
  });

  await fc.assert(property, { numRuns: runs(8) });
}, 300_000);

/** Nobody is on call at first, then somebody is called, whose provider does not say that the message arrived. */
function scenarioOf(acked: number | null, isTakenInTheEnd: boolean): Scenario {
  const to = (target: object) => ({ after_s: 60, to: [target] });
  const steps = [to({ kind: 'schedule', id: 'nobody' }), to({ kind: 'person', id: 'ana' })];
  const last = [{ kind: 'person', id: 'ana' }];
  const works = { kind: 'work', fate: 'works', dies: null, acked: null } as const;
  return {
    plan: PolicyPlan.parse({ name: 'Everything', wait_s: 60, steps, last_resort: last }),
    events: [
      { kind: 'time', seconds: 120 },
      works,
      works,
      { kind: 'time', seconds: 1 },
      { ...works, fate: 'works, answer lost', acked },
    ],
    isTakenInTheEnd,
  };
}

/** With the acknowledgement before each access of the attempt. */
const SCENARIOS = [
  scenarioOf(null, false),
  scenarioOf(null, true),
  ...Array.from({ length: 10 }, (_, acked) => scenarioOf(acked, true)),
];

const DEFECTS: readonly (Defect & { readonly name: string; readonly breaks: string })[] = [
  {
    name: 'an attempt begins without the lock of its page',
    breaks: 'an attempt began after the acknowledgement',
    async beginAttempt(tables, id, pass) {
      const { rows } = await sql`
        select from page_attempts join pages on page_id = pages.id where page_attempts.id = ${id} and ended_at is null
      `.execute(tables);
      await pass();
      await sql`update page_attempts set state = 'sending', began_at = clock_now() where id = ${id}`.execute(tables);
      return rows.length > 0;
    },
  },
  {
    name: 'the page ends in another transaction than the one that acknowledges',
    breaks: 'an attempt began after the acknowledgement',
    async acknowledge(tables, id) {
      const at = new Date();
      const set = { acknowledged_at: at, acknowledged_by: 'ben' };
      await tables.updateTable('incidents').set(set).where('id', '=', id).execute();
      return () =>
        tables.transaction().execute(async (tx) => {
          const pages = await tx.selectFrom('pages').select('id').where('ended_at', 'is', null).execute();
          for (const page of pages) {
            await endPage(tx, page.id, { by: 'ben' }, at);
          }
        });
    },
  },
  {
    name: 'a step that reaches nobody is the last one',
    breaks: 'a page is lost',
    endOf: (kind, end) =>
      kind === STEP_KIND && 'outcome' in end && Reflect.get(end.outcome, 'attempts') === 0
        ? { ...end, follow: [] }
        : end,
  },
  {
    name: 'a step that reaches nobody waits out its delay',
    breaks: 'a step that reached nobody did not go on at once',
    endOf: (_kind, end) =>
      'outcome' in end
        ? { ...end, follow: (end.follow ?? []).map((next) => ({ ...next, dueInMs: next.dueInMs || 60_000 })) }
        : end,
  },
  { name: 'nothing is taken back', breaks: 'a message was not taken back', leavesOut: /^take-back:/ },
  {
    name: 'a repeated call has another key',
    breaks: 'a repetition is another message',
    write: (message) => ({ ...message, id: `${message.id} ${Math.random()}` }),
  },
];

describe('the laws', () => {
  it('hold with an acknowledgement before any access', async () => {
    for (const scenario of SCENARIOS) {
      expect(await findBrokenLaws(database, db, scenario)).toEqual([]);
    }
  });

  it.each(DEFECTS)('are broken when $name', async ({ breaks, ...defect }) => {
    const broken = new Set<string>();
    for (const scenario of SCENARIOS) {
      for (const law of broken.has(breaks) ? [] : await findBrokenLaws(database, db, scenario, defect)) {
        broken.add(law);
      }
    }

    expect([...broken]).toContain(breaks);
  });
});
