import { acknowledge, type Incident, MAX_SIGNALS_PER_INCIDENT, resolve, signalCountOf } from '../../core/incident.ts';
import { presentIncident, presentIncidentSummary, presentSignal, presentSimilar } from '../../core/present.ts';
import { demandUnchanged, entityTagOf } from '../conditional.ts';
import { presentPage, readPageRequest } from '../cursor.ts';
import type { Handlers, RouteDeps } from '../route-handlers.ts';

type IncidentHandlers = Pick<
  Handlers,
  'listIncidents' | 'getIncident' | 'acknowledgeIncident' | 'resolveIncident' | 'listIncidentSignals'
>;

export function createIncidentHandlers({ incidents, signals, now, publicUrl }: RouteDeps): IncidentHandlers {
  async function present(incident: Incident, include: 'none' | 'full') {
    const body = presentIncident(incident, publicUrl);
    if (include === 'none') {
      return { body, headers: { etag: entityTagOf(body) } };
    }
    const [members, closed] = await Promise.all([
      signals.newestOf(incident.id, MAX_SIGNALS_PER_INCIDENT),
      incidents.listSimilar(incident),
    ]);
    const sent = members.map(presentSignal);
    const similar = closed.map(presentSimilar);
    // Negative when a signal arrived between the two reads.
    const removed = Math.max(0, signalCountOf(incident) - sent.length);
    return {
      body: { ...body, signals: sent, signals_removed: removed, similar },
      headers: { etag: entityTagOf(body, [...sent, ...similar]) },
    };
  }

  return {
    async listIncidents({ query }) {
      const { opened_from: openedFrom, opened_to: openedTo, q: text, ...filter } = query;
      const page = await incidents.list({ ...filter, openedFrom, openedTo, text }, readPageRequest(query, 'inc'));
      return {
        body: {
          incidents: page.items.map((incident) => presentIncidentSummary(incident, publicUrl)),
          ...presentPage(page, query),
        },
      };
    },

    async getIncident({ id, query }) {
      return present(await incidents.get(id), query.signals);
    },

    async acknowledgeIncident({ id, query, body, headers }) {
      const incident = await incidents.update(id, (before) => {
        demandUnchanged(headers, presentIncident(before, publicUrl));
        return acknowledge(before, body.user, now());
      });
      return present(incident, query.signals);
    },

    async resolveIncident({ id, query, body, headers }) {
      const incident = await incidents.update(id, (before) => {
        demandUnchanged(headers, presentIncident(before, publicUrl));
        return resolve(before, body.resolution_note, body.user ?? null, now());
      });
      return present(incident, query.signals);
    },

    async listIncidentSignals({ id, query }) {
      const incident = await incidents.get(id);
      const page = await signals.list({ incidentId: incident.id }, readPageRequest(query, 'sig'));
      return { body: { signals: page.items.map(presentSignal), ...presentPage(page, query) } };
    },
  };
}
