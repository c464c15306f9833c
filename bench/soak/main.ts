import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startPatroniCluster } from '../failover/patroni-cluster.ts';
import { FAULTS, findLostRecords, runRound } from '../failover/rounds.ts';
import { startWorkload } from '../failover/workload.ts';
import { say } from '../measure.ts';
import { median, thousands } from '../numbers.ts';
import { inLetters } from '../record-load.ts';
import { startSpanLoad } from '../span-load.ts';
import { readUsage, type Usage } from '../usage.ts';

const HELP = `npm run soak -- [options]
  --minutes <number>    how long (60)
  --failovers <number>  minutes between two failures of the primary (10)
  --incidents <number>  an hour (50)
  --spans <number>      a second (3000)
  --help                this

Runs Tocsin over three servers of PostgreSQL, under load and with failovers, and tells what it holds at the end against the
second quarter: memory, handles, lost and doubled records, wrong cards. Needs Debian's postgresql, patroni and etcd-server.`;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    failovers: { type: 'string', default: '10' },
    incidents: { type: 'string', default: '50' },
    spans: { type: 'string', default: '3000' },
    help: { type: 'boolean', default: false },
  },
});

const MINUTE_MS = 60_000;
const SAMPLE_MS = 5_000;
/** Of the last quarter to the second one. The garbage collector leaves a saw. */
const GOAL_RATIO = 1.25;

async function run(): Promise<boolean> {
  say('starting three servers …');
  await using cluster = await startPatroniCluster();
  await using workload = await startWorkload(cluster.url);
  const { baseUrl, key, pid } = workload;
  const endsAt = performance.now() + Number(values.minutes) * MINUTE_MS;
  const isOver = () => performance.now() > endsAt;
  const pause = (ms: number) => sleep(Math.min(ms, Math.max(0, endsAt - performance.now()) + 1));
  const spans = startSpanLoad({ baseUrl: () => baseUrl, key, spansPerSecond: Number(values.spans) });
  const usage: Usage[] = [];
  const resumed: number[] = [];

  async function watch(): Promise<void> {
    while (!isOver()) {
      usage.push(await readUsage(pid));
      await pause(SAMPLE_MS);
    }
  }
  async function openIncidents(): Promise<void> {
    for (let count = 0; !isOver(); count += 1) {
      await workload.openAndAcknowledge(`soak-${inLetters(count)}`);
      await pause((60 / Number(values.incidents)) * MINUTE_MS);
    }
  }
  async function failOver(): Promise<void> {
    const faults = Object.entries(FAULTS);
    for (let count = 0; ; count += 1) {
      await pause(Number(values.failovers) * MINUTE_MS);
      const [name, fault] = faults[count % faults.length] ?? [];
      if (isOver() || name === undefined || fault === undefined) {
        return;
      }
      resumed.push(await runRound(cluster, workload, `${name}-${inLetters(count)}`, fault));
      say(`${name}: resumed ${((resumed.at(-1) ?? 0) / 1_000).toFixed(1)} s after the new primary`);
    }
  }

  await Promise.all([watch(), openIncidents(), failOver()]);
  await spans[Symbol.asyncDispose]();
  const brokenCards = await workload.findBrokenCards();
  const lost = await findLostRecords(cluster, workload);
  const wrong = [...workload.wrongAnswers, ...spans.wrongAnswers].map(([status, times]) => `${times} times ${status}`);
  say(
    `${values.minutes} minutes: ${thousands(spans.accepted())} spans, ${thousands(workload.acknowledged.length)} records, ${resumed.length} failovers`,
  );
  const isFlat = [describe('memory', usage, 'megabytes'), describe('handles', usage, 'handles')].every(Boolean);
  say(
    `lost or doubled: ${lost.length}; cards that are wrong: ${brokenCards.length}; answers other than 200 and 503: ${wrong.length}`,
  );
  for (const line of [...lost.slice(0, 20), ...brokenCards, ...wrong]) {
    say(`  ${line}`);
  }
  return isFlat && lost.length + brokenCards.length + wrong.length === 0;
}

/** @returns whether it is flat */
function describe(name: string, usage: readonly Usage[], part: keyof Usage): boolean {
  const quarter = (index: number) =>
    median(usage.slice((usage.length * index) / 4, (usage.length * (index + 1)) / 4).map((each) => each[part]));
  const quarters = [0, 1, 2, 3].map(quarter);
  const ratio = (quarters[3] ?? 0) / (quarters[1] ?? 0);
  say(
    `${name} by quarters: ${quarters.map((value) => Math.round(value)).join(', ')} ${part}; the last is ${ratio.toFixed(2)} of the second (at most ${GOAL_RATIO}: ${ratio <= GOAL_RATIO ? 'met' : 'MISSED'})`,
  );
  return ratio <= GOAL_RATIO;
}

if (values.help) {
  say(HELP);
} else {
  process.exitCode = (await run()) ? 0 : 1;
}
