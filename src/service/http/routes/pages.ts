import { whoIsWoken } from '../../on-call/who-is-woken.ts';
import type { Handlers, RouteDeps } from '../route-handlers.ts';
import { invalidBody } from '../validate.ts';

type PageHandlers = Pick<Handlers, 'listPages' | 'listPagesOfIncident' | 'reportAttempt' | 'getOnCall'>;

export function createPageHandlers({
  pageLog,
  pageWatch,
  incidents,
  policies,
  waking,
  now,
}: Pick<RouteDeps, 'pageLog' | 'pageWatch' | 'incidents' | 'policies' | 'waking' | 'now'>): PageHandlers {
  return {
    async listPages() {
      return { body: { pages: await pageLog.list(null), problem: await pageWatch.problem() } };
    },

    async listPagesOfIncident({ id }) {
      const incident = await incidents.get(id);
      return { body: { pages: await pageLog.list(incident.id) } };
    },

    async reportAttempt({ id, innerId, body }) {
      const reported = await waking.reports.report(id, innerId, body);
      if (reported === null) {
        const detail = 'must say who answered: the person whom the attempt wakes';
        throw invalidBody([{ pointer: '/user_id', detail }]);
      }
      return { body: reported };
    },

    async getOnCall({ query: { service } }) {
      return { body: await whoIsWoken(service, await policies.list(), now(), waking.resolving) };
    },
  };
}
