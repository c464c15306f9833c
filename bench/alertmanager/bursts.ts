import { setTimeout as sleep } from 'node:timers/promises';
import { createAlert } from '../alerts.ts';
import { type Finding, median, milliseconds, quantile } from '../numbers.ts';
import { CHANNEL } from '../slack-app.ts';
import type { Side } from './sides.ts';

/** Tocsin stores the signal, the incident and the attempt before it posts; Alertmanager stores nothing. */
const GOAL_RATIO = 8;
const BURST = 4;
const WAIT_MS = 30_000;
/** Until Slack's rate limit allows another burst. */
const PAUSE_MS = 5_000;

interface Times {
  readonly first: number[];
  readonly all: number[];
}

/** Sends the same bursts through both sides in turn. Each alert has its own service. */
export async function measureBursts(tocsin: Side, alertmanager: Side, bursts: number): Promise<Finding[]> {
  const times = { tocsin: { first: [], all: [] } as Times, alertmanager: { first: [], all: [] } as Times };
  for (let burst = -1; burst < bursts; burst += 1) {
    const one = await time(alertmanager, burst);
    const other = await time(tocsin, burst);
    if (burst >= 0) {
      add(times.alertmanager, one);
      add(times.tocsin, other);
    }
    await sleep(PAUSE_MS);
  }
  const p99 = (values: readonly number[]) => quantile(values, 0.99);
  return [
    describe('first message of a burst: p50', times, (of) => median(of.first), GOAL_RATIO),
    describe('first message of a burst: p99', times, (of) => p99(of.first), null),
    describe(`all ${BURST} of a burst shown: p50`, times, (of) => median(of.all), null),
    describe(`all ${BURST} of a burst shown: p99`, times, (of) => p99(of.all), null),
  ];
}

/** @returns milliseconds */
async function time(side: Side, burst: number): Promise<{ first: number; all: number }> {
  const { slack } = side;
  const before = slack.messages(CHANNEL).length;
  const alerts = Array.from({ length: BURST }, (_, number) => createAlert(`burst-${burst}-service-${number}`));
  const start = performance.now();
  const until = async (count: number) => {
    await slack.waitFor(() => slack.messages(CHANNEL).length >= before + count, WAIT_MS);
    return performance.now() - start;
  };
  const [first, all] = await Promise.all([until(1), until(BURST), side.fire(alerts)]);
  await side.rest();
  return { first, all };
}

function add(times: Times, { first, all }: { first: number; all: number }): void {
  times.first.push(first);
  times.all.push(all);
}

function describe(
  what: string,
  times: { tocsin: Times; alertmanager: Times },
  of: (times: Times) => number,
  goalRatio: number | null,
): Finding {
  const ratio = of(times.tocsin) / of(times.alertmanager);
  return {
    what,
    measured: milliseconds(of(times.tocsin)),
    baseline: `${milliseconds(of(times.alertmanager))} Alertmanager`,
    ratio: ratio.toFixed(2),
    goal: goalRatio === null ? null : { text: `ratio at most ${goalRatio}`, isMet: ratio <= goalRatio },
  };
}
