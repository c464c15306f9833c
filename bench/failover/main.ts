import { parseArgs } from 'node:util';
import { say } from '../measure.ts';
import { median } from '../numbers.ts';
import { startPatroniCluster } from './patroni-cluster.ts';
import { FAULTS, findLostRecords, runRound } from './rounds.ts';
import { startWorkload } from './workload.ts';

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

const GOAL_MS = 10_000;

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
