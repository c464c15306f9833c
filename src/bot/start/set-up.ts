import type { Logger } from 'pino';
import type { SubscriptionStore } from '../rooms/rules/subscriptions.ts';
import { ChannelError } from '../slack/channels.ts';
import type { SlackIdentity } from '../slack/connection.ts';
import { classifySlackFailure, type SlackFailure } from '../slack/errors.ts';
import type { ChannelId } from '../slack/identifiers.ts';
import type { SlackApi } from '../slack/methods.ts';
import { BotStartError, missingScope } from '../slack/start-error.ts';
import { ensureChannel } from './channel.ts';

export type SetUpStep = 'slack' | 'channel';

/** One-time steps of the start. A step can be called again; it does nothing once it has succeeded. */
export interface SetUp {
  /** @returns false: retry later. @throws BotStartError when Slack refuses the token */
  signIn(connect: () => Promise<SlackIdentity>): Promise<boolean>;
  /** @returns false: retry later. @throws BotStartError when a scope is missing */
  findChannel(): Promise<boolean>;
  /** null: not signed in yet. */
  identity(): SlackIdentity | null;
  /** null: none is configured, or it has not been found yet. */
  channelId(): string | null;
  /** How long Slack asked to be left alone when the last step failed, in milliseconds; 0: it did not. */
  limitMs(): number;
  /** What is wrong with a step and what to do; null: nothing. */
  problemOf(step: SetUpStep): string | null;
}

export function createSetUp(deps: {
  slackApiUrl: string;
  api: SlackApi;
  channel: string | null;
  store: { readonly subscriptions: SubscriptionStore };
  logger: Logger;
}): SetUp {
  const { store, logger } = deps;
  const problems = new Map<SetUpStep, string>();
  let identity: SlackIdentity | null = null;
  let channelId: ChannelId | null = null;
  let isChannelFound = false;
  let limitMs = 0;

  function classify(error: unknown): SlackFailure {
    const failure = classifySlackFailure(error);
    limitMs = failure.kind === 'rate-limited' ? failure.retryAfterMs : 0;
    return failure;
  }

  /** Logs a problem once, not at every retry. */
  function report(step: SetUpStep, problem: string): void {
    if (problems.get(step) !== problem) {
      problems.set(step, problem);
      logger.warn({ step }, problem);
    }
  }

  return {
    async signIn(connect) {
      if (identity !== null) {
        return true;
      }
      try {
        identity = await connect();
      } catch (error) {
        if (error instanceof BotStartError) {
          report('slack', error.message);
          throw error;
        }
        const { error: reason } = classify(error);
        report('slack', `Cannot sign in to Slack at ${deps.slackApiUrl} (${reason}); retrying.`);
        return false;
      }
      problems.delete('slack');
      logger.info({ teamId: identity.teamId, botUserId: identity.botUserId }, 'signed in to Slack');
      return true;
    },

    async findChannel() {
      if (isChannelFound) {
        return true;
      }
      try {
        const { channel: setting, api } = deps;
        channelId = await ensureChannel({ setting, api, subscriptions: store.subscriptions, logger });
      } catch (error) {
        const failure = classify(error);
        if (failure.kind === 'missing-scope') {
          report('channel', missingScope(failure.needed));
          throw new BotStartError(missingScope(failure.needed), { cause: error });
        }
        const lookup = `INCIDENTS_CHANNEL cannot be looked up (${failure.error}); retrying.`;
        report('channel', error instanceof ChannelError ? error.message : lookup);
        return false;
      }
      isChannelFound = true;
      problems.delete('channel');
      return true;
    },

    identity: () => identity,
    channelId: () => channelId,
    limitMs: () => limitMs,
    problemOf: (step) => problems.get(step) ?? null,
  };
}
