import { sql, type Transaction } from 'kysely';
import type { Link, Severity, SignalType } from '../../../contract/resources.ts';
import { WORST_FIRST } from '../../../incident/severity.ts';
import { SOMEBODY } from '../../core/by-hand.ts';
import { DECLARED } from '../../core/declared-signal.ts';
import { type CountedSignals, countByType, type Incident } from '../../core/incident.ts';
import { keepLabels } from '../../core/incident-labels.ts';
import { UNCOUNTED_FORMATS } from '../../core/signal-source.ts';
import type { ServiceTables } from '../schema/tables.ts';

type Tx = Transaction<ServiceTables>;

/** Facts that the stored signals of an incident hold. */
export interface StoredFacts {
  readonly signalCounts: CountedSignals;
  readonly signalsByService: ReadonlyMap<string, number>;
  /** The worst. */
  readonly severity: Severity;
  readonly firstSeenAt: Date;
  readonly lastSeenAt: Date;
  /** End of the last signal; null while one goes on or its sender reports no end. */
  readonly endedAt: Date | null;
  /** Summary of the root's most telling signal, of a declaration only if there is no other; null when it has none. */
  readonly rootSummary: string | null;
  /** Summary of the most telling failure of the root's caller, see `FailingRoot`; null when it has none. */
  readonly callerSummary: string | null;
  /** How often the failures among its signals were seen. */
  readonly occurrences: number;
  readonly occurrencesByService: ReadonlyMap<string, number>;
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
  /** Whether people alone say that it fails, so that nothing measures whether it goes on. */
  readonly isOnlyDeclared: boolean;
  /** What a person said who opened the incident by hand; null: signals opened it. */
  readonly declaration: Pick<Incident, 'byHand' | 'declaredBy'> | null;
}

/** Most specific first: a trace names the operation, a log the reason, a metric only the symptom. */
const TYPES: readonly SignalType[] = ['trace', 'log', 'metric'];
const LINK_KINDS: readonly Link['kind'][] = ['runbook', 'dashboard', 'generator'];
const MAX_LINKS = 6;
const MAX_INTEGRATIONS = 10;

/** Where an incident began. */
export interface FailingRoot {
  readonly service: string;
  /** When its present failure began; null: not known. */
  readonly since: Date | null;
  /** Whose calls to it fail, which tells the error of a root that reports nothing; null: not known. */
  readonly caller: string | null;
}

/** Signals of one service, type and severity. */
interface Group {
  readonly service: string;
  readonly type: SignalType;
  readonly severity: Severity;
  readonly signals: number;
  readonly firstSeenAt: string;
  readonly lastSeenAt: string;
  /** How many have ended. */
  readonly ended: number;
  readonly endedAt: string | null;
  /** How often the failures among them were seen, see `UNCOUNTED_FORMATS`. */
  readonly occurrences: number;
  /** How many people declared. */
  readonly declared: number;
  /** How many are alerts of which nobody reports an end. */
  readonly unended: number;
}

interface Sender {
  /** Integration or key, see `senderOf`. */
  readonly sender: string;
  readonly isIntegration: boolean;
  readonly name: string | null;
}

interface FactsRow {
  readonly id: string;
  readonly groups: readonly Group[];
  readonly rootSummary: string | null;
  readonly callerSummary: string | null;
  readonly traceId: string | null;
  readonly links: readonly Link[] | null;
  readonly labels: readonly string[] | null;
  readonly senders: readonly Sender[] | null;
  readonly declaration: { readonly title: string; readonly severity: Severity; readonly by: string | null } | null;
}

/**
 * Reads the signals once. `signals` has many partitions, and looking for them in all of these is what costs. The links and
 * labels of many signals are equal, and are taken apart once.
 *
 * Of the traces or the lines of a root, those tell most that were seen most often, so that a failure that happens now and
 * then does not give its words to an outage; of about as many, those that came with the present failure. Alerts are repeated
 * as their senders like, so the first one tells most.
 *
 * @param roots by incident id
 * @returns by incident id; an incident without signals is left out
 */
export async function readFacts(
  tx: Tx,
  roots: ReadonlyMap<string, FailingRoot>,
): Promise<ReadonlyMap<string, StoredFacts>> {
  const ids = [...roots.keys()];
  const services = [...roots.values()].map(({ service }) => service);
  const since = [...roots.values()].map((root) => root.since);
  const callers = [...roots.values()].map(({ caller }) => caller);
  const { rows } = await sql<FactsRow>`
    with own as materialized (
      select incident_id, signals.id, service, type, severity, observed_at, last_seen_at, ended_at, occurrences, sender,
        labels, service = root as is_root, observed_at >= since as is_new,
        case when type in ('trace', 'log') then floor(log(4, greatest(occurrences, 1))) else 0 end as frequency, source ->> 'format' = ${DECLARED} as is_declared,
        detail ->> 'type' = 'alert' and not (detail ->> 'reportsEnd')::boolean as is_unended,
        source ->> 'format' = any(${UNCOUNTED_FORMATS}::text[]) as is_uncounted, trace_id,
        case when service = root or source ->> 'format' = ${DECLARED} then summary end as summary,
        case when service = caller and type in ('trace', 'log') then summary end as told,
        position(root in summary) > 0 as is_about_root,
        case when source ->> 'format' = ${DECLARED} then attributes ->> 'declared_by' end as declared_by,
        case when links <> '[]' then links end as links
      from signals join unnest(${ids}::text[], ${services}::text[], ${since}::timestamptz[], ${callers}::text[])
        as incident(id, root, since, caller)
        on incident_id = incident.id
      where incident_id = any(${ids}::text[])
    ), groups as (
      select incident_id, jsonb_agg(to_jsonb(one) - 'incident_id' order by service, type, severity) as groups,
        min("firstSeenAt") as first_at
      from (
        select incident_id, service, type, severity, count(*) as signals, min(observed_at) as "firstSeenAt",
          max(last_seen_at) as "lastSeenAt", count(ended_at) as ended, max(ended_at) as "endedAt",
          coalesce(sum(occurrences) filter (where is_uncounted is not true), 0) as occurrences,
          count(*) filter (where is_declared) as declared, count(*) filter (where is_unended) as unended
        from own group by incident_id, service, type, severity
      ) as one group by incident_id
    ), summaries as (
      select distinct on (incident_id) incident_id, summary from own where is_root
      order by incident_id, is_declared, array_position(${WORST_FIRST}::text[], severity),
        array_position(${TYPES}::text[], type), frequency desc, is_new desc nulls last, observed_at, id
    ), callers as (
      select distinct on (incident_id) incident_id, told from own where told is not null
      order by incident_id, is_about_root desc, array_position(${TYPES}::text[], type), frequency desc,
        is_new desc nulls last, observed_at, id
    ), traces as (
      select distinct on (incident_id) incident_id, trace_id from own where trace_id is not null
      order by incident_id, is_root desc, array_position(${TYPES}::text[], type), frequency desc,
        is_new desc nulls last, observed_at, id
    ), declared as (
      select distinct on (incident_id) incident_id, observed_at as declared_at,
        jsonb_build_object('title', summary, 'severity', severity, 'by', declared_by) as declaration
      from own where is_declared order by incident_id, observed_at, id
    ), links as (
      select incident_id,
        jsonb_agg(link order by array_position(${LINK_KINDS}::text[], link ->> 'kind'), first, link) as links
      from (
        select incident_id, link, min(at) as first
        from (select incident_id, links, min(observed_at) as at from own group by incident_id, links) as equal,
          jsonb_array_elements(links) as link
        group by incident_id, link
      ) as one group by incident_id
    ), labels as (
      select incident_id, jsonb_agg(label order by first, label) as labels
      from (
        select incident_id, label, min(at) as first
        from (select incident_id, labels, min(observed_at) as at from own group by incident_id, labels) as equal,
          unnest(labels) as label
        group by incident_id, label
      ) as one group by incident_id
    ), senders as (
      select incident_id, jsonb_agg(jsonb_build_object(
        'sender', sender, 'name', name, 'isIntegration', integrations.id is not null) order by sender) as senders
      from (select distinct incident_id, sender from own where sender is not null) as one
        left join integrations on integrations.id = sender
      group by incident_id
    )
    select incident_id as id, groups, summary as "rootSummary", told as "callerSummary", trace_id as "traceId", links, labels, senders,
      case when declared_at <= first_at then declaration end as declaration
    from groups left join declared using (incident_id) left join summaries using (incident_id)
      left join callers using (incident_id)
      left join traces using (incident_id) left join links using (incident_id) left join labels using (incident_id)
      left join senders using (incident_id)
  `.execute(tx);
  return new Map(rows.map((row) => [row.id, toFacts(row)]));
}

function toFacts({
  groups,
  rootSummary,
  callerSummary,
  traceId,
  links,
  labels,
  senders,
  declaration,
}: FactsRow): StoredFacts {
  return {
    ...addUp(groups),
    isOnlyDeclared: groups.every(({ signals, declared }) => declared === signals),
    rootSummary,
    callerSummary,
    traceId,
    labels: keepLabels(labels ?? []),
    links: (links ?? []).slice(0, MAX_LINKS),
    ...integrationsAmong(senders ?? []),
    declaration: declaration && {
      byHand: { title: declaration.title, severity: declaration.severity },
      declaredBy: declaration.by ?? SOMEBODY.by,
    },
  };
}

function integrationsAmong(senders: readonly Sender[]): Pick<StoredFacts, 'integrations' | 'soleIntegration'> {
  const integrations = senders.filter(({ isIntegration }) => isIntegration);
  const [only] = integrations;
  return {
    integrations: integrations.slice(0, MAX_INTEGRATIONS).map(({ sender, name }) => ({ id: sender, name })),
    soleIntegration: senders.length === 1 && only !== undefined ? only.sender : null,
  };
}

type Sums = Pick<
  StoredFacts,
  | 'signalCounts'
  | 'signalsByService'
  | 'occurrencesByService'
  | 'severity'
  | 'firstSeenAt'
  | 'lastSeenAt'
  | 'endedAt'
  | 'occurrences'
>;

function addUp(groups: readonly Group[]): Sums {
  const signalCounts = { ...countByType([]), declared: 0, unended: 0 };
  const signalsByService = new Map<string, number>();
  const occurrencesByService = new Map<string, number>();
  for (const { type, service, signals, declared, unended, occurrences } of groups) {
    if (occurrences > 0) {
      occurrencesByService.set(service, (occurrencesByService.get(service) ?? 0) + occurrences);
    }
    signalCounts[type] += signals;
    signalCounts.declared += declared;
    signalCounts.unended += unended;
    signalsByService.set(service, (signalsByService.get(service) ?? 0) + signals);
  }
  const timesOf = (at: (group: Group) => string | null) => groups.map((group) => new Date(at(group) ?? 0).getTime());
  const haveEnded = groups.every(({ signals, ended }) => signals === ended);
  return {
    signalCounts,
    signalsByService: new Map([...signalsByService].toSorted(([, a], [, b]) => b - a)),
    severity: WORST_FIRST.find((severity) => groups.some((group) => group.severity === severity)) ?? 'info',
    firstSeenAt: new Date(Math.min(...timesOf(({ firstSeenAt }) => firstSeenAt))),
    lastSeenAt: new Date(Math.max(...timesOf(({ lastSeenAt }) => lastSeenAt))),
    endedAt: haveEnded ? new Date(Math.max(...timesOf(({ endedAt }) => endedAt))) : null,
    occurrencesByService,
    occurrences: groups.reduce((sum, { occurrences }) => sum + occurrences, 0),
  };
}
