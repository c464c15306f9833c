import { execFileSync } from 'node:child_process';
import { type Finding, median, thousands } from '../numbers.ts';
import { startProgram } from '../programs.ts';
import type { ScratchCluster } from '../scratch-cluster.ts';
import { type ServiceProcess, startServiceProcess } from '../service-process.ts';
import type { SendResult } from './ingest-sender.ts';

const CONNECTIONS_PER_SENDER = 4;
const ERROR_SHARE = 0.01;
const WARM_UP_MS = 2_000;
const ROUND_MS = 3_000;
const ROUNDS = 7;
const GOAL_RATIO = 1.7;

/**
 * Measures accepted spans per second of two processes, each on one core, compared with one process on one core. Both
 * sides have the same senders and a database of their own, and their rounds alternate. PostgreSQL and the senders use the
 * same cores.
 */
export async function measureProcesses(cluster: ScratchCluster): Promise<Finding[]> {
  const [oneUrl, twoUrl] = [await cluster.createDatabase('one_process'), await cluster.createDatabase('two_processes')];
  await using alone = await startPinned(oneUrl, 0);
  await using first = await startPinned(twoUrl, 0);
  await using second = await startPinned(twoUrl, 1, first.key);
  await using one = startProgram(new URL('./ingest-sender.ts', import.meta.url));
  await using other = startProgram(new URL('./ingest-sender.ts', import.meta.url));

  const run = async (targets: readonly [ServiceProcess, ServiceProcess], milliseconds: number): Promise<number> => {
    const orders = targets.map(({ baseUrl, key }) => ({
      url: `${baseUrl}/traces`,
      key,
      errorShare: ERROR_SHARE,
      connections: CONNECTIONS_PER_SENDER,
      milliseconds,
    }));
    const results = await Promise.all([one, other].map((sender, index) => sender.ask<SendResult>(orders[index] ?? {})));
    const refused = results.reduce((sum, result) => sum + result.refused, 0);
    if (refused > 0) {
      throw new Error(`${refused} requests were refused`);
    }
    return results.reduce((sum, { spans, seconds }) => sum + spans / seconds, 0);
  };

  const both = [first, second] as const;
  await run([alone, alone], WARM_UP_MS);
  await run(both, WARM_UP_MS);
  const rates = { one: [] as number[], two: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    rates.one.push(await run([alone, alone], ROUND_MS));
    rates.two.push(await run(both, ROUND_MS));
  }
  const ratio = median(rates.two.map((rate, round) => rate / (rates.one[round] ?? Number.NaN)));
  return [
    {
      what: 'ingest by two processes: spans/s',
      measured: thousands(median(rates.two)),
      baseline: `${thousands(median(rates.one))} one process on one core`,
      ratio: ratio.toFixed(2),
      goal: { text: `ratio at least ${GOAL_RATIO}`, isMet: ratio >= GOAL_RATIO },
    },
  ];
}

/** @param core a number of Linux */
async function startPinned(databaseUrl: string, core: number, key?: string): Promise<ServiceProcess> {
  const service = await startServiceProcess(databaseUrl, key);
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(core), String(service.pid)]);
  return service;
}
