import type { CardLink } from '../../../contract/resources.ts';
import type { FailuresChart } from '../../charts/failures-chart.tsx';
import type { ClosedIncident, Incident, IncidentRecord } from '../../core/incident.ts';
import type { StoredSignal } from '../../core/signal.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import type { ChartSpan } from './chart-of.ts';
import type { Evidence } from './evidence-of.ts';
import type { StackedChart } from './stack-of.ts';

/** Everything that the page of an incident shows. */
export interface IncidentView {
  readonly incident: IncidentRecord;
  readonly chart: FailuresChart;
  /** The shorter times that its chart can show. */
  readonly chartSpans: readonly ChartSpan[];
  /** Its failures by service, over the same time; null: one service has all, or they were not counted. */
  readonly stack: StackedChart | null;
  /** How often its signals were seen in all, the most first. */
  readonly failuresByService: readonly { readonly service: string; readonly count: number }[];
  /** What the stored signals show. */
  readonly evidence: Evidence;
  /** The time of the chart that was chosen; undefined: all of it. */
  readonly chartSpan: ChartSpan | undefined;
  /** The newest. */
  readonly signals: readonly StoredSignal[];
  readonly similar: readonly ClosedIncident[];
  readonly cards: readonly CardLink[];
  /** Incidents that this one refers to, by id: their numbers. */
  readonly related: ReadonlyMap<string, Pick<Incident, 'number' | 'title' | 'closing'>>;
  readonly session: DashboardSession;
  readonly traceUrl: TraceUrl;
  readonly now: Date;
}

/** The incident that this one continues, if both are open: then they are one. */
export function stillOpenBefore({
  incident,
  related,
}: Pick<IncidentView, 'incident' | 'related'>): Pick<Incident, 'number' | 'title'> | null {
  const previous = incident.previousIncidentId === null ? undefined : related.get(incident.previousIncidentId);
  return previous === undefined || previous.closing !== null || incident.closing !== null ? null : previous;
}

/** The address of a trace in the team's tracing system; null: none is configured. */
export type TraceUrl = (traceId: string) => string | null;

/** The explorer, with the signals of the incident. */
export function signalsUrl({ number }: Pick<Incident, 'number'>): string {
  return `/dashboard/signals?incident=${number}`;
}

export function incidentUrl({ number }: Pick<Incident, 'number'>): string {
  return `/dashboard/incidents/${number}`;
}
