import { randomUUID } from 'node:crypto';
import { setByHand } from '../../core/by-hand.ts';
import { type IncidentRecord, MAX_SIGNALS_PER_INCIDENT, signalCountOf } from '../../core/incident.ts';
import { acknowledge, addNote, reopen, resolve, unacknowledge } from '../../core/incident-changes.ts';
import { stateOf } from '../../core/incident-event.ts';
import { labelWordsOf } from '../../core/incident-labels.ts';
import { presentIncident, presentIncidentSummary, presentSignal, presentSimilar } from '../../core/present.ts';
import type { IncidentChange } from '../../store/incidents/change-incident.ts';
import { isCounted } from '../../store/incidents/incident-store.ts';
import { actorOf, somebody } from '../actor-of.ts';
import { demandUnchanged, entityTagOf } from '../conditional.ts';
import { presentPage, readPageRequest } from '../cursor.ts';
import type { Handlers, RouteDeps } from '../route-handlers.ts';

type IncidentHandlers = Pick<
  Handlers,
  | 'listIncidents'
  | 'getIncident'
  | 'declareIncident'
  | 'updateIncident'
  | 'acknowledgeIncident'
  | 'unacknowledgeIncident'
  | 'resolveIncident'
  | 'reopenIncident'
  | 'addNote'
  | 'linkCard'
  | 'mergeIncident'
  | 'splitIncident'
  | 'listIncidentSignals'
>;

export function createIncidentHandlers(deps: RouteDeps): IncidentHandlers {
  const { incidents, cards, regrouping, signals, readShares, now, publicUrl } = deps;

  async function present(incident: IncidentRecord, include: 'none' | 'full') {
    const body = presentIncident(incident, publicUrl, now());
    if (include === 'none') {
      return { body, headers: { etag: entityTagOf(body) } };
    }
    const [members, closed, shownIn] = await Promise.all([
      signals.newestOf(incident.id, MAX_SIGNALS_PER_INCIDENT),
      incidents.listSimilar(incident),
      cards.list(incident.id),
    ]);
    const sent = members.map(presentSignal);
    const similar = closed.map(presentSimilar);
    // Negative when a signal arrived between the two reads.
    const removed = Math.max(0, signalCountOf(incident) - sent.length);
    return {
      body: { ...body, signals: sent, signals_removed: removed, similar, cards: shownIn },
      headers: { etag: entityTagOf(body, [...sent, ...similar, ...shownIn]) },
    };
  }

  /** Applies `If-Match`. */
  function demand(headers: Headers) {
    return (before: IncidentRecord) => demandUnchanged(headers, presentIncident(before, publicUrl, now()));
  }

  function unlessChanged(headers: Headers, change: IncidentChange): IncidentChange {
    return (before) => {
      demand(headers)(before);
      return change(before);
    };
  }

  return {
    async listIncidents({ query, caller }) {
      const { status, service, severity, acknowledged, opened_from: openedFrom, opened_to: openedTo, q: text } = query;
      const filter = {
        status,
        service,
        severity,
        acknowledged,
        openedFrom,
        openedTo,
        text,
        labels: labelWordsOf(query),
      };
      const read = () => incidents.list(filter, readPageRequest(query, 'inc'));
      const page = isCounted(filter) ? await read() : await readShares.run(caller, read);
      return {
        body: {
          incidents: page.items.map((incident) => presentIncidentSummary(stateOf(incident), publicUrl, now())),
          ...presentPage(page, query),
        },
      };
    },

    async getIncident({ id, query }) {
      return present(await incidents.get(id), query.signals);
    },

    async declareIncident({ body, headers, callerName }) {
      const { note = null } = body;
      const key = headers.get('idempotency-key') ?? randomUUID();
      const incident = await deps.declare({ ...body, key, note, actor: somebody(body, callerName) });
      const shown = await present(incident, 'full');
      return { ...shown, headers: { ...shown.headers, location: `/v1/incidents/${incident.id}` } };
    },

    async updateIncident({ id, query, body, headers, callerName }) {
      const { user: _user, user_id: _userId, root_service: rootService, ...fields } = body;
      const actor = somebody(body, callerName);
      const change = unlessChanged(headers, (before) => setByHand(before, { ...fields, rootService }, actor, now()));
      return present(await regrouping.setByHand(id, change, now()), query.signals);
    },

    async acknowledgeIncident({ id, query, body, headers, callerName }) {
      const change = unlessChanged(headers, (before) => acknowledge(before, actorOf(body, callerName), now()));
      return present(await incidents.update(id, change), query.signals);
    },

    async unacknowledgeIncident({ id, query, body, headers, callerName }) {
      const { reason = null } = body;
      const actor = actorOf(body, callerName);
      const change = unlessChanged(headers, (before) => unacknowledge(before, actor, reason, now()));
      return present(await incidents.update(id, change), query.signals);
    },

    async resolveIncident({ id, query, body, headers, callerName }) {
      const { resolution_note: note, not_a_problem: isNoProblem } = body;
      const actor = somebody(body, callerName);
      const change = unlessChanged(headers, (before) => resolve(before, note, actor, now(), isNoProblem));
      return present(
        isNoProblem === true ? await regrouping.resolve(id, change, now()) : await incidents.update(id, change),
        query.signals,
      );
    },

    async reopenIncident({ id, query, body, headers, callerName }) {
      const { reason = null } = body;
      const actor = actorOf(body, callerName);
      const change = unlessChanged(headers, (before) => reopen(before, actor, reason, now()));
      return present(await regrouping.reopen(id, change, now()), query.signals);
    },

    async addNote({ id, query, body, headers, callerName }) {
      const change = unlessChanged(headers, (before) => addNote(before, actorOf(body, callerName), body.text, now()));
      return present(await incidents.update(id, change), query.signals);
    },

    async linkCard({ id, query, body }) {
      await cards.put(id, body);
      return present(await incidents.get(id), query.signals);
    },

    async mergeIncident({ id, query, body, headers, callerName }) {
      const actor = actorOf(body, callerName);
      return present(await regrouping.merge(id, body.into, actor, now(), demand(headers)), query.signals);
    },

    async splitIncident({ id, query, body, headers, callerName }) {
      const actor = actorOf(body, callerName);
      return present(await regrouping.split(id, actor, now(), demand(headers)), query.signals);
    },

    async listIncidentSignals({ id, query, caller }) {
      const incident = await incidents.get(id);
      const { service, type, q: text } = query;
      const filter = { incidentId: incident.id, service, type, text };
      const page = await readShares.run(caller, () => signals.list(filter, readPageRequest(query, 'sig')));
      return { body: { signals: page.items.map(presentSignal), ...presentPage(page, query) } };
    },
  };
}
