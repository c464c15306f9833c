import { z } from 'zod';
import { ServiceClientError, ServiceResponseError } from '../../client/errors.ts';
import type { ServiceClient } from '../../client/service-client.ts';
import type { Integration } from '../../contract/integrations.ts';
import type { End, KeptEffects } from '../../effects/kept-effects.ts';
import { createKind, type EffectKind } from '../../effects/performer.ts';
import { backoffMs } from '../../runtime/backoff.ts';
import { failureOf, isKeyRefused, refusedReason } from '../actions/service-failure.ts';
import type { SlackIdentity } from '../slack/connection.ts';
import type { Tables } from '../tables.ts';
import type { InstallationStore } from './installation.ts';

/** This workspace becomes an integration of the service, once, however many bot processes start. */
export const REGISTRATION = 'registration';

const RETRY = { firstMs: 5_000, longestMs: 5 * 60_000 };

const Request = z.object({
  teamId: z.string(),
  teamName: z.string(),
  appId: z.string(),
  botUserId: z.string(),
  /** Ids that the service listed before the first call. Absent: it was not asked yet. */
  before: z.array(z.string()).optional(),
});
type Request = z.infer<typeof Request>;

const Refusal = z.object({ status: z.number() });

export interface Registration {
  /** Keeps the registration, unless it was made; one that the service refused is tried again. */
  keep(identity: SlackIdentity): Promise<void>;
  /** Why the bot is not registered and what to do; null: it is registered, or not known yet. */
  problem(): Promise<string | null>;
}

export function createRegistration(deps: {
  readonly store: { readonly effects: KeptEffects<Tables>; readonly installation: InstallationStore };
  readonly serviceId: string;
  /** null: not signed in yet. */
  readonly identity: () => SlackIdentity | null;
}): Registration {
  const { store, serviceId } = deps;
  /** What was kept since the start, so that a refused one is tried again once. */
  let kept: string | null = null;
  return {
    async keep(identity) {
      const key = keyOf(serviceId, identity);
      if (kept !== key && (await store.installation.registeredAs()) !== key) {
        const { teamId, teamName, appId, botUserId } = identity;
        await store.effects.keep([{ kind: REGISTRATION, subject: key, data: { teamId, teamName, appId, botUserId } }]);
      }
      kept = key;
    },
    async problem() {
      const identity = deps.identity();
      const state = identity === null ? null : await store.effects.stateOf(REGISTRATION, keyOf(serviceId, identity));
      if (state?.isRefused === true) {
        return refusalOf(Refusal.parse(state.outcome).status);
      }
      return state === null || state.error === null
        ? null
        : 'The bot is not registered with the incident service yet; retrying.';
    },
  };
}

/**
 * An earlier attempt is found by workspace and app, or by the name if the service does not show the configuration. If it
 * shows neither, an integration that appeared since the first call is ours.
 */
export function createRegistrationKind(
  service: Pick<ServiceClient, 'listIntegrations' | 'createIntegration'>,
): EffectKind<Tables> {
  return createKind<Tables, Request>({
    target: 'incident service',
    effectOf({ subject, data }) {
      const request = Request.parse(data);
      const registered = (id: string | null): End<Tables> => ({
        outcome: {},
        also: async (tx) => {
          await tx.updateTable('installation').set({ registered_as: subject, integration_id: id }).execute();
        },
      });
      const find = async () => {
        const made = findOurs(await service.listIntegrations(), request);
        return made === undefined ? null : registered(made.id);
      };
      return {
        async look() {
          if (request.before === undefined) {
            const listed = await service.listIntegrations();
            const made = findOurs(listed, request);
            const before = listed.map(({ id }) => id);
            return { over: made === undefined ? { againInMs: 0, data: { ...request, before } } : registered(made.id) };
          }
          const made = await find();
          return made === null ? { seen: request } : { over: made };
        },
        call: async () => registered((await service.createIntegration(integrationOf(request)))?.id ?? null),
        failureOf,
        lookAgain: () => find().catch(() => null), // the next attempt looks again
      };
    },

    endOf({ data, failures, attemptedAt }, error) {
      if (error instanceof ServiceResponseError && (refusedReason(error) !== null || isKeyRefused(error))) {
        return { outcome: { status: error.status }, isRefused: true };
      }
      if (!(error instanceof ServiceClientError)) {
        return null;
      }
      const againInMs = backoffMs(RETRY, failures + 1);
      // Nothing was made: what appears until the next attempt is somebody else's.
      return attemptedAt !== null || failureOf(error) === 'unknown'
        ? { againInMs, error: error.message }
        : { againInMs, error: error.message, data: Request.omit({ before: true }).parse(data) };
    },
  });
}

function keyOf(serviceId: string, { teamId, appId }: SlackIdentity): string {
  return [serviceId, teamId, appId].join(' ');
}

function findOurs(listed: readonly Integration[], request: Request): Integration | undefined {
  const { before } = request;
  return (
    listed.find((integration) => isOurs(integration, request)) ??
    listed.find(
      ({ id, type, config }) => type === 'slack' && config?.team_id === undefined && before?.includes(id) === false,
    )
  );
}

function integrationOf(request: Request) {
  const { teamId, appId, teamName, botUserId } = request;
  return {
    type: 'slack' as const,
    name: nameOf(request),
    config: { team_id: teamId, app_id: appId, team_name: teamName, bot_user_id: botUserId },
  };
}

function nameOf({ teamName }: Request): string {
  return `Slack: ${teamName}`.slice(0, 200);
}

/** Compares workspace and app, or the name if the service does not show the configuration. */
function isOurs(integration: Integration, request: Request): boolean {
  if (integration.type !== 'slack') {
    return false;
  }
  const { config } = integration;
  return config === undefined
    ? integration.name === nameOf(request)
    : config.team_id === request.teamId && config.app_id === request.appId;
}

function refusalOf(status: number): string {
  return status === 403
    ? 'INCIDENTS_API_KEY may not register the bot with the incident service (status 403): the key is probably read-only, so acknowledgements and notes are saved but never reach the service. Set INCIDENTS_API_KEY to a read-write key.'
    : `The incident service did not register the bot (status ${status}). Everything else works without it.`;
}
