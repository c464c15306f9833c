import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { SERVICE_SCHEMA } from '../../src/service/store/schema/tables.ts';
import type { NatsServer } from '../../test/support/nats-server.ts';
import { say } from '../measure.ts';
import { RECORD_SENDERS } from '../record-load.ts';
import type { Node, PatroniCluster } from './patroni-cluster.ts';
import { waitFor } from './wait-for.ts';
import type { Workload } from './workload.ts';

/** Patroni takes 20 s at least to give up a leader that says nothing. */
const NEW_PRIMARY_MS = 90_000;
const RESUME_MS = 60_000;
/** Patroni sometimes elects nobody. That says nothing about Tocsin, but nothing may be lost by it either. */
const MAX_TRIES = 3;

/** What happens to a primary. */
export interface Fault {
  readonly begin: (primary: Node) => Promise<void>;
  readonly end: (primary: Node) => Promise<void>;
}

export const FAULTS: Readonly<Record<string, Fault>> = {
  kill: { begin: (primary) => primary.kill(), end: (primary) => primary.start() },
  freeze: { begin: (primary) => primary.freeze(), end: (primary) => primary.reset() },
  cut: { begin: async (primary) => primary.cut(), end: async (primary) => primary.restore() },
  switchover: { begin: (primary) => primary.switchOver(), end: async () => undefined },
};

/**
 * Makes the primary fail while an incident is opened, and waits until another one has taken over.
 *
 * @returns how long after the new primary the first record was acknowledged, in milliseconds
 */
export async function runRound(
  cluster: PatroniCluster,
  workload: Workload,
  name: string,
  fault: Fault,
): Promise<number> {
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const resumedMs = await failOver(cluster, workload, `${name}-${'abc'.charAt(tries - 1)}`, fault);
    if (resumedMs !== null) {
      return resumedMs;
    }
    say(`${name}: Patroni elected nobody (${tries} of ${MAX_TRIES} tries)`);
  }
  throw new Error(`Patroni elected nobody after ${name}`);
}

/** @returns null: Patroni elected nobody, and the old primary was given back */
async function failOver(
  cluster: PatroniCluster,
  workload: Workload,
  name: string,
  fault: Fault,
): Promise<number | null> {
  const old = await cluster.whole();
  const acting = workload.openAndAcknowledge(name);
  acting.catch(() => undefined); // awaited below
  await sleep(Math.random() * 3_000); // at any moment of what is going on
  await fault.begin(old);
  const others = cluster.nodes.filter((node) => node !== old);
  const findPrimary = async (): Promise<Node | null> => {
    const found = await Promise.all(others.map(async (node) => ((await node.isPrimary()) ? node : null)));
    return found.find((node) => node !== null) ?? null;
  };
  const fresh = await waitFor(findPrimary, NEW_PRIMARY_MS, 'a new primary').catch(() => null);
  if (fresh === null) {
    await fault.end(old);
    await acting;
    return null;
  }
  const electedAt = performance.now();
  await waitFor(async () => workload.acknowledgedAt() > electedAt, RESUME_MS, `a record after ${fresh.name} took over`);
  const resumedMs = workload.acknowledgedAt() - electedAt;
  await fault.end(old);
  await acting;
  return resumedMs;
}

/**
 * Kills one server of NATS while an incident is opened.
 *
 * @returns how long after that a record was acknowledged that no sender had under way, in milliseconds
 */
export async function runBrokerRound(
  { nodes }: NatsServer,
  workload: Workload,
  name: string,
  time: number,
): Promise<number> {
  const acting = workload.openAndAcknowledge(name);
  acting.catch(() => undefined); // awaited below
  await sleep(Math.random() * 3_000);
  const node = nodes[time % nodes.length] ?? nodes[0];
  await node.kill();
  const killedAt = performance.now();
  const underWay = workload.acknowledged.length + RECORD_SENDERS;
  await waitFor(async () => workload.acknowledged.length > underWay, RESUME_MS, 'a record after a server of NATS died');
  const resumedMs = workload.acknowledgedAt() - killedAt;
  await acting;
  await node.start();
  return resumedMs;
}

/** Lists acknowledged records that are lost or doubled. */
export async function findLostRecords(
  cluster: PatroniCluster,
  { acknowledged }: Pick<Workload, 'acknowledged'>,
): Promise<string[]> {
  const { ownPort } = await cluster.whole();
  return listLostRecords({ host: '127.0.0.1', port: ownPort, user: 'postgres', database: 'tocsin' }, acknowledged);
}

/** The same for a database that is not a cluster. */
export async function listLostRecords(
  database: string | { host: string; port: number; user: string; database: string },
  acknowledged: Workload['acknowledged'],
): Promise<string[]> {
  const client = new Client(database);
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
