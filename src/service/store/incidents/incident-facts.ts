import { sql, type Transaction } from 'kysely';
import type { Link, Severity, SignalCounts, SignalType } from '../../../contract/resources.ts';
import { WORST_FIRST } from '../../../incident/severity.ts';
import { SOMEBODY } from '../../core/by-hand.ts';
import { DECLARED } from '../../core/declared-signal.ts';
import { countByType, type Incident } from '../../core/incident.ts';
import { keepLabels } from '../../core/incident-labels.ts';
import type { ServiceTables } from '../schema/tables.ts';

type Tx = Transaction<ServiceTables>;

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
  /** Summary of the root's most telling signal, of a declaration only if there is no other; null when it has none. */
  readonly rootSummary: string | null;
  /** How often its signals were seen. */
  readonly occurrences: number;
  /** What people route by, see `labelsOf`. */
  readonly labels: readonly string[];
  /** Runbooks first, at most six. */
  readonly links: readonly Link[];
  /** Trace of a failed request, preferably at the root; null: there is none. */
  readonly traceId: string | null;
  /** Integrations that sent its signals. */
  readonly integrations: Incident['integrations'];
  /** The integration that sent all signals; null: no single one did. */
  readonly soleIntegration: string | null;
}

/** Most specific first: a trace names the operation, a log the reason, a metric only the symptom. */
const TYPES: readonly SignalType[] = ['trace', 'log', 'metric'];
const LINK_KINDS: readonly Link['kind'][] = ['runbook', 'dashboard', 'generator'];
const MAX_LINKS = 6;
const MAX_INTEGRATIONS = 10;

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
  readonly occurrences: number;
}

/** @param roots root service by incident id */
export async function readFacts(tx: Tx, roots: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, StoredFacts>> {
  const ids = [...roots.keys()];
  const { rows } = await sql<GroupRow>`
    select incident_id as "incidentId", service, type, severity, count(*)::integer as signals,
      min(observed_at) as "firstSeenAt", max(last_seen_at) as "lastSeenAt",
      count(ended_at)::integer as ended, max(ended_at) as "endedAt", sum(occurrences)::double precision as occurrences
    from signals where incident_id = any(${ids}::text[])
    group by incident_id, service, type, severity
  `.execute(tx);
  const summaries = await sql<{ id: string; summary: string }>`
    select distinct on (incident.id) incident.id, summary
    from unnest(${ids}::text[], ${[...roots.values()]}::text[]) as incident(id, root)
      join signals on incident_id = incident.id and service = incident.root
    order by incident.id, source ->> 'format' = ${DECLARED}, array_position(${WORST_FIRST}::text[], severity),
      array_position(${TYPES}::text[], type), observed_at, signals.id
  `.execute(tx);
  const [traces, links, senders] = [await readTraces(tx, roots), await readLinks(tx, ids), await readSenders(tx, ids)];
  const labels = await readLabels(tx, ids);
  const summaryOf = new Map(summaries.rows.map(({ id, summary }) => [id, summary]));
  const groups = Map.groupBy(rows, ({ incidentId }) => incidentId);
  return new Map(
    [...groups].map(([id, group]) => [
      id,
      {
        ...addUp(group),
        rootSummary: summaryOf.get(id) ?? null,
        traceId: traces.get(id) ?? null,
        labels: labels.get(id) ?? [],
        links: links.get(id) ?? [],
        ...integrationsAmong(senders.get(id) ?? []),
      },
    ]),
  );
}

/** What a person said who opened an incident by hand, by incident. Those that signals opened are left out. */
export async function readDeclarations(
  tx: Tx,
  incidentIds: readonly string[],
): Promise<ReadonlyMap<string, Pick<Incident, 'byHand' | 'declaredBy'>>> {
  const { rows } = await sql<{ id: string; title: string; severity: Severity; by: string | null }>`
    select id, title, severity, by from (
      select distinct on (incident_id) incident_id as id, summary as title, severity, attributes ->> 'declared_by' as by,
        source ->> 'format' = ${DECLARED} as is_declared
      from signals where incident_id = any(${incidentIds}::text[])
      order by incident_id, observed_at, signals.id
    ) as first where is_declared
  `.execute(tx);
  return new Map(
    rows.map(({ id, title, severity, by }) => [id, { byHand: { title, severity }, declaredBy: by ?? SOMEBODY }]),
  );
}

async function readTraces(tx: Tx, roots: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, string>> {
  const { rows } = await sql<{ id: string; traceId: string }>`
    select distinct on (incident.id) incident.id, trace_id as "traceId"
    from unnest(${[...roots.keys()]}::text[], ${[...roots.values()]}::text[]) as incident(id, root)
      join signals on incident_id = incident.id and trace_id is not null
    order by incident.id, service = incident.root desc, array_position(${TYPES}::text[], type), observed_at, signals.id
  `.execute(tx);
  return new Map(rows.map(({ id, traceId }) => [id, traceId]));
}

async function readLinks(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, Link[]>> {
  const { rows } = await sql<{ id: string; link: Link }>`
    select incident_id as id, link from signals, jsonb_array_elements(links) as link
    where incident_id = any(${ids}::text[]) and links <> '[]'
    group by incident_id, link
    order by array_position(${LINK_KINDS}::text[], link ->> 'kind'), min(observed_at), link
  `.execute(tx);
  const groups = Map.groupBy(rows, ({ id }) => id);
  return new Map([...groups].map(([id, group]) => [id, group.map(({ link }) => link).slice(0, MAX_LINKS)]));
}

async function readLabels(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, string[]>> {
  const { rows } = await sql<{ id: string; label: string }>`
    select incident_id as id, label from signals, unnest(labels) as label
    where incident_id = any(${ids}::text[]) and labels is not null
    group by incident_id, label
    order by min(observed_at), label
  `.execute(tx);
  const groups = Map.groupBy(rows, ({ id }) => id);
  return new Map([...groups].map(([id, group]) => [id, keepLabels(group.map(({ label }) => label))]));
}

interface Sender {
  /** Integration or key, see `senderOf`. */
  readonly sender: string;
  readonly isIntegration: boolean;
  readonly name: string | null;
}

async function readSenders(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, Sender[]>> {
  const { rows } = await sql<Sender & { id: string }>`
    select sent.id, sender, name, integrations.id is not null as "isIntegration"
    from (
      select distinct incident_id as id, sender from signals
      where incident_id = any(${ids}::text[]) and sender is not null
    ) as sent left join integrations on integrations.id = sender
    order by sent.id, sender
  `.execute(tx);
  return Map.groupBy(rows, ({ id }) => id);
}

function integrationsAmong(senders: readonly Sender[]): Pick<StoredFacts, 'integrations' | 'soleIntegration'> {
  const integrations = senders.filter(({ isIntegration }) => isIntegration);
  const [only] = integrations;
  return {
    integrations: integrations.slice(0, MAX_INTEGRATIONS).map(({ sender, name }) => ({ id: sender, name })),
    soleIntegration: senders.length === 1 && only !== undefined ? only.sender : null,
  };
}

type Sums = Omit<StoredFacts, 'rootSummary' | 'traceId' | 'labels' | 'links' | 'integrations' | 'soleIntegration'>;

function addUp(groups: readonly GroupRow[]): Sums {
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
    severity: WORST_FIRST.find((severity) => groups.some((group) => group.severity === severity)) ?? 'info',
    firstSeenAt: new Date(Math.min(...groups.map(({ firstSeenAt }) => firstSeenAt.getTime()))),
    lastSeenAt: new Date(Math.max(...groups.map(({ lastSeenAt }) => lastSeenAt.getTime()))),
    endedAt: haveEnded ? new Date(Math.max(...groups.map(({ endedAt }) => endedAt?.getTime() ?? 0))) : null,
    occurrences: groups.reduce((sum, { occurrences }) => sum + occurrences, 0),
  };
}
