import { SERVICE_SCHEMA } from '../../src/service/store/schema/tables.ts';
import { type Finding, median, thousands } from '../numbers.ts';
import { MEMORY_OPTIONS, type Program, startProgram } from '../programs.ts';
import { type ScratchCluster, withConnection } from '../scratch-cluster.ts';
import { startServiceProcess } from '../service-process.ts';
import type { SendOrder, SendResult } from './ingest-sender.ts';

const CONNECTIONS = 8;
const WARM_UP_MS = 2_000;
const ROUND_MS = 3_000;
const GOAL_SPANS_PER_SECOND = 60_000;
const GOAL_SHARE_OF_BARE = 0.6;

/** Shares of spans that become signals. The goals apply to the first one. */
const MIXES = [
  { errorShare: 0.01, rounds: 5, hasGoal: true },
  { errorShare: 0.1, rounds: 2, hasGoal: false },
  { errorShare: 1, rounds: 2, hasGoal: false },
];

/** Measures accepted spans per second, durable if they become signals. Rounds of Tocsin and the bare collector alternate. */
export async function measureIngest(cluster: ScratchCluster): Promise<Finding[]> {
  const databaseUrl = await cluster.createDatabase('ingest');
  await using service = await startServiceProcess(databaseUrl);
  await using bare = startProgram(new URL('./bare-collector.ts', import.meta.url), MEMORY_OPTIONS);
  await using sender = startProgram(new URL('./ingest-sender.ts', import.meta.url));
  const tocsin = { url: `${service.baseUrl}/traces`, key: service.key };
  const collector = { url: (await bare.hear<{ url: string }>()).url, key: 'none' };

  const findings: Finding[] = [];
  let failures = 0;
  for (const { errorShare, rounds, hasGoal } of MIXES) {
    const run = async (target: { url: string; key: string }, milliseconds: number) => {
      const result = await send(sender, { ...target, errorShare, connections: CONNECTIONS, milliseconds });
      failures += target === tocsin ? result.failures : 0;
      return result.spans / result.seconds;
    };
    await run(collector, WARM_UP_MS);
    await run(tocsin, WARM_UP_MS);
    const rates = { tocsin: [] as number[], bare: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      rates.tocsin.push(await run(tocsin, ROUND_MS));
      rates.bare.push(await run(collector, ROUND_MS));
    }
    findings.push(...describe(errorShare, rates, hasGoal));
  }
  findings.push(await checkStored(databaseUrl, failures));
  return findings;
}

async function send(sender: Program, order: SendOrder): Promise<SendResult> {
  const result = await sender.ask<SendResult>(order);
  if (result.refused > 0) {
    throw new Error(`${result.refused} requests to ${order.url} were refused`);
  }
  return result;
}

function describe(errorShare: number, rates: { tocsin: number[]; bare: number[] }, hasGoal: boolean): Finding[] {
  const rate = median(rates.tocsin);
  const share = median(rates.tocsin.map((value, round) => value / (rates.bare[round] ?? Number.NaN)));
  const what = `ingest, ${errorShare * 100} % errors: spans/s`;
  const common = { measured: thousands(rate), baseline: `${thousands(median(rates.bare))} bare collector` };
  const ratio = share.toFixed(2);
  if (!hasGoal) {
    return [{ what, ...common, ratio, goal: null }];
  }
  const goals = [
    { text: `at least ${thousands(GOAL_SPANS_PER_SECOND)}`, isMet: rate >= GOAL_SPANS_PER_SECOND },
    { text: `ratio at least ${GOAL_SHARE_OF_BARE}`, isMet: share >= GOAL_SHARE_OF_BARE },
  ];
  return goals.map((goal) => ({ what, ...common, ratio, goal }));
}

/** Every accepted failed span must be stored. */
async function checkStored(databaseUrl: string, failures: number): Promise<Finding> {
  const stored = await withConnection(databaseUrl, SERVICE_SCHEMA, async (client) => {
    const { rows } = await client.query<{ total: string }>('select sum(occurrences) as total from signals');
    return Number(rows[0]?.total);
  });
  return {
    what: 'ingest: failed spans stored',
    measured: thousands(stored),
    baseline: `${thousands(failures)} accepted`,
    ratio: (stored / failures).toFixed(2),
    goal: { text: 'all, once', isMet: stored === failures },
  };
}
