import type { Logger } from 'pino';
import { ServiceResponseError } from '../client/errors.ts';
import type { ServiceClient } from '../client/service-client.ts';
import type { Integration } from '../contract/resources.ts';
import type { SlackIdentity } from './connection.ts';
import { isKeyRefused, refusedReason } from './delivery/service-failure.ts';
import type { RegistrationStore } from './store/registrations.ts';

/**
 * Tells the service of this workspace, once, however often and in however many processes the bot starts: our own table
 * is asked first, then the service's list.
 *
 * @returns why the service refused, null when we are registered
 * @throws ServiceClientError when another try may end better
 */
export async function ensureRegistered(deps: {
  service: ServiceClient;
  serviceId: string;
  registrations: RegistrationStore;
  identity: SlackIdentity;
  logger: Logger;
}): Promise<string | null> {
  const { service, identity, logger } = deps;
  const key = { serviceId: deps.serviceId, teamId: identity.teamId, appId: identity.appId };
  try {
    await deps.registrations.once(key, async () => {
      const existing = (await service.listIntegrations()).find((integration) => isOurs(integration, identity));
      const integration = existing ?? (await service.createIntegration(integrationOf(identity)));
      logger.info({ integrationId: integration?.id ?? null }, 'registered with the incident service');
      return integration?.id ?? null;
    });
    return null;
  } catch (error) {
    if (!(error instanceof ServiceResponseError) || (refusedReason(error) === null && !isKeyRefused(error))) {
      throw error;
    }
    logger.warn({ err: error }, 'the incident service does not register the bot; all else works without that');
    return `The incident service did not register the bot (status ${error.status}); nothing else depends on it.`;
  }
}

function integrationOf(identity: SlackIdentity) {
  return {
    type: 'slack' as const,
    name: nameOf(identity),
    config: {
      team_id: identity.teamId,
      app_id: identity.appId,
      team_name: identity.teamName,
      bot_user_id: identity.botUserId,
    },
  };
}

function nameOf(identity: SlackIdentity): string {
  return `Slack: ${identity.teamName}`.slice(0, 200);
}

/** By its workspace and app, or by its name where the service does not show the configuration. */
function isOurs(integration: Integration, identity: SlackIdentity): boolean {
  if (integration.type !== 'slack') {
    return false;
  }
  const { config } = integration;
  return config === undefined
    ? integration.name === nameOf(identity)
    : config.team_id === identity.teamId && config.app_id === identity.appId;
}
