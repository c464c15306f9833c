import type { Hono } from 'hono';
import { NotFoundError } from '../../core/errors.ts';
import { StorableText } from '../../http/storable-text.ts';
import type { IncidentStore } from '../../store/incidents/incident-store.ts';
import type { SignalStore } from '../../store/signals/signal-store.ts';
import type { DashboardEnv } from '../dashboard-env.ts';
import { incidentUrl } from '../incident/incident-view.ts';
import { renderSearchPage } from './search-page.tsx';

const SHOWN = 10;
const SERVICES_SEARCHED = 5_000;
const Text = StorableText.trim().max(200).catch('');

/** One search over incidents, services and signals. `#142` leads to the incident. */
export function bindSearch(
  dashboard: Hono<DashboardEnv>,
  deps: {
    readonly incidents: IncidentStore;
    readonly signals: SignalStore;
    readonly now: () => Date;
  },
): void {
  const { incidents, signals, now } = deps;

  dashboard.get('/search', async (c) => {
    const text = Text.parse(c.req.query('q') ?? '');
    const number = /^#?(\d{1,15})$/.exec(text)?.[1];
    const named = number === undefined ? null : await findIncident(incidents, number);
    if (named !== null) {
      return c.redirect(incidentUrl(named));
    }
    const [found, names, lines] =
      text === ''
        ? [null, [], []]
        : await Promise.all([
            incidents.list({ status: null, text }, { limit: SHOWN, offset: 0, after: null }, 'newest'),
            incidents.listServices(SERVICES_SEARCHED),
            signals.browse({ text }, { limit: SHOWN, after: null }).then(({ items }) => items),
          ]);
    const lower = text.toLowerCase();
    const services = names.filter((name) => name.toLowerCase().includes(lower)).slice(0, SHOWN);
    const { items = [], total = 0, isTotalLowerBound = false } = found ?? {};
    const view = { text, incidents: items, total, isTotalLowerBound, services, signals: lines };
    return c.html(renderSearchPage({ ...view, session: c.get('session'), now: now() }));
  });
}

async function findIncident(incidents: IncidentStore, number: string) {
  try {
    return await incidents.get(number);
  } catch (error) {
    if (error instanceof NotFoundError) {
      return null;
    }
    throw error;
  }
}
