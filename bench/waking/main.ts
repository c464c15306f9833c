import { createECDH, randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Kysely, sql } from 'kysely';
import { pino } from 'pino';
import { PolicyPlan, type WayKind } from '../../src/contract/waking.ts';
import { openDatabase } from '../../src/database/database.ts';
import { newIncident } from '../../src/service/core/incident.ts';
import { saveIncidents } from '../../src/service/store/incidents/incident-writer.ts';
import { beginPage } from '../../src/service/store/pages/follow-pages.ts';
import { createWayStore } from '../../src/service/store/pages/way-store.ts';
import { createPeopleStore } from '../../src/service/store/people/people-store.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { startTocsin } from '../../test/support/tocsin-process.ts';
import { measureAll, say } from '../measure.ts';
import { type Finding, median, milliseconds, quantile } from '../numbers.ts';
import type { ScratchCluster } from '../scratch-cluster.ts';
import { readCpuSeconds, readCpuSecondsOfAll } from '../usage.ts';
import { type SlowProvider, startSlowProvider } from './providers.ts';

/** Ways of which the provider can be played. */
const MEASURED = ['email', 'webhook', 'web_push'] as const satisfies readonly WayKind[];
type Measured = (typeof MEASURED)[number];

const HELP = `npm run bench:waking -- [options]
  --only <way>      ${MEASURED.join(', ')}, and nothing else; may be given more than once
  --pages <number>  that are due at once, each for another person (1000)
  --answer <ms>     time that the provider takes for each call (300)
  --limited <share> of the calls that it refuses with 429 or 450 (0.05)
  --help            this`;

const HOW = `Two processes of the service share a database; the provider runs in this process. All pages are due at one instant, each for
another person; when a call is refused, the next person is called, too.
Lateness is the time from then until the provider sees the first call for a page. There is no peer to compare it with.
`;

const GOAL_S = 5;
const PROCESSES = 2;
/** Until the pages are due, so that both processes are idle when they are. */
const LEAD_MS = 3_000;

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    pages: { type: 'string', default: '1000' },
    answer: { type: 'string', default: '300' },
    limited: { type: 'string', default: '0.05' },
    help: { type: 'boolean', default: false },
  },
});

const BROWSER = createECDH('prime256v1');
BROWSER.generateKeys();

/** Where a person is reached. */
const ADDRESSES: Readonly<Record<Measured, (person: number, provider: SlowProvider) => object>> = {
  email: (person) => ({ email: `person-${person}@tocsin.test` }),
  webhook: (person, { url }) => ({
    url: `${url}/person-${person}`,
    secret: `whsec_${randomBytes(24).toString('base64')}`,
  }),
  web_push: (person, { url }) => ({
    endpoint: `${url}/person-${person}`,
    keys: { p256dh: BROWSER.getPublicKey('base64url'), auth: randomBytes(16).toString('base64url') },
  }),
};

async function measureWay(cluster: ScratchCluster, kind: Measured, count: number): Promise<Finding[]> {
  await using scope = new AsyncDisposableStack();
  const provider = scope.use(await startSlowProvider(Number(values.answer), Number(values.limited)));
  const url = await cluster.createDatabase(`waking_${kind}`);
  const pids: number[] = [];
  for (let started = 0; started < PROCESSES; started += 1) {
    const env = {
      DATABASE_URL: url,
      SMTP_URL: provider.smtpUrl,
      WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'true',
      LOG_LEVEL: 'fatal',
    };
    pids.push(scope.use(await startTocsin(env, ['service'])).pid);
  }
  const database = scope.use(await openDatabase({ url, dataDir: '', logger: pino({ level: 'silent' }) }));
  const db = await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const [people, ways, at] = [createPeopleStore(db), createWayStore(db), new Date()];
  const pages: { readonly person: string; readonly incident: ReturnType<typeof newIncident> }[] = [];
  for (let index = 1; index <= count; index += 1) {
    const person =
      (await people.savePerson(`email:person-${index}@tocsin.test`, { name: `Person ${index}` }, at))?.id ?? '';
    const way = { personId: person, kind, address: ADDRESSES[kind](index, provider), loudAfterS: 0, quietAfterS: null };
    await ways.markVerified((await ways.add(way, at)).id, at);
    pages.push({ person, incident: newIncident(index, `service-${index}`, null, at) });
  }
  const { rows: files } = await sql<{ lock: string }>`select pg_read_file('postmaster.pid') as lock`.execute(db);
  const postmaster = Number.parseInt(files[0]?.lock ?? '', 10);
  await sql`create extension pg_stat_statements schema public`.execute(db);
  await db.transaction().execute(async (tx) => {
    await saveIncidents(
      tx,
      pages.map(({ incident }) => incident),
    );
    for (const [index, { person, incident }] of pages.entries()) {
      const next = [{ kind: 'person', id: pages[(index + 1) % count]?.person }];
      const plan = PolicyPlan.parse({
        name: 'Two people',
        steps: [
          { after_s: 0, to: [{ kind: 'person', id: person }] },
          { after_s: 300, to: next },
        ],
        last_resort: next,
      });
      await beginPage(tx, incident.id, { ...plan, id: 'policy', createdAt: at }, at);
    }
    await sql`update effects set due_at = clock_now() + ${LEAD_MS}::int * interval '1 millisecond'`.execute(tx);
  });
  const { rows } = await sql<{ due: Date }>`select min(due_at) as due from effects`.execute(db);
  const dueAt = rows[0]?.due.getTime() ?? 0;
  await wait(dueAt - Date.now());
  const usage = async () => ({
    service: (await Promise.all(pids.map(readCpuSeconds))).reduce((sum, each) => sum + each, 0),
    database: await readCpuSecondsOfAll(postmaster),
    statements: await countStatements(db),
  });
  const before = await usage();
  while (provider.firstSeenAt.size < count) {
    await wait(100);
  }
  const after = await usage();
  const perPage = (what: keyof typeof before) => (after[what] - before[what]) / count;
  const late = [...provider.firstSeenAt.values()].map((seenAt) => (seenAt - dueAt) / 1_000);
  const seconds = (value: number) => `${value.toFixed(1)} s`;
  const p99 = quantile(late, 0.99);
  const isMet = p99 <= GOAL_S;
  const line = (what: string, value: number, goal: Finding['goal']): Finding => {
    return { what: `${kind}: ${what}`, measured: seconds(value), baseline: '', ratio: '', goal };
  };
  return [
    line('half of the calls begin within', median(late), null),
    line('99 % begin within', p99, { text: `≤ ${GOAL_S} s`, isMet }),
    line('the last begins after', Math.max(...late), null),
    {
      ...line('processor time of the service for a page', 0, null),
      measured: milliseconds(1_000 * perPage('service')),
    },
    {
      ...line('processor time of PostgreSQL for a page', 0, null),
      measured: milliseconds(1_000 * perPage('database')),
    },
    { ...line('statements for a page', 0, null), measured: perPage('statements').toFixed(1) },
  ];
}

async function countStatements(db: Kysely<ServiceTables>): Promise<number> {
  const { rows } = await sql<{ calls: number }>`
    select sum(calls)::float8 as calls from public.pg_stat_statements
    where dbid = (select oid from pg_database where datname = current_database())`.execute(db);
  return rows[0]?.calls ?? 0;
}

if (values.help) {
  say(HELP);
} else {
  say(HOW);
  const count = Number(values.pages);
  const measurements = MEASURED.map((kind) => [kind, (cluster: ScratchCluster) => measureWay(cluster, kind, count)]);
  await measureAll(Object.fromEntries(measurements), values.only);
}
