import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startNats } from '../../test/support/nats-server.ts';
import { say } from '../measure.ts';
import { median } from '../numbers.ts';
import { startSpanLoad } from '../span-load.ts';
import { readUsage, type Usage } from '../usage.ts';
import { startPatroniCluster } from './patroni-cluster.ts';
import { FAULTS, findLostRecords, runBrokerRound, runRound } from './rounds.ts';
import { startWorkload } from './workload.ts';

const HELP = `npm run bench:failover -- [options]
  --times <number>   how often the primary is killed, frozen, cut off and switched over (10)
  --only <name>      kill, freeze, cut, switchover or broker, and nothing else; may be given more than once
  --pause <minutes>  between two of them (0)
  --spans <number>   a second, sent meanwhile (0); the memory at the end is compared with that after the first round
  --nats             telemetry goes through a cluster of three servers of NATS; one of them is killed too, as "broker"
  --help             this

Needs Debian's postgresql, patroni, etcd-server and nats-server (.ci/debian-packages.sh). A round takes about half a minute.`;

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '10' },
    only: { type: 'string', multiple: true },
    pause: { type: 'string', default: '0' },
    spans: { type: 'string', default: '0' },
    nats: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const GOAL_MS = 10_000;

async function run(): Promise<boolean> {
  say('starting three servers …');
  await using cluster = await startPatroniCluster();
  await using nats = values.nats ? await startNats(3) : null;
  await using workload = await startWorkload(cluster.url, nats?.url);
  const { baseUrl, key, pid } = workload;
  const spansPerSecond = Number(values.spans);
  await using spans = spansPerSecond > 0 ? startSpanLoad({ baseUrl: () => baseUrl, key, spansPerSecond }) : null;
  const startedAt = performance.now();
  const usage: Usage[] = [];
  const rounds = new Map<string, (name: string, time: number) => Promise<number>>(
    Object.entries(FAULTS).map(([kind, fault]) => [kind, (name) => runRound(cluster, workload, name, fault)]),
  );
  if (nats !== null) {
    rounds.set('broker', (name, time) => runBrokerRound(nats, workload, name, time));
  }
  const faults = [...rounds].filter(([name]) => values.only?.includes(name) ?? true);
  const resumed = new Map<string, number[]>(faults.map(([name]) => [name, []]));
  for (let time = 0; time < Number(values.times); time += 1) {
    for (const [name, round] of faults) {
      const resumedMs = await round(`${name}-${'abcdefghij'.charAt(time % 10)}${time}`, time);
      resumed.get(name)?.push(resumedMs);
      say(`${name}: resumed after ${(resumedMs / 1_000).toFixed(1)} s`);
      usage.push(await readUsage(pid));
      await sleep(Number(values.pause) * 60_000);
    }
  }
  await spans?.[Symbol.asyncDispose]();
  const seconds = (performance.now() - startedAt) / 1_000;
  const brokenCards = await workload.findBrokenCards();
  const lost = await findLostRecords(cluster, workload);
  const wrong = [...workload.wrongAnswers, ...(spans?.wrongAnswers ?? [])].map(
    ([status, times]) => `${times} answers with ${status}`,
  );
  for (const [name, times] of resumed) {
    const longest = Math.max(...times);
    say(
      `${name}, ${times.length} times: resumed in ${(median(times) / 1_000).toFixed(1)} s, ${(longest / 1_000).toFixed(1)} s at most (goal 10 s: ${longest <= GOAL_MS ? 'met' : 'MISSED'})`,
    );
  }
  say(`${workload.acknowledged.length} records acknowledged, ${lost.length} of them lost or doubled`);
  const [after, end] = [usage.at(0), usage.at(-1)].map(
    (each) => `${each?.megabytes.toFixed(0)} MB, ${each?.handles} handles`,
  );
  if (spans !== null) {
    say(`${(spans.accepted() / seconds).toFixed(0)} spans a second accepted for ${(seconds / 60).toFixed(0)} minutes`);
  }
  say(`after the first round ${after}; after the last ${end}`);
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
