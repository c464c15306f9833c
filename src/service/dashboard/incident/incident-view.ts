import type { CardLink } from '../../../contract/resources.ts';
import type { FailuresChart } from '../../charts/failures-chart.tsx';
import type { ClosedIncident, Incident, IncidentRecord } from '../../core/incident.ts';
import type { StoredSignal } from '../../core/signal.ts';
import type { Position } from '../../store/shared/page.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import type { ChartSpan, SignalsQuery } from '../signals/signals-query.ts';
import type { Evidence } from './evidence-of.ts';
import type { StackedChart } from './stack-of.ts';

/** Everything that the page of an incident shows. */
export interface IncidentView {
  readonly incident: IncidentRecord;
  readonly chart: FailuresChart;
  /** The shorter times that its chart can show. */
  readonly chartSpans: readonly ChartSpan[];
  /** Its failing signals by service, over the same time; null: one service has all, or they were not counted. */
  readonly stack: StackedChart | null;
  /** How often its signals were seen in all, the most first. */
  readonly failuresByService: readonly { readonly service: string; readonly count: number }[];
  /** What the stored signals show. */
  readonly evidence: Evidence;
  readonly query: SignalsQuery;
  readonly signals: { readonly items: readonly StoredSignal[]; readonly end: Position | null };
  readonly similar: readonly ClosedIncident[];
  readonly cards: readonly CardLink[];
  /** Incidents that this one refers to, by id: their numbers. */
  readonly related: ReadonlyMap<string, Pick<Incident, 'number' | 'title'>>;
  readonly session: DashboardSession;
  readonly traceUrl: TraceUrl;
  readonly now: Date;
}

/** The address of a trace in the team's tracing system; null: none is configured. */
export type TraceUrl = (traceId: string) => string | null;

export function incidentUrl({ number }: Pick<Incident, 'number'>): string {
  return `/dashboard/incidents/${number}`;
}
