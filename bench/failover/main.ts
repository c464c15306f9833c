import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { say } from '../measure.ts';
import { median } from '../numbers.ts';
import { startSpanLoad } from '../span-load.ts';
import { readUsage, type Usage } from '../usage.ts';
import { startPatroniCluster } from './patroni-cluster.ts';
import { FAULTS, findLostRecords, runRound } from './rounds.ts';
import { startWorkload } from './workload.ts';

const HELP = `npm run bench:failover -- [options]
  --times <number>   how often the primary is killed, frozen, cut off and switched over (10)
  --only <name>      kill, freeze, cut or switchover, and nothing else; may be given more than once
  --pause <minutes>  between two of them (0)
  --spans <number>   a second, sent meanwhile (0); the memory at the end is compared with that after the first round
  --help             this

Needs Debian's postgresql, patroni and etcd-server (.ci/debian-packages.sh). A round takes about half a minute.`;

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '10' },
    only: { type: 'string', multiple: true },
    pause: { type: 'string', default: '0' },
    spans: { type: 'string', default: '0' },
    help: { type: 'boolean', default: false },
  },
});

const GOAL_MS = 10_000;

async function run(): Promise<boolean> {
  say('starting three servers …');
  await using cluster = await startPatroniCluster();
  await using workload = await startWorkload(cluster.url);
  const { baseUrl, key, pid } = workload;
  const spansPerSecond = Number(values.spans);
  await using spans = spansPerSecond > 0 ? startSpanLoad({ baseUrl: () => baseUrl, key, spansPerSecond }) : null;
  const usage: Usage[] = [];
  const faults = Object.entries(FAULTS).filter(([name]) => values.only?.includes(name) ?? true);
  const resumed = new Map<string, number[]>(faults.map(([name]) => [name, []]));
  for (let time = 0; time < Number(values.times); time += 1) {
    for (const [name, fault] of faults) {
      const resumedMs = await runRound(cluster, workload, `${name}-${'abcdefghij'.charAt(time % 10)}${time}`, fault);
      resumed.get(name)?.push(resumedMs);
      say(`${name}: resumed ${(resumedMs / 1_000).toFixed(1)} s after the new primary`);
      usage.push(await readUsage(pid));
      await sleep(Number(values.pause) * 60_000);
    }
  }
  await spans?.[Symbol.asyncDispose]();
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
