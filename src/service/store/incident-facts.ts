import { sql, type Transaction } from 'kysely';
import type { Severity, SignalCounts, SignalType } from '../../contract/resources.ts';
import { countByType } from '../core/incident.ts';
import type { ServiceTables } from './tables.ts';

/** What the stored signals of an incident tell. */
export interface StoredFacts {
  readonly signalCounts: SignalCounts;
  readonly signalsByService: ReadonlyMap<string, number>;
  /** The worst. */
  readonly severity: Severity;
  readonly firstSeenAt: Date;
  readonly lastSeenAt: Date;
  /** End of the last signal; null while one goes on or its sender reports no end. */
  readonly endedAt: Date | null;
  /** Summary of the root's most telling signal; null when it has none. */
  readonly rootSummary: string | null;
}

/** Worst first. */
const SEVERITIES: readonly Severity[] = ['critical', 'error', 'warning', 'info'];
/** Most specific first: a trace names the operation, a log the reason, a metric only the symptom. */
const TYPES: readonly SignalType[] = ['trace', 'log', 'metric'];

interface GroupRow {
  readonly incidentId: string;
  readonly service: string;
  readonly type: SignalType;
  readonly severity: Severity;
  readonly signals: number;
  readonly firstSeenAt: Date;
  readonly lastSeenAt: Date;
  /** How many have ended. */
  readonly ended: number;
  readonly endedAt: Date | null;
}

/** @param roots root service by incident id */
export async function readFacts(
  tx: Transaction<ServiceTables>,
  roots: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, StoredFacts>> {
  const ids = [...roots.keys()];
  const { rows } = await sql<GroupRow>`
    select incident_id as "incidentId", service, type, severity, count(*)::integer as signals,
      min(observed_at) as "firstSeenAt", max(last_seen_at) as "lastSeenAt",
      count(ended_at)::integer as ended, max(ended_at) as "endedAt"
    from signals where incident_id = any(${ids}::text[])
    group by incident_id, service, type, severity
  `.execute(tx);
  const summaries = await sql<{ id: string; summary: string }>`
    select distinct on (incident.id) incident.id, summary
    from unnest(${ids}::text[], ${[...roots.values()]}::text[]) as incident(id, root)
      join signals on incident_id = incident.id and service = incident.root
    order by incident.id, array_position(${SEVERITIES}::text[], severity), array_position(${TYPES}::text[], type),
      observed_at, signals.id
  `.execute(tx);
  const summaryOf = new Map(summaries.rows.map(({ id, summary }) => [id, summary]));
  const groups = Map.groupBy(rows, ({ incidentId }) => incidentId);
  return new Map([...groups].map(([id, group]) => [id, addUp(group, summaryOf.get(id) ?? null)]));
}

function addUp(groups: readonly GroupRow[], rootSummary: string | null): StoredFacts {
  const signalCounts = { ...countByType([]) };
  const signalsByService = new Map<string, number>();
  for (const { type, service, signals } of groups) {
    signalCounts[type] += signals;
    signalsByService.set(service, (signalsByService.get(service) ?? 0) + signals);
  }
  const haveEnded = groups.every(({ signals, ended }) => signals === ended);
  return {
    signalCounts,
    signalsByService: new Map([...signalsByService].toSorted(([, a], [, b]) => b - a)),
    severity: SEVERITIES.find((severity) => groups.some((group) => group.severity === severity)) ?? 'info',
    firstSeenAt: new Date(Math.min(...groups.map(({ firstSeenAt }) => firstSeenAt.getTime()))),
    lastSeenAt: new Date(Math.max(...groups.map(({ lastSeenAt }) => lastSeenAt.getTime()))),
    endedAt: haveEnded ? new Date(Math.max(...groups.map(({ endedAt }) => endedAt?.getTime() ?? 0))) : null,
    rootSummary,
  };
}
