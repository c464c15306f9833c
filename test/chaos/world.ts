import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { addMilliseconds } from 'date-fns/addMilliseconds';
import { addMinutes } from 'date-fns/addMinutes';
import { startOfMinute } from 'date-fns/startOfMinute';
import { type LocalSlack, startLocalSlack } from 'local-slack';
import { Client } from 'pg';
import { INCIDENTS_CHANNEL } from '../../src/app/local-slack.ts';
import { EVERYTHING, type RuleSettings } from '../../src/bot/rooms/rules/rule.ts';
import { createStore } from '../../src/bot/store.ts';
import { BOT_SCHEMA } from '../../src/bot/tables.ts';
import { createTestDatabase } from '../support/database.ts';
import { stopDatabaseClock } from '../support/database-clock.ts';
import { type StrangerService, startStrangerService } from '../support/stranger-service.ts';
import { type BotLife, startBotLife } from './bot-life.ts';
import { createIdleWatch } from './idle.ts';
import { createLeapingClock, type LeapingClock } from './leaping-clock.ts';
import type { Plan } from './plan.ts';

const MANIFEST = fileURLToPath(new URL('../../manifest.yml', import.meta.url));
const SIGNING_SECRET = 'a-signing-secret-of-the-tests';
const BOTS = 2;

/** A channel with a rule of its own. The bot is not a member of it at first. */
export const OTHER_CHANNEL = { id: 'C0GENERAL1', name: 'general', services: 'checkout*' } as const;
/** Short, so that reminders are due while things fail. */
export const REMIND_MINUTES = 0.5;

export type Transport = 'socket' | 'http';

/** Two bots with one database, a local Slack and a service, all on one clock that stands still, the database's too. */
export interface World extends AsyncDisposable {
  readonly clock: LeapingClock;
  readonly slack: LocalSlack;
  readonly service: StrangerService;
  readonly shape: Plan['shape'];
  /** When the rule of #incidents wants its handover. */
  readonly handoverAt: Date;
  /** Texts of answers that Slack may have shown when its connection broke. */
  readonly unclear: readonly string[];
  /** Reads the bot's tables. */
  query<Row extends object>(statement: string): Promise<Row[]>;
  /** Advances the time and waits until all parts are idle. */
  pass(ms: number): Promise<void>;
  startMissingBots(): Promise<void>;
  /** Simulates `kill -9` of a running bot, after a number of turns of the event loop. */
  killBot(pick: number, turns: number): Promise<void>;
}

export async function startWorld(transport: Transport, shape: Plan['shape']): Promise<World> {
  await using scope = new AsyncDisposableStack();
  const idle = scope.use(createIdleWatch());
  const clock = createLeapingClock(new Date());
  const database = scope.use(await createTestDatabase());
  const reader = new Client({ connectionString: database.url, options: `-c search_path=${BOT_SCHEMA}` });
  await reader.connect();
  scope.defer(() => reader.end());
  const service = scope.use(
    await startStrangerService(shape === 'added' ? { shape: 'plain', additionsNow: clock.now } : { shape }),
  );
  const unclear: string[] = [];
  let lives: BotLife[] = [];
  const alive = () => lives.filter(({ isAlive }) => isAlive);
  let turn = 0;
  const front = createServer((request, response) => {
    turn += 1;
    const listener = alive()[turn % Math.max(1, alive().length)]?.requestListener ?? null;
    if (listener === null) {
      request.socket.destroy();
    } else {
      listener(request, response);
    }
  });
  front.listen(0, '127.0.0.1');
  await once(front, 'listening');
  scope.defer(() => {
    front.close();
    front.closeAllConnections();
  });
  const requestUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}/slack/events`;
  const slack = scope.use(
    await startLocalSlack({
      manifestPath: MANIFEST,
      channel: INCIDENTS_CHANNEL,
      port: 0,
      clock,
      delivery:
        transport === 'socket' ? { mode: 'socket' } : { mode: 'http', requestUrl, signingSecret: SIGNING_SECRET },
    }),
  );
  scope.defer(async () => {
    await Promise.all(lives.map((life) => life[Symbol.asyncDispose]()));
  });

  let starting = Promise.resolve();
  function startMissingBots(): Promise<void> {
    starting = starting.then(startMissing);
    return starting;
  }

  async function startMissing(): Promise<void> {
    while (alive().length < BOTS) {
      const life = await startBotLife({
        slack,
        service: { baseUrl: service.baseUrl, apiKey: service.apiKey },
        databaseUrl: database.url,
        clock,
        signingSecret: transport === 'http' ? SIGNING_SECRET : null,
        onUnclear: (text) => unclear.push(text),
      });
      lives = [...lives, life];
    }
  }

  async function leap(ms: number): Promise<void> {
    await stopDatabaseClock(database, BOT_SCHEMA, addMilliseconds(clock.now(), ms));
    clock.leap(ms);
  }

  await startMissingBots();
  const settle = () => idle.settle(alive().map((life) => life.database));
  await settle();
  await leap(Date.now() - clock.now().getTime()); // the database's clock has gone on until here
  const group = slack.as('ana').setUserGroup('on-call', ['ana', 'ben']);
  const handoverAt = startOfMinute(addMinutes(clock.now(), 2));
  await makeRules(lives, group, handoverAt);
  for (const person of ['ana', 'ben']) {
    await slack.as(person).message('general', `${person} writes a message`); // to be added to incidents as a note
  }
  await settle();
  const owned = scope.move();

  return {
    clock,
    slack,
    service,
    shape,
    handoverAt,
    unclear,
    query: async <Row extends object>(statement: string) => (await reader.query<Row>(statement)).rows,
    async pass(ms) {
      await settle();
      await leap(ms);
      await starting;
      await settle();
    },
    startMissingBots,
    async killBot(pick, turns) {
      const victim = alive()[pick % Math.max(1, alive().length)];
      for (let passed = 0; passed < turns; passed += 1) {
        await setImmediate();
      }
      victim?.kill();
      slack.disconnectSockets();
      front.closeAllConnections();
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** #incidents reminds a user group and then its members; another channel wants some of the incidents. */
async function makeRules([life]: readonly BotLife[], group: string, handoverAt: Date): Promise<void> {
  if (life === undefined) {
    throw new Error('no bot is running');
  }
  const { rules } = await createStore(life.database);
  const settings: RuleSettings = {
    channelId: 'C0INCIDENT',
    filter: EVERYTHING,
    escalation: [
      { afterMinutes: REMIND_MINUTES, target: { kind: 'group', id: group } },
      { afterMinutes: REMIND_MINUTES, target: { kind: 'members', id: group } },
    ],
    quietHours: null,
    handover: { at: handoverAt.toISOString().slice(11, 16), timeZone: 'UTC' },
  };
  await rules.save(null, settings, 'U1');
  const filter = { ...EVERYTHING, services: [OTHER_CHANNEL.services] };
  await rules.save(null, { ...settings, channelId: OTHER_CHANNEL.id, filter, escalation: [], handover: null }, 'U1');
}
