import { NotFoundError } from '../../core/errors.ts';
import { readPageRequest } from '../cursor.ts';
import { presentIntegration, presentPage } from '../present.ts';
import type { Handlers, RouteDeps } from '../route-handlers.ts';

type IntegrationHandlers = Pick<Handlers, 'listIntegrations' | 'createIntegration' | 'deleteIntegration'>;

export function createIntegrationHandlers({ integrations, now }: RouteDeps): IntegrationHandlers {
  return {
    async listIntegrations({ query }) {
      const page = await integrations.list(readPageRequest(query, 'int'));
      return { body: { integrations: page.items.map(presentIntegration), ...presentPage(page, query) } };
    },

    async createIntegration({ body }) {
      const { integration, created } = await integrations.create(body, now());
      const answer = { body: presentIntegration(integration) };
      return created
        ? { ...answer, headers: { location: `/v1/integrations/${integration.id}` } }
        : { ...answer, status: 200 };
    },

    async deleteIntegration({ id }) {
      if (!(await integrations.delete(id))) {
        throw new NotFoundError('integration', id);
      }
      return { body: null };
    },
  };
}
