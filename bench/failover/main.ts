import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { SERVICE_SCHEMA } from '../../src/service/store/schema/tables.ts';
import { say } from '../measure.ts';
import { median } from '../numbers.ts';
import { type Node, type PatroniCluster, startPatroniCluster } from './patroni-cluster.ts';
import { waitFor } from './wait-for.ts';
import { startWorkload, type Workload } from './workload.ts';

const HELP = `npm run bench:failover -- [options]
  --times <number>   how often the primary is killed, frozen, cut off and switched over (10)
  --only <name>      kill, freeze, cut or switchover, and nothing else; may be given more than once
  --help             this

Needs Debian's postgresql, patroni and etcd-server (.ci/debian-packages.sh). A round takes about half a minute.`;

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '10' },
    only: { type: 'string', multiple: true },
    help: { type: 'boolean', default: false },
  },
});

/** Patroni takes 20 s at least to give up a leader that says nothing. */
const NEW_PRIMARY_MS = 90_000;
const RESUME_MS = 60_000;
const GOAL_MS = 10_000;

interface Fault {
  readonly begin: (primary: Node) => Promise<void>;
  readonly end: (primary: Node) => Promise<void>;
}

const FAULTS: Readonly<Record<string, Fault>> = {
  kill: { begin: (primary) => primary.kill(), end: (primary) => primary.start() },
  freeze: { begin: (primary) => primary.freeze(), end: (primary) => primary.thaw() },
  cut: { begin: async (primary) => primary.cut(), end: async (primary) => primary.restore() },
  switchover: { begin: (primary) => primary.switchOver(), end: async () => undefined },
};

/** @returns how long after the new primary the first record was acknowledged, in milliseconds */
async function runRound(cluster: PatroniCluster, workload: Workload, name: string, fault: Fault): Promise<number> {
  const old = await cluster.whole();
  const acting = workload.openAndAcknowledge(name);
  acting.catch(() => undefined); // awaited below
  await sleep(Math.random() * 3_000); // at any moment of what is going on
  await fault.begin(old);
  const others = cluster.nodes.filter((node) => node !== old);
  const fresh = await waitFor(
    async () => {
      const found = await Promise.all(others.map(async (node) => ((await node.isPrimary()) ? node : null)));
      return found.find((node) => node !== null) ?? null;
    },
    NEW_PRIMARY_MS,
    'a new primary',
  );
  const electedAt = performance.now();
  await waitFor(async () => workload.acknowledgedAt() > electedAt, RESUME_MS, `a record after ${fresh.name} took over`);
  const resumedMs = workload.acknowledgedAt() - electedAt;
  await fault.end(old);
  await acting;
  return resumedMs;
}

/** Lists acknowledged records that are lost or doubled. */
async function findLostRecords(cluster: PatroniCluster, { acknowledged }: Workload): Promise<string[]> {
  const { ownPort } = await cluster.whole();
  const client = new Client({ host: '127.0.0.1', port: ownPort, user: 'postgres', database: 'tocsin' });
  await client.connect();
  const { rows } = await client.query<{ body: string; signals: string; occurrences: string }>(
    `select detail->>'body' as body, count(*) as signals, sum(occurrences) as occurrences
     from ${SERVICE_SCHEMA}.signals where service = 'depot' group by 1`,
  );
  await client.end();
  const stored = new Map(rows.map((row) => [row.body, row]));
  return acknowledged.flatMap(({ text, attempts }) => {
    const row = stored.get(text);
    const isRight = row !== undefined && Number(row.signals) === 1 && Number(row.occurrences) <= attempts;
    return isRight ? [] : [`${text}: ${row?.signals ?? 0} signals, ${row?.occurrences ?? 0} of ${attempts} attempts`];
  });
}

async function run(): Promise<boolean> {
  say('starting three servers …');
  await using cluster = await startPatroniCluster();
  await using workload = await startWorkload(cluster.url);
  const faults = Object.entries(FAULTS).filter(([name]) => values.only?.includes(name) ?? true);
  const resumed = new Map<string, number[]>(faults.map(([name]) => [name, []]));
  for (let time = 0; time < Number(values.times); time += 1) {
    for (const [name, fault] of faults) {
      const resumedMs = await runRound(cluster, workload, `${name}-${'abcdefghij'.charAt(time % 10)}${time}`, fault);
      resumed.get(name)?.push(resumedMs);
      say(`${name}: resumed ${(resumedMs / 1_000).toFixed(1)} s after the new primary`);
    }
  }
  const brokenCards = await workload.findBrokenCards();
  const lost = await findLostRecords(cluster, workload);
  const wrong = [...workload.wrongAnswers].map(([status, times]) => `${times} answers with ${status}`);
  for (const [name, times] of resumed) {
    const longest = Math.max(...times);
    say(
      `${name}, ${times.length} times: resumed in ${(median(times) / 1_000).toFixed(1)} s, ${(longest / 1_000).toFixed(1)} s at most (goal 10 s: ${longest <= GOAL_MS ? 'met' : 'MISSED'})`,
    );
  }
  say(`${workload.acknowledged.length} records acknowledged, ${lost.length} of them lost or doubled`);
  for (const fault of [
    ...lost.slice(0, 20),
    ...brokenCards,
    ...wrong,
    ...(wrong.length > 0 ? [workload.lastFault()] : []),
  ]) {
    say(`  ${fault}`);
  }
  return (
    lost.length + brokenCards.length + wrong.length === 0 && [...resumed.values()].flat().every((ms) => ms <= GOAL_MS)
  );
}

if (values.help) {
  say(HELP);
} else {
  process.exitCode = (await run()) ? 0 : 1;
}
