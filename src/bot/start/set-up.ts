import type { Logger } from 'pino';
import { BotStartError, missingScope } from '../domain/errors.ts';
import type { ChannelId } from '../domain/identifiers.ts';
import type { SlackIdentity } from '../slack/connection.ts';
import { classifySlackFailure, type SlackFailure } from '../slack/errors.ts';
import type { SlackApi } from '../slack/methods.ts';
import type { Store } from '../store/store.ts';
import { ChannelError, ensureChannel } from './channel.ts';

export type SetUpStep = 'slack' | 'channel';

/** One-time steps of the start. A step can be called again; it does nothing once it has succeeded. */
export interface SetUp {
  /** @returns false: retry later. @throws BotStartError when Slack refuses the token */
  signIn(): Promise<boolean>;
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
  connect: () => Promise<SlackIdentity>;
  slackApiUrl: string;
  api: SlackApi;
  channel: string | null;
  store: Store;
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
    async signIn() {
      if (identity !== null) {
        return true;
      }
      try {
        identity = await deps.connect();
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
        channelId = await ensureChannel({ setting, api, channels: store.channels, logger });
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
