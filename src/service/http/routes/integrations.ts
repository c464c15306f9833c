import type { CreateIntegrationRequest } from '../../../contract/requests.ts';
import { NotFoundError } from '../../core/errors.ts';
import { presentIntegration } from '../../core/present.ts';
import { describeForbiddenUrl } from '../../webhooks/address-guard.ts';
import { presentPage, readPageRequest } from '../cursor.ts';
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
      const result = { body: presentIntegration(integration, publicUrl) };
      if (!created) {
        return { ...result, status: 200 };
      }
      const headers = { location: `/v1/integrations/${integration.id}`, 'cache-control': 'no-store' };
      return { ...result, headers, once: { ...(secret && { secret }), ...(ingestKey && { ingest_key: ingestKey }) } };
    },

    async deleteIntegration({ id, caller }) {
      if (!(await integrations.delete(id, now(), caller))) {
        throw new NotFoundError('integration', id);
      }
      return { body: null };
    },
  };
}

/** A host name is checked when it is resolved for sending, because it may resolve to another address by then. */
function checkAddress(request: CreateIntegrationRequest, allowPrivateAddresses: boolean): void {
  if (request.type !== 'webhook') {
    return;
  }
  const fault = describeForbiddenUrl(new URL(request.config.url), allowPrivateAddresses);
  if (fault !== null) {
    throw invalidBody([{ pointer: '/config/url', detail: fault }]);
  }
}
