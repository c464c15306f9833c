import type { Logger } from 'pino';
import { ServiceClientError } from '../../../client/errors.ts';
import type { IncidentStore } from '../../incident/incidents.ts';
import { inModal, type MessageKind } from '../../messages/kind.ts';
import { deleteMessage } from '../../messages/message-store.ts';
import { nextRefresh } from '../open-views/open-view.ts';
import { OPEN_VIEW_DATA, recordRefresh } from '../open-views/open-views.ts';
import { loadSignals } from './load-signals.ts';
import type { ReadSignals } from './read-signals.ts';
import { parseSignalsContext } from './signals-modal.ts';

/** Minimum time between two redraws, because counts change constantly. */
const SHORTEST_REST_MS = 20_000;
/** Placeholder in comparisons: a new time of reading alone is not worth an edit. */
const NO_TIME = new Date(0);

/** The signals of an incident that somebody looks at. */
export function createSignalsKind(deps: {
  readSignals: ReadSignals;
  store: { readonly incidents: IncidentStore };
  logger: Logger;
  now: () => Date;
}): MessageKind<'signals'> {
  const { readSignals, store, logger, now } = deps;

  /** Returns null while the service does not respond; the modal then keeps its content and the time of that. */
  async function load(what: string) {
    const context = parseSignalsContext(what);
    try {
      return context === null ? null : await loadSignals({ readSignals, store }, context, { isFresh: true });
    } catch (error) {
      if (!(error instanceof ServiceClientError)) {
        throw error;
      }
      logger.info({ incidentId: context?.incidentId, reason: error.message }, 'open signals were not refreshed');
      return null;
    }
  }

  return {
    lifecycle: 'kept true',
    shownAs: 'open view',
    data: OPEN_VIEW_DATA,
    shortestRetryMs: 5_000,

    async render(message) {
      const { data, ts, failures } = message;
      const refresh = nextRefresh(data, failures, now());
      const signals = ts === null || refresh === null ? null : await load(data.what);
      if (signals === null || refresh === null) {
        return null;
      }
      return {
        ...inModal(signals.modal(now(), refresh.nextUntil)),
        comparedAs: inModal(signals.modal(NO_TIME, NO_TIME)).content,
        restMs: Math.max(refresh.restMs, SHORTEST_REST_MS),
        also: () => recordRefresh(message, data.incidentIds),
      };
    },

    giveUp: (message) => Promise.resolve(deleteMessage(message)),
  };
}
