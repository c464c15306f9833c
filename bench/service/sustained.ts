import { setTimeout as sleep } from 'node:timers/promises';
import { type Finding, median, thousands } from '../numbers.ts';
import type { ScratchCluster } from '../scratch-cluster.ts';
import { startServiceProcess } from '../service-process.ts';
import { startSpanLoad } from '../span-load.ts';
import { readUsage } from '../usage.ts';

const SAMPLE_MS = 2_000;
const GOAL_LAG_SECONDS = 5;
const GOAL_MEGABYTES = 1_024;

/** What the service holds and how far correlation is behind, at one time. */
interface Sample {
  readonly accepted: number;
  readonly lagSeconds: number;
  readonly megabytes: number;
}

/** Measures whether a rate can be kept up: what is accepted, how far correlation is behind, and memory. */
export async function measureSustained(
  cluster: ScratchCluster,
  { minutes, spansPerSecond }: { readonly minutes: number; readonly spansPerSecond: number },
): Promise<Finding[]> {
  await using service = await startServiceProcess(await cluster.createDatabase('sustained'));
  const { baseUrl, key, pid } = service;
  await using load = startSpanLoad({ baseUrl: () => baseUrl, key, spansPerSecond });
  const samples: Sample[] = [];
  const start = performance.now();
  const metrics = new URL('/metrics', baseUrl);
  while (performance.now() - start < minutes * 60_000) {
    await sleep(SAMPLE_MS);
    const { megabytes } = await readUsage(pid);
    samples.push({ accepted: load.accepted(), lagSeconds: await readLag(metrics), megabytes });
  }
  const seconds = (performance.now() - start) / 1_000;
  if (load.wrongAnswers.size > 0) {
    throw new Error(`the service answered ${[...load.wrongAnswers.keys()].join(', ')}`);
  }
  return describe(samples, { seconds, spansPerSecond });
}

async function readLag(metrics: URL): Promise<number> {
  const text = await (await fetch(metrics)).text();
  return Number(/^tocsin_correlation_lag_seconds (\S+)$/m.exec(text)?.[1] ?? Number.NaN);
}

function describe(
  samples: readonly Sample[],
  { seconds, spansPerSecond }: { readonly seconds: number; readonly spansPerSecond: number },
): Finding[] {
  const rate = (samples.at(-1)?.accepted ?? 0) / seconds;
  const half = samples.length / 2;
  const secondHalf = samples.slice(half);
  const most = (part: keyof Sample) => Math.max(...samples.map((sample) => sample[part]));
  const growth =
    median(secondHalf.map(({ megabytes }) => megabytes)) /
    median(samples.slice(half / 2, half).map(({ megabytes }) => megabytes));
  return [
    {
      what: `${Math.round(seconds)} s: spans/s`,
      measured: thousands(rate),
      baseline: `${thousands(spansPerSecond)} sent`,
      ratio: (rate / spansPerSecond).toFixed(2),
      goal: { text: 'at least 0.99', isMet: rate >= 0.99 * spansPerSecond },
    },
    {
      what: 'correlation is behind by at most',
      measured: `${most('lagSeconds').toFixed(1)} s`,
      baseline: `${median(samples.map(({ lagSeconds }) => lagSeconds)).toFixed(1)} s median`,
      ratio: '',
      goal: { text: `under ${GOAL_LAG_SECONDS} s`, isMet: most('lagSeconds') < GOAL_LAG_SECONDS },
    },
    {
      what: 'memory, at most',
      measured: `${thousands(most('megabytes'))} MB`,
      baseline: 'second half, of the second quarter',
      ratio: growth.toFixed(2),
      goal: { text: `under ${thousands(GOAL_MEGABYTES)} MB`, isMet: most('megabytes') < GOAL_MEGABYTES },
    },
  ];
}
