import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createRealClock, type LocalSlack, startLocalSlack } from 'local-slack';
import type { Logger } from 'pino';
import { Registry } from 'prom-client';
import { vi } from 'vitest';
import { INCIDENTS_CHANNEL } from '../../src/app/local-slack.ts';
import { type Bot, createBot } from '../../src/bot/bot.ts';
import type { StormRules } from '../../src/bot/rooms/storm/storm.ts';
import type { Naming } from '../../src/bot/slack/person.ts';
import { BOT_SCHEMA } from '../../src/bot/tables.ts';
import { createServiceClient } from '../../src/client/service-client.ts';
import { type Clock, createRealClock as createBotClock } from '../../src/runtime/clock.ts';
import { borrowTestDatabase, type TestDatabase } from './database.ts';
import { advanceDatabaseClock } from './database-clock.ts';
import { HANG_MS } from './hang.ts';
import { silentLogger } from './logger.ts';
import { type StrangerService, startStrangerService } from './stranger-service.ts';
import type { TestClock } from './test-clock.ts';

export type Transport = 'socket' | 'http';
type LocalMessage = ReturnType<LocalSlack['messages']>[number];
type LocalEphemeral = ReturnType<LocalSlack['ephemerals']>[number];
type LocalView = ReturnType<LocalSlack['openViews']>[number];

const MANIFEST = fileURLToPath(new URL('../../manifest.yml', import.meta.url));
const SIGNING_SECRET = 'a-signing-secret-of-the-tests';

export interface BotTeamOptions {
  /** Default: the transport of the run. These tests run over both. */
  readonly transport?: Transport;
  readonly shape?: 'plain' | 'odd';
  /** Whether the plain stranger has Tocsin's additions. Default: no. */
  readonly hasAdditions?: boolean;
  /** Default: `#incidents`. */
  readonly channel?: string | null;
  /** Default: a new stranger service. */
  readonly service?: { baseUrl: string; apiKey: string };
  readonly pollMs?: number;
  readonly naming?: Naming;
  readonly responderGroups?: readonly string[];
  readonly adminGroups?: readonly string[];
  readonly rulesGroup?: string;
  readonly botToken?: string;
  readonly appToken?: string;
  readonly logger?: Logger;
  /** The clock of Slack and of the bot. Default: the machine's. */
  readonly clock?: Clock;
  /** The clock of the first bot. Default: that of Slack. */
  readonly botClock?: Clock;
  /** Default: a new database. */
  readonly database?: TestDatabase;
  /** Default: Tocsin's manifest. */
  readonly manifestPath?: string;
  /** Default: `STORM_RULES`. */
  readonly storms?: StormRules;
  /** Default: the bot keeps everything. */
  readonly retentionDays?: number;
  /** Default: none. */
  readonly traceUrl?: string;
  /** Address of the dashboard. Default: none. */
  readonly publicUrl?: string;
  /** Runs before the bot starts. */
  readonly before?: (parts: { slack: LocalSlack; service: StrangerService }) => void;
}

/** A bot with a local Slack and an incident service, over real sockets. */
export interface BotTeam extends AsyncDisposable {
  readonly slack: LocalSlack;
  /** The stranger service; unused if another service was given. */
  readonly service: StrangerService;
  readonly database: TestDatabase;
  readonly bot: Bot;
  /** The metrics of the bot that was started last, in the format of Prometheus. */
  metrics(): Promise<string>;
  /** Address of the bot's HTTP receiver. */
  readonly requestUrl: string;
  readonly signingSecret: string;
  /** Starts another bot with the same database. @param clock default: the clock of the first one */
  startAnotherBot(clock?: Clock): Promise<Bot>;
  restartBot(): Promise<void>;
  stopBot(): Promise<void>;
  /** The cards in #incidents, oldest first. */
  cards(): LocalMessage[];
  /** Waits for a card whose text matches. */
  card(pattern: RegExp): Promise<LocalMessage>;
  /** The replies of the bot in the thread of a card, oldest first. */
  replies(card: LocalMessage): string[];
  /** Waits for an ephemeral message to the person that matches. */
  ephemeral(person: string, pattern: RegExp, channel?: string): Promise<LocalEphemeral>;
  /** Waits for a direct message to the person that matches. */
  directMessage(person: string, pattern: RegExp): Promise<string>;
  modal(person: string, pattern?: RegExp): Promise<LocalView>;
}

export async function startBotTeam(options: BotTeamOptions = {}): Promise<BotTeam> {
  const {
    transport = process.env.BOT_TRANSPORT === 'http' ? 'http' : 'socket',
    shape = 'plain',
    channel = '#incidents',
    pollMs = 100,
    clock: teamClock = createBotClock(),
    botClock = teamClock,
  } = options;
  await using scope = new AsyncDisposableStack();
  const database = options.database ?? scope.use(await borrowTestDatabase());
  const service = scope.use(
    await startStrangerService({ shape, ...(options.hasAdditions === true && { additionsNow: teamClock.now }) }),
  );
  const { baseUrl, apiKey } = options.service ?? service;
  let listener: Bot['requestListener'] = null;
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    if (listener === null) {
      response.writeHead(503).end();
      return;
    }
    listener(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  scope.defer(() => void server.close());
  const requestUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/slack/events`;
  const slack = scope.use(
    await startLocalSlack({
      manifestPath: options.manifestPath ?? MANIFEST,
      channel: INCIDENTS_CHANNEL,
      port: 0,
      clock: createRealClock(teamClock.now),
      delivery:
        transport === 'socket' ? { mode: 'socket' } : { mode: 'http', requestUrl, signingSecret: SIGNING_SECRET },
    }),
  );

  let registry = new Registry();
  async function createOne(clock: Clock): Promise<Bot> {
    const client = createServiceClient({ baseUrl, apiKey, timeoutMs: 2_000 });
    registry = new Registry();
    const bot = await createBot({
      slack: {
        apiUrl: slack.apiUrl,
        botToken: options.botToken ?? slack.botToken,
        appToken: transport === 'socket' ? (options.appToken ?? slack.appToken) : null,
        signingSecret: transport === 'http' ? SIGNING_SECRET : null,
      },
      service: client,
      serviceId: baseUrl,
      database,
      logger: options.logger ?? silentLogger,
      clock,
      channel,
      pollMs,
      registry,
      ...(options.naming !== undefined && { naming: options.naming }),
      responderGroups: options.responderGroups ?? [],
      adminGroups: options.adminGroups ?? [],
      rulesGroup: options.rulesGroup ?? null,
      retentionDays: options.retentionDays ?? null,
      ...(options.storms !== undefined && { storms: options.storms }),
      ...(options.traceUrl !== undefined && { traceUrl: options.traceUrl }),
      ...(options.publicUrl !== undefined && { publicUrl: options.publicUrl }),
    });
    return {
      ...bot,
      async [Symbol.asyncDispose]() {
        await bot[Symbol.asyncDispose]();
        await client[Symbol.asyncDispose]();
      },
    };
  }

  async function startOne(clock: Clock = botClock): Promise<Bot> {
    const fresh = await createOne(clock);
    started.add(fresh);
    listener = fresh.requestListener;
    await fresh.start();
    return fresh;
  }

  const started = new Set<Bot>();
  scope.defer(async () => {
    await Promise.all([...started].map((each) => each[Symbol.asyncDispose]()));
  });
  options.before?.({ slack, service });
  let bot: Bot | null = await startOne();

  async function stop(): Promise<void> {
    if (bot !== null) {
      started.delete(bot);
      await bot[Symbol.asyncDispose]();
      bot = null;
    }
  }

  const owned = scope.move();
  const incidents = (): LocalMessage[] => slack.messages('incidents').filter(({ threadTs }) => threadTs === null);

  return {
    slack,
    service,
    database,
    get bot() {
      if (bot === null) {
        throw new Error('the bot is stopped');
      }
      return bot;
    },
    metrics: () => registry.metrics(),
    requestUrl,
    signingSecret: SIGNING_SECRET,
    startAnotherBot: startOne,
    async restartBot() {
      await stop();
      bot = await startOne();
    },
    stopBot: stop,
    cards: () => incidents().filter((message) => /^tocsin_(card|storm)$/.test(message.metadata?.event_type ?? '')),
    card: (pattern) => slack.waitFor(() => incidents().find((message) => pattern.test(message.text))),
    replies: ({ ts }) =>
      slack
        .messages('incidents')
        .filter(({ threadTs }) => threadTs === ts)
        .map(({ text }) => text),
    ephemeral: (person, pattern, where = 'incidents') =>
      slack.waitFor(() => slack.ephemerals(person, where).find((message) => pattern.test(message.text))),
    directMessage: (person, pattern) =>
      slack.waitFor(() => directMessages(slack, person).find((text) => pattern.test(text))),
    modal: (person, pattern = /^/) =>
      slack.waitFor(() =>
        slack.openViews(person).findLast(({ content }) => pattern.test(JSON.stringify(content.blocks))),
      ),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Calls Slack with the bot's token in #incidents, to simulate faults. */
export async function callSlack(team: BotTeam, method: string, args: object): Promise<Record<string, unknown>> {
  const response = await fetch(team.slack.apiUrl + method, {
    method: 'POST',
    headers: { authorization: `Bearer ${team.slack.botToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ channel: 'C0INCIDENT', ...args }),
  });
  return (await response.json()) as Record<string, unknown>;
}

/** What a check of `/readyz` reports; null: nothing, or there is no such check. */
export async function problemOf({ bot }: Pick<BotTeam, 'bot'>, check: string): Promise<string | null> {
  return (await bot.readiness()).find(({ name }) => name === check)?.detail ?? null;
}

/** Waits until the bot has found its channel and read the service, and nothing is wrong. */
export async function nothingToReport({ bot }: Pick<BotTeam, 'bot'>): Promise<void> {
  await eventually(async () => (await bot.readiness()).every(({ detail }) => detail === undefined));
}

/** Waits until `find` returns something, for state outside Slack. */
export function eventually<Result>(
  find: () => Result | Promise<Result>,
  timeoutMs = HANG_MS,
): Promise<NonNullable<Awaited<Result>>> {
  return vi.waitUntil(find, { timeout: timeoutMs, interval: 25 }) as Promise<NonNullable<Awaited<Result>>>;
}

/** Advances the clocks of the bot, of Slack and of the database. */
export async function advance({ database }: BotTeam, clock: TestClock, ms: number): Promise<void> {
  clock.skip(ms); // first, so that observations meanwhile do not seem to come from the future
  await advanceDatabaseClock(database, BOT_SCHEMA, ms);
  clock.wake();
}

/**
 * Waits until nothing is being sent to Slack and its answers are stored. A process that sends while a clock steps would
 * seem to have been paused for the whole step.
 */
export function sendingEnds(team: BotTeam): Promise<void> {
  return untilNone(team, `select from ${BOT_SCHEMA}.messages where leased_until is not null`);
}

/** Waits until nothing is left to be sent, also what pauses before it is sent again. */
export function nothingIsDue(team: BotTeam): Promise<void> {
  return untilNone(team, `select from ${BOT_SCHEMA}.messages where needs_redraw`);
}

async function untilNone({ database }: BotTeam, query: string): Promise<void> {
  const client = await database.connect();
  try {
    await eventually(async () => {
      const { rowCount } = await client.query(query);
      return rowCount === 0;
    });
  } finally {
    await client.end();
  }
}

/** Like `advance`, but waits before it until sending has ended. */
export async function leap(team: BotTeam, clock: TestClock, ms: number): Promise<void> {
  await sendingEnds(team);
  await advance(team, clock, ms);
}

/** Waits for what the bot sends only after a pause, such as a reminder, which waits for the poll that confirms it. */
export function whileTimePasses(
  team: BotTeam,
  clock: TestClock,
  isReached: () => boolean | Promise<boolean>,
): Promise<boolean> {
  return eventually(async () => {
    await leap(team, clock, 1_000);
    return isReached();
  });
}

function directMessages(slack: LocalSlack, person: string): string[] {
  const { id } = slack.as(person);
  return slack.calls
    .filter(({ method, args, verdict }) => method === 'chat.postMessage' && args.channel === id && verdict === 'ok')
    .map(({ args }) => String(args.text));
}
