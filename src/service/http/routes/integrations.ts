import type { CreateIntegrationRequest } from '../../../contract/integrations.ts';
import { NotFoundError } from '../../core/errors.ts';
import { findTimeOfId } from '../../core/ids.ts';
import { presentDelivery, presentIntegration } from '../../core/present.ts';
import { findMappingFault } from '../../ingest/mapping/mapping.ts';
import { describeForbiddenUrl } from '../../webhooks/address-guard.ts';
import { presentPage, readPageRequest } from '../cursor.ts';
import type { Handlers, RouteDeps } from '../route-handlers.ts';
import { invalidBody } from '../validate.ts';
import { withPreset } from '../with-preset.ts';

type IntegrationHandlers = Pick<
  Handlers,
  'listIntegrations' | 'createIntegration' | 'updateIntegration' | 'deleteIntegration'
>;
type DeliveryHandlers = Pick<Handlers, 'listDeliveries' | 'resendDelivery' | 'resendEvents' | 'testIntegration'>;
type StateHandlers = Pick<Handlers, 'enableIntegration' | 'rotateIntegrationSecret'>;

const SECRET_HEADERS = { 'cache-control': 'no-store' };

export function createIntegrationHandlers({ integrations, now, publicUrl, webhooks }: RouteDeps): IntegrationHandlers {
  return {
    async listIntegrations({ query }) {
      const page = await integrations.list(readPageRequest(query, 'int'));
      const items = page.items.map((integration) => presentIntegration(integration, publicUrl));
      return { body: { integrations: items, ...presentPage(page, query) } };
    },

    async createIntegration({ body, caller }) {
      checkAddress(body, webhooks.allowPrivateAddresses);
      checkMapping(body);
      const { integration, created, secret, ingestKey } = await integrations.create(withPreset(body), now(), caller);
      const result = { body: presentIntegration(integration, publicUrl) };
      if (!created) {
        return { ...result, status: 200 };
      }
      const headers = { location: `/v1/integrations/${integration.id}`, ...SECRET_HEADERS };
      return { ...result, headers, once: { ...(secret && { secret }), ...(ingestKey && { ingest_key: ingestKey }) } };
    },

    async updateIntegration({ id, body, caller }) {
      const moved = await integrations.setSystem(checkIntegrationId(id), body.system, now(), caller);
      if (moved !== null) {
        return { body: presentIntegration(moved, publicUrl) };
      }
      if ((await integrations.find(id)) === null) {
        throw new NotFoundError('integration', id);
      }
      throw invalidBody([
        { pointer: '/system', detail: 'is of integrations that send signals; this one receives events' },
      ]);
    },

    async deleteIntegration({ id, caller }) {
      if (!(await integrations.delete(checkIntegrationId(id), now(), caller))) {
        throw new NotFoundError('integration', id);
      }
      return { body: null };
    },
  };
}

export function createDeliveryHandlers({ deliveries, webhookControl, testWebhook }: RouteDeps): DeliveryHandlers {
  return {
    async listDeliveries({ id, query }) {
      const page = await deliveries.list(checkIntegrationId(id), readPageRequest(query, 'dlv'));
      if (page === null) {
        throw new NotFoundError('integration', id);
      }
      return { body: { deliveries: page.items.map(presentDelivery), ...presentPage(page, query) } };
    },

    async resendDelivery({ id, innerId: deliveryId }) {
      if (findTimeOfId('dlv', deliveryId) === null) {
        throw new NotFoundError('delivery', deliveryId);
      }
      await webhookControl.resendDelivery(checkIntegrationId(id), deliveryId);
      return { body: { queued: 1 } };
    },

    async resendEvents({ id, body }) {
      return { body: { queued: await webhookControl.resendEvents(checkIntegrationId(id), body) } };
    },

    async testIntegration({ id }) {
      return { body: presentDelivery(await testWebhook(checkIntegrationId(id))) };
    },
  };
}

export function createIntegrationStateHandlers({ webhookControl, now, publicUrl }: RouteDeps): StateHandlers {
  return {
    async enableIntegration({ id, caller }) {
      return {
        body: presentIntegration(await webhookControl.enable(checkIntegrationId(id), now(), caller), publicUrl),
      };
    },

    async rotateIntegrationSecret({ id, caller }) {
      const { integration, secret } = await webhookControl.rotateSecret(checkIntegrationId(id), now(), caller);
      return { body: presentIntegration(integration, publicUrl), headers: SECRET_HEADERS, once: { secret } };
    },
  };
}

/** PostgreSQL refuses some text, such as NUL, which no id contains. @throws {NotFoundError} */
export function checkIntegrationId(id: string): string {
  if (findTimeOfId('int', id) === null) {
    throw new NotFoundError('integration', id);
  }
  return id;
}

/** A host name is checked when it is resolved for sending, because it may resolve to another address by then. */
export function checkAddress(request: CreateIntegrationRequest, allowPrivateAddresses: boolean): void {
  if (request.type !== 'webhook' && request.type !== 'pagerduty') {
    return;
  }
  const fault = describeForbiddenUrl(new URL(request.config.url), allowPrivateAddresses);
  if (fault !== null) {
    throw invalidBody([{ pointer: '/config/url', detail: fault }]);
  }
}

/** What is invalid would read nothing. The dashboard says so before it saves. @throws {RequestError} */
function checkMapping(request: CreateIntegrationRequest): void {
  const { mapping } = request.type === 'json' ? request.config : {};
  const fault = mapping === undefined ? null : findMappingFault(mapping);
  if (fault !== null) {
    throw invalidBody([{ pointer: `/config/mapping/${fault.field}`, detail: fault.detail }]);
  }
}
