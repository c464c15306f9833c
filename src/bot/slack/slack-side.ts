import type { Logger } from 'pino';
import type { Clock } from '../../runtime/clock.ts';
import { createBoltLogger } from './bolt-logger.ts';
import { createAppClient, createSlackApi, createSlackFetch, type Fetch, type SlackConnection } from './clients.ts';
import { createReceiver } from './create-receiver.ts';
import { createRequests } from './requests.ts';
import { createRespondTo } from './respond.ts';
import type { SlackClock } from './slack-clock.ts';
import { createShareFile } from './upload.ts';

export interface SlackOptions {
  readonly apiUrl: string;
  readonly botToken: string;
  /** null: signed HTTP instead of Socket Mode. */
  readonly appToken: string | null;
  readonly signingSecret: string | null;
  /** Default: the global `fetch`. */
  readonly fetch?: Fetch;
}

/** All that talks to Slack. @throws BotStartError when neither Socket Mode nor signed HTTP is possible */
export function createSlackSide(deps: {
  readonly slack: SlackOptions;
  readonly slackClock: SlackClock;
  readonly onAnswered: SlackConnection['onAnswered'];
  readonly onAcknowledged: (durationMs: number) => void;
  readonly logger: Logger;
  readonly clock: Clock;
}) {
  const { slack, slackClock, onAnswered, logger, clock } = deps;
  const boltLogger = createBoltLogger(logger);
  const connection: SlackConnection = {
    apiUrl: slack.apiUrl,
    logger: boltLogger,
    fetch: slack.fetch,
    now: clock.now,
    clock: slackClock,
    onAnswered,
  };
  const requests = createRequests(logger, deps.onAcknowledged);
  const slackFetch = createSlackFetch(connection);
  const forPeople = createSlackApi(connection, slack.botToken);
  return {
    connection,
    boltLogger,
    requests,
    receiver: createReceiver(slack, connection, requests, logger, clock),
    /** Two clients, so that rate limits on background calls do not delay responses to people. */
    forPeople,
    forBackground: createSlackApi(connection, slack.botToken),
    /** null: signed HTTP, which needs no app-level token. */
    appClient: slack.appToken === null ? null : createAppClient(connection, slack.appToken),
    respondTo: createRespondTo(slackFetch),
    shareFile: createShareFile(forPeople, slackFetch),
  };
}
