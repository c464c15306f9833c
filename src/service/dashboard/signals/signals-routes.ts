import type { Hono } from 'hono';
import { NotFoundError } from '../../core/errors.ts';
import { readPathParameter } from '../../http/storable-text.ts';
import type { IncidentStore } from '../../store/incidents/incident-store.ts';
import type { SignalStore } from '../../store/signals/signal-store.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import type { TraceUrl } from '../incident/incident-view.ts';
import { SERVICES_TO_CHOOSE } from '../query-fields.ts';
import { renderSignalPage } from './signal-page.tsx';
import { renderSignalsPage } from './signals-page.tsx';
import { readSignalsQuery, signalFilterOf, startOf } from './signals-query.ts';

const PAGE_SIZE = 50;

export function bindSignals(
  dashboard: Hono<DashboardEnv>,
  deps: {
    readonly incidents: IncidentStore;
    readonly signals: SignalStore;
    readonly traceUrl: TraceUrl;
    readonly now: () => Date;
    readonly publicUrl: string;
  },
): void {
  const { incidents, signals, traceUrl, now, publicUrl } = deps;

  dashboard.get('/signals', async (c) => {
    const query = readSignalsQuery(c.req.query());
    const incident = query.incident === undefined ? null : await incidents.get(query.incident);
    const filter = { ...signalFilterOf(query), incidentId: incident?.id, from: startOf(query, now()) };
    const [{ items, end }, services] = await Promise.all([
      signals.browse(filter, { limit: PAGE_SIZE, after: query.after }),
      incidents.listServices(SERVICES_TO_CHOOSE),
    ]);
    const session = c.get('session');
    return c.html(
      renderSignalsPage({ query, incident, signals: items, end, services, traceUrl, session, publicUrl, now: now() }),
    );
  });

  dashboard.get('/signals/:id', async (c) => {
    const signal = await signals.get(readPathParameter(c.req.param('id')));
    const incident = await incidentOf(signal.incidentId, incidents);
    return c.html(renderSignalPage({ signal, incident, traceUrl, session: c.get('session'), now: now() }));
  });
}

async function incidentOf(id: string | null, incidents: IncidentStore) {
  try {
    return id === null ? null : await incidents.get(id);
  } catch (error) {
    if (error instanceof NotFoundError) {
      return null;
    }
    throw error;
  }
}
