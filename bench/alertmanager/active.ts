import { readFile } from 'node:fs/promises';
import { addMinutes } from '../../src/runtime/dates.ts';
import { startAlertmanager } from '../../test/support/alertmanager.ts';
import { type Finding, thousands } from '../numbers.ts';
import type { ScratchCluster } from '../scratch-cluster.ts';
import { startServiceProcess } from '../service-process.ts';

/** Prometheus posts at most so many alerts in a request, one request after the other. */
const ALERTS_PER_POST = 64;

/** Prometheus posts everything that fires once a minute. */
const RESENT_EACH_SECONDS = 60;

/** Of the beginning and the end of all alerts. */
const GOAL_RATIO = 5;

type Post = (alerts: readonly object[]) => Promise<void>;

/**
 * How long it takes to post all active alerts: when they begin, when they are posted again, and when they end; and the
 * most memory that each process needed. Both sides get them at `/api/v2/alerts`, as Prometheus posts them. Alertmanager
 * keeps alerts in memory, Tocsin answers once they are in its database, whose memory is not counted.
 */
export async function measureActive(cluster: ScratchCluster, count: number): Promise<Finding[]> {
  const tocsin = await measureSide(count, async (run) => {
    await using service = await startServiceProcess(await cluster.createDatabase('active'));
    const url = service.baseUrl.replace(/\/v1$/, '');
    return await run((alerts) => postTo(url, service.key, alerts), service.pid);
  });
  const alertmanager = await measureSide(count, async (run) => {
    const route = { receiver: 'none', group_by: ['alertname'] };
    await using real = await startAlertmanager({ route, receivers: [{ name: 'none' }] });
    return await run((alerts) => real.post(alerts), real.pid);
  });
  const times = (['begin', 'posted again', 'end'] as const).map((what) => {
    const [ours, theirs] = [tocsin[what], alertmanager[what]];
    const isAgain = what === 'posted again';
    return {
      what: `${thousands(count)} active alerts: ${what}`,
      measured: `${ours.toFixed(1)} s`,
      baseline: `${theirs.toFixed(1)} s`,
      ratio: (ours / theirs).toFixed(2),
      goal: isAgain
        ? { text: `below ${RESENT_EACH_SECONDS} s`, isMet: ours < RESENT_EACH_SECONDS }
        : { text: `ratio at most ${GOAL_RATIO}`, isMet: ours / theirs <= GOAL_RATIO },
    };
  });
  const memory = {
    what: `${thousands(count)} active alerts: most memory (RSS)`,
    measured: `${tocsin.megabytes} MB`,
    baseline: `${alertmanager.megabytes} MB`,
    ratio: (tocsin.megabytes / alertmanager.megabytes).toFixed(2),
    goal: null,
  };
  return [...times, memory];
}

/** Seconds, and the process's memory. */
type Cost = Readonly<Record<'begin' | 'posted again' | 'end' | 'megabytes', number>>;

type Run = (post: Post, pid: number) => Promise<Cost>;

async function measureSide(count: number, start: (run: Run) => Promise<Cost>): Promise<Cost> {
  return start(async (post, pid) => ({
    begin: await postAll(post, count, 4),
    'posted again': await postAll(post, count, 5),
    end: await postAll(post, count, 0),
    megabytes: await peakMegabytes(pid),
  }));
}

async function peakMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? Number.NaN) / 1_024);
}

/** @param minutes from now to the end of the alerts @returns seconds */
async function postAll(post: Post, count: number, minutes: number): Promise<number> {
  const startedAt = performance.now();
  for (let first = 0; first < count; first += ALERTS_PER_POST) {
    const size = Math.min(ALERTS_PER_POST, count - first);
    await post(Array.from({ length: size }, (_, index) => alertOf(first + index, minutes)));
  }
  return (performance.now() - startedAt) / 1_000;
}

const STARTED_AT = new Date().toISOString();

function alertOf(number: number, minutes: number): object {
  return {
    labels: {
      alertname: `Rule${number % 500}`,
      severity: 'warning',
      namespace: 'shop',
      deployment: `service-${number % 1_000}`,
      pod: `pod-${number}`,
    },
    annotations: { summary: 'it fails' },
    startsAt: STARTED_AT,
    endsAt: addMinutes(new Date(), minutes).toISOString(),
    generatorURL: 'http://prometheus.example/graph',
  };
}

async function postTo(url: string, key: string, alerts: readonly object[]): Promise<void> {
  const response = await fetch(`${url}/api/v2/alerts`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify(alerts),
  });
  if (!response.ok) {
    throw new Error(`Tocsin answered ${response.status}: ${await response.text()}`);
  }
  await response.arrayBuffer();
}
