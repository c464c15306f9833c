import { acknowledge, MAX_SIGNALS_PER_INCIDENT, resolve } from '../../core/incident.ts';
import { presentIncident, presentIncidentSummary, presentPage, presentSignal } from '../present.ts';
import type { Handlers, RouteDeps } from '../route-handlers.ts';

type IncidentHandlers = Pick<
  Handlers,
  'listIncidents' | 'getIncident' | 'acknowledgeIncident' | 'resolveIncident' | 'listIncidentSignals'
>;

export function createIncidentHandlers({ incidents, signals, now, publicUrl }: RouteDeps): IncidentHandlers {
  return {
    async listIncidents({ query }) {
      const page = await incidents.list({ status: query.status ?? null }, query);
      return {
        body: {
          incidents: page.items.map((incident) => presentIncidentSummary(incident, publicUrl)),
          ...presentPage(page, query),
        },
      };
    },

    async getIncident({ id }) {
      const incident = await incidents.get(id);
      const all = await signals.list({ incidentId: incident.id }, { limit: MAX_SIGNALS_PER_INCIDENT, offset: 0 });
      return { body: { ...presentIncident(incident, publicUrl), signals: all.items.map(presentSignal) } };
    },

    async acknowledgeIncident({ id, body }) {
      const incident = await incidents.update(id, (before) => acknowledge(before, body.user, now()));
      return { body: presentIncident(incident, publicUrl) };
    },

    async resolveIncident({ id, body }) {
      const incident = await incidents.update(id, (before) =>
        resolve(before, body.resolution_note, body.user ?? null, now()),
      );
      return { body: presentIncident(incident, publicUrl) };
    },

    async listIncidentSignals({ id, query }) {
      const incident = await incidents.get(id);
      const page = await signals.list({ incidentId: incident.id }, query);
      return { body: { signals: page.items.map(presentSignal), ...presentPage(page, query) } };
    },
  };
}
