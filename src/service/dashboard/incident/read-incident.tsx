import type { Child } from 'hono/jsx';
import type { Incident } from '../../core/incident.ts';
import type { CardStore } from '../../store/incidents/card-store.ts';
import type { IncidentStore } from '../../store/incidents/incident-store.ts';
import type { ServiceStore } from '../../store/service-store.ts';
import type { SignalStore } from '../../store/signals/signal-store.ts';
import type { DashboardSession } from '../dashboard-env.ts';
import { optional } from '../query-fields.ts';
import { ChartSpan, chartOf, chartRange, lastOf, marksOf, spansWithin } from './chart-of.ts';
import { evidenceOf } from './evidence-of.ts';
import { ChangedParts } from './incident-page.tsx';
import type { IncidentView, TraceUrl } from './incident-view.ts';
import { wayOf } from './path-of.ts';
import { stackOf } from './stack-of.ts';

/** The explorer has the others. */
const SIGNALS_SHOWN = 3;
/** What its evidence is made of. */
const SIGNALS_READ = 100;

export interface ReadIncidentDeps {
  readonly incidents: IncidentStore;
  readonly signals: SignalStore;
  readonly cards: Pick<CardStore, 'list'>;
  readonly services: Pick<ServiceStore, 'readObserved'>;
  readonly traceUrl: TraceUrl;
  readonly now: () => Date;
}

/**
 * Reads what the page of an incident shows.
 *
 * @param parameters of the page's address
 * @throws {NotFoundError}
 */
export async function readIncident(
  reference: string,
  parameters: Readonly<Record<string, string>>,
  session: DashboardSession,
  { incidents, signals, cards, services, traceUrl, now }: ReadIncidentDeps,
): Promise<IncidentView> {
  const incident = await incidents.get(reference);
  const { changes } = await services.readObserved(incident.system);
  const at = now();
  const chartSpan = optional(ChartSpan).parse(parameters.chart);
  const marks = marksOf(incident, changes);
  const whole = chartRange(incident, marks, at);
  const range = lastOf(whole, chartSpan);
  const relatedIds = [incident.previousIncidentId, incident.mergedInto].filter((id) => id !== null);
  const [failures, ofServices, byService, page, similar, shownIn, seen, related] = await Promise.all([
    incidents.failures(incident.id, range.from, range.to),
    incidents.failuresByService(incident.id, range.from, range.to),
    signals.countByService(incident.id),
    signals.browse({ incidentId: incident.id }, { limit: SIGNALS_SHOWN, after: null }),
    incidents.listSimilar(incident),
    cards.list(incident.id),
    signals.mostSeenOf(incident.id, SIGNALS_READ),
    relatedIds.length === 0 ? [] : incidents.listByIds(relatedIds),
  ]);
  return {
    incident,
    chart: chartOf(range, failures, marks),
    chartSpans: spansWithin(whole),
    stack: stackOf(range, ofServices, incident.rootService),
    failuresByService: byService,
    evidence: evidenceOf(seen, wayOf(incident), { isCut: seen.length === SIGNALS_READ, since: failingSince(incident) }),
    chartSpan,
    signals: page.items,
    similar,
    cards: shownIn,
    related: new Map(related.map((each: Incident) => [each.id, each])),
    session,
    traceUrl,
    now: at,
  };
}

/** When the present failure began, the last one if it is over; null: no request is known to be lost. */
function failingSince({ correlation: { harm } }: Incident): Date | null {
  return harm === null || harm === undefined ? null : new Date(harm.since);
}

/** What replaces the parts of an incident's page after a change. */
export type IncidentParts = (
  id: string,
  parameters: Readonly<Record<string, string>>,
  session: DashboardSession,
) => Promise<Child>;

export function createIncidentParts(deps: ReadIncidentDeps): IncidentParts {
  return async (id, parameters, session) => <ChangedParts view={await readIncident(id, parameters, session, deps)} />;
}
