import { NotFoundError } from '../../core/errors.ts';
import { readPageRequest } from '../cursor.ts';
import { presentIntegration, presentPage } from '../present.ts';
import type { Handlers, RouteDeps } from '../route-handlers.ts';

type IntegrationHandlers = Pick<Handlers, 'listIntegrations' | 'createIntegration' | 'deleteIntegration'>;

export function createIntegrationHandlers({ integrations, now, publicUrl }: RouteDeps): IntegrationHandlers {
  return {
    async listIntegrations({ query }) {
      const page = await integrations.list(readPageRequest(query, 'int'));
      const items = page.items.map((integration) => presentIntegration(integration, publicUrl));
      return { body: { integrations: items, ...presentPage(page, query) } };
    },

    async createIntegration({ body, caller }) {
      const { integration, created, secret, ingestKey } = await integrations.create(body, now(), caller);
      const answer = { body: presentIntegration(integration, publicUrl) };
      if (!created) {
        return { ...answer, status: 200 };
      }
      const headers = { location: `/v1/integrations/${integration.id}`, 'cache-control': 'no-store' };
      return { ...answer, headers, once: { ...(secret && { secret }), ...(ingestKey && { ingest_key: ingestKey }) } };
    },

    async deleteIntegration({ id, caller }) {
      if (!(await integrations.delete(id, now(), caller))) {
        throw new NotFoundError('integration', id);
      }
      return { body: null };
    },
  };
}
