import type { CreateIntegrationRequest } from '../../../contract/requests.ts';
import { NotFoundError } from '../../core/errors.ts';
import { describeForbiddenUrl } from '../../webhooks/address-guard.ts';
import { readPageRequest } from '../cursor.ts';
import { presentIntegration, presentPage } from '../present.ts';
import type { Handlers, RouteDeps } from '../route-handlers.ts';
import { invalidBody } from '../validate.ts';

type IntegrationHandlers = Pick<Handlers, 'listIntegrations' | 'createIntegration' | 'deleteIntegration'>;

export function createIntegrationHandlers({ integrations, now, publicUrl, webhooks }: RouteDeps): IntegrationHandlers {
  return {
    async listIntegrations({ query }) {
      const page = await integrations.list(readPageRequest(query, 'int'));
      const items = page.items.map((integration) => presentIntegration(integration, publicUrl));
      return { body: { integrations: items, ...presentPage(page, query) } };
    },

    async createIntegration({ body, caller }) {
      checkAddress(body, webhooks.allowPrivateAddresses);
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

/** A name that leads to a private address is found out when something is sent: it may lead elsewhere by then. */
function checkAddress(request: CreateIntegrationRequest, allowPrivateAddresses: boolean): void {
  if (request.type !== 'webhook') {
    return;
  }
  const fault = describeForbiddenUrl(new URL(request.config.url), allowPrivateAddresses);
  if (fault !== null) {
    throw invalidBody([{ pointer: '/config/url', detail: fault }]);
  }
}
