import type { Logger } from 'pino';
import { ServiceClientError, ServiceResponseError } from '../../client/errors.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import type { Integration } from '../../contract/integrations.ts';
import { backoffMs } from '../../runtime/backoff.ts';
import { NEVER_MS } from '../../runtime/loop.ts';
import { isKeyRefused, refusedReason } from '../actions/service-failure.ts';
import type { SlackIdentity } from '../slack/connection.ts';
import type { InstallationStore } from '../store/installation.ts';

const RETRY = { firstMs: 5_000, longestMs: 5 * 60_000 };

/**
 * Registers this workspace with the service through POST /integrations exactly once, however many bot processes start.
 * The bot's own table is checked first, then the service's list.
 */
export interface Registration {
  /** Why the bot is not registered and what to do; null: it is registered, or not known yet. */
  problem(): string | null;
  /** @returns milliseconds until the next attempt; `NEVER_MS`: registered, or refused for good */
  run(identity: SlackIdentity): Promise<number>;
}

export function createRegistration(deps: {
  service: Pick<ServiceClient, 'listIntegrations' | 'createIntegration'>;
  serviceId: string;
  installation: Pick<InstallationStore, 'registerOnce'>;
  logger: Logger;
}): Registration {
  const { service, logger } = deps;
  let problem: string | null = null;
  let failures = 0;
  /** Ids that were listed before the first create whose response was lost; null: none was lost. */
  let listedBefore: ReadonlySet<string> | null = null;

  async function run(identity: SlackIdentity): Promise<number> {
    const key = [deps.serviceId, identity.teamId, identity.appId].join(' ');
    try {
      await deps.installation.registerOnce(key, () => register(identity));
    } catch (error) {
      if (!(error instanceof ServiceClientError)) {
        throw error;
      }
      const before = problem;
      problem = problemOf(error);
      if (problem !== before) {
        logger.warn({ err: error }, problem);
      }
      failures += 1;
      return isRefused(error) ? NEVER_MS : backoffMs(RETRY, failures);
    }
    problem = null;
    return NEVER_MS;
  }

  /** @returns the id of the integration; null: the service did not say */
  async function register(identity: SlackIdentity): Promise<string | null> {
    const listed = await service.listIntegrations();
    const integration = findOurs(listed, identity) ?? (await create(identity, listed));
    logger.info({ integrationId: integration?.id ?? null }, 'registered with the incident service');
    return integration?.id ?? null;
  }

  async function create(identity: SlackIdentity, listed: readonly Integration[]): Promise<Integration | null> {
    try {
      return await service.createIntegration(integrationOf(identity));
    } catch (error) {
      if (!(error instanceof ServiceClientError) || error.effect !== 'unknown') {
        throw error;
      }
      listedBefore ??= new Set(listed.map(({ id }) => id));
      const made = findOurs(await service.listIntegrations(), identity);
      if (made === undefined) {
        throw error;
      }
      return made;
    }
  }

  /** An integration that appeared after a lost response is ours, even if the service shows no configuration or name. */
  function findOurs(listed: readonly Integration[], identity: SlackIdentity): Integration | undefined {
    return (
      listed.find((integration) => isOurs(integration, identity)) ??
      listed.find(
        ({ id, type, config }) => type === 'slack' && config?.team_id === undefined && listedBefore?.has(id) === false,
      )
    );
  }

  return { problem: () => problem, run };
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

/** Compares workspace and app, or the name if the service does not show the configuration. */
function isOurs(integration: Integration, identity: SlackIdentity): boolean {
  if (integration.type !== 'slack') {
    return false;
  }
  const { config } = integration;
  return config === undefined
    ? integration.name === nameOf(identity)
    : config.team_id === identity.teamId && config.app_id === identity.appId;
}

/** A retry would be refused too. */
function isRefused(error: ServiceClientError): error is ServiceResponseError {
  return error instanceof ServiceResponseError && (refusedReason(error) !== null || isKeyRefused(error));
}

function problemOf(error: ServiceClientError): string {
  if (!isRefused(error)) {
    return 'The bot is not registered with the incident service yet; retrying.';
  }
  return error.status === 403
    ? 'INCIDENTS_API_KEY may not register the bot with the incident service (status 403): the key is probably read-only, so acknowledgements and notes are saved but never reach the service. Set INCIDENTS_API_KEY to a read-write key.'
    : `The incident service did not register the bot (status ${error.status}). Everything else works without it.`;
}
