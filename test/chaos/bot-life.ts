import type { IncomingMessage, ServerResponse } from 'node:http';
import type { LocalSlack } from 'local-slack';
import { Agent } from 'undici';
import { type Bot, createBot } from '../../src/bot/bot.ts';
import { createServiceClient } from '../../src/client/service-client.ts';
import type { Database } from '../../src/database/database.ts';
import { type Clock, sleep } from '../../src/runtime/clock.ts';
import { silentLogger } from '../support/logger.ts';
import { openLosableDatabase } from '../support/losable-database.ts';

const NEVER = new Promise<never>(() => undefined);

/** Simulates one bot process. */
export interface BotLife extends AsyncDisposable {
  readonly database: Database;
  readonly isAlive: boolean;
  readonly requestListener: ((request: IncomingMessage, response: ServerResponse) => void) | null;
  /**
   * Simulates `kill -9`. Statements that were already sent to the database are executed, but the process gets no results.
   * Its requests are neither sent nor answered, and its timers never fire. The caller must close Slack's end of the
   * connections.
   */
  kill(): void;
}

export async function startBotLife(options: {
  slack: LocalSlack;
  service: { baseUrl: string; apiKey: string };
  databaseUrl: string;
  clock: Clock;
  signingSecret: string | null;
  /** Called with the text of an answer that Slack may have shown, and which the bot does not send again. */
  onUnclear: (text: string) => void;
}): Promise<BotLife> {
  const { slack, service } = options;
  let isAlive = true;
  const clock: Clock = {
    now: options.clock.now,
    after: (ms, work) => options.clock.after(ms, () => isAlive && work()),
  };
  await using scope = new AsyncDisposableStack();
  const database = scope.use(await openLosableDatabase(options.databaseUrl));
  const dispatcher = new Agent({ connections: 16 });
  scope.defer(() => dispatcher.destroy());
  const client = scope.use(
    createServiceClient({
      ...service,
      timeoutMs: 5_000,
      dispatcher,
      now: clock.now,
      elapsedMs: () => clock.now().getTime(),
      sleep: (ms, signal) => sleep(clock, ms, signal),
    }),
  );
  const bot: Bot = await createBot({
    slack: {
      apiUrl: slack.apiUrl,
      botToken: slack.botToken,
      appToken: options.signingSecret === null ? slack.appToken : null,
      signingSecret: options.signingSecret,
      fetch: async (url, init) => {
        const answer = isAlive
          ? await fetch(url, init).catch((error: unknown) => {
              if (isAlive && /\/response\/|chat\.postEphemeral$/.test(url.toString())) {
                options.onUnclear(textIn(init?.body));
              }
              return isAlive ? raise(error) : NEVER;
            })
          : NEVER;
        return isAlive ? answer : NEVER;
      },
    },
    service: client,
    serviceId: service.baseUrl,
    database,
    logger: silentLogger,
    clock,
    channel: '#incidents',
    pollMs: 5_000,
  });
  const owned = scope.move();
  void bot.start();

  return {
    database,
    get isAlive() {
      return isAlive;
    },
    requestListener: bot.requestListener,
    kill() {
      isAlive = false;
      database.abandon();
      void dispatcher.destroy();
    },
    async [Symbol.asyncDispose]() {
      if (isAlive) {
        await bot[Symbol.asyncDispose]();
      }
      await owned.disposeAsync();
    },
  };
}

/** The text of a message, in JSON or in the form of a call. */
function textIn(body: string | FormData | undefined): string {
  const sent = typeof body === 'string' ? body : '';
  const text: unknown = sent.startsWith('{')
    ? Reflect.get(JSON.parse(sent), 'text')
    : new URLSearchParams(sent).get('text');
  return typeof text === 'string' ? text : '';
}

function raise(error: unknown): never {
  throw error;
}
