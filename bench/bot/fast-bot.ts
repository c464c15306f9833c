import { type Kysely, sql } from 'kysely';
import { pino } from 'pino';
import { createBot } from '../../src/bot/bot.ts';
import { migrations } from '../../src/bot/store/migrations.ts';
import { BOT_SCHEMA } from '../../src/bot/store/tables.ts';
import { createServiceClient } from '../../src/client/service-client.ts';
import { openDatabase } from '../../src/database/database.ts';
import { createRealClock } from '../../src/runtime/clock.ts';
import type { AppSettings } from '../slack-app.ts';
import { createFastClock, type FastTime } from './fast-clock.ts';

/** Runs the bot on a fast clock, so that ten thousand cards at Slack's rate take minutes, and reports its memory use. */

export interface FastBotOrder {
  readonly app: AppSettings;
  readonly channel: string;
  readonly service: { readonly baseUrl: string; readonly apiKey: string };
  readonly databaseUrl: string;
  readonly time: FastTime;
}

const POLL_MS = 20;

process.once('message', (order: FastBotOrder) => {
  void run(order);
});

async function run({ app, channel, service, databaseUrl, time }: FastBotOrder): Promise<void> {
  const logger = pino({ level: 'error' }, pino.destination(2));
  await using database = await openDatabase({ url: databaseUrl, dataDir: '', logger });
  await using client = createServiceClient(service);
  await using bot = await createBot({
    slack: { ...app, appToken: null },
    service: client,
    serviceId: service.baseUrl,
    database,
    logger,
    clock: createRealClock(createFastClock(time)),
    channel: `#${channel}`,
    pollMs: POLL_MS,
  });
  await speedUpDatabase(await database.open(BOT_SCHEMA, migrations), time);
  await bot.start();
  process.on('message', () => {
    globalThis.gc?.();
    process.send?.(process.memoryUsage());
  });
  process.send?.({ isStarted: true });
  await new Promise((resolve) => process.once('disconnect', resolve));
}

/** Speeds up the clock of the database, which times leases, retries and limits. */
async function speedUpDatabase(db: Kysely<unknown>, { sinceMs, speed }: FastTime): Promise<void> {
  const now = `to_timestamp((${sinceMs} + (extract(epoch from statement_timestamp()) * 1000 - ${sinceMs}) * ${speed}) / 1000)`;
  await sql`
    create or replace function clock_now() returns timestamptz language sql stable as ${sql.lit(`select ${now}`)}`.execute(
    db,
  );
}
