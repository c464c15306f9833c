import { createRealClock } from 'local-slack';
import { BOT_SCHEMA } from '../../src/bot/store/tables.ts';
import { startStrangerService } from '../../test/support/stranger-service.ts';
import { type Finding, thousands } from '../numbers.ts';
import { MEMORY_OPTIONS, type Program, startProgram } from '../programs.ts';
import { type ScratchCluster, withConnection } from '../scratch-cluster.ts';
import { CHANNEL, startSlackForApp } from '../slack-app.ts';
import type { FastBotOrder } from './fast-bot.ts';
import { createFastClock } from './fast-clock.ts';

const GOAL_RATIO = 1.1;
/** Fewer than a storm needs. */
const AT_ONCE = 10;
/** One real second is half an hour, so that storms and rate limits play no role. */
const SPEED = 2_000;
const WAIT_MS = 60_000;

interface Size {
  readonly cards: number;
  /** Memory of the bot's process after a garbage collection, in bytes. */
  readonly rss: number;
  readonly heap: number;
  /** Size of the bot's tables and indexes, in bytes, minus their size without cards. */
  readonly tables: number;
}

/** Measures the bot's memory and tables at a tenth of the cards and at all. Each incident opens, gets its card and is closed. */
export async function measureGrowth(cluster: ScratchCluster, cards: number): Promise<Finding[]> {
  const databaseUrl = await cluster.createDatabase('growth');
  const time = { sinceMs: Date.now(), speed: SPEED };
  await using service = await startStrangerService({ shape: 'plain' });
  await using theirs = await startSlackForApp('signed HTTP', createRealClock(createFastClock(time)));
  await using bot = startProgram(new URL('./fast-bot.ts', import.meta.url), ['--expose-gc', ...MEMORY_OPTIONS]);
  const { slack, app } = theirs;
  await bot.ask({ app, channel: CHANNEL, service, databaseUrl, time } satisfies FastBotOrder);
  const empty = await sizeOfTables(databaseUrl);
  const cardsIn = () => slack.messages(CHANNEL).filter(({ threadTs }) => threadTs === null);
  const showUntil = async (count: number): Promise<Size> => {
    while (cardsIn().length < count) {
      const shown = cardsIn().length;
      const ids = Array.from({ length: AT_ONCE }, (_, number) =>
        service.openIncident({ service: `service-${number}` }),
      );
      await slack.waitFor(() => cardsIn().length === shown + AT_ONCE, WAIT_MS);
      for (const id of ids) {
        service.closeIncident(id);
      }
      const isTold = () =>
        cardsIn()
          .slice(shown)
          .every(({ revision }) => revision > 0);
      await slack.waitFor(isTold, WAIT_MS);
    }
    return { cards: count, tables: (await sizeOfTables(databaseUrl)) - empty, ...(await sizeOfProcess(bot)) };
  };
  const few = await showUntil(cards / 10);
  const many = await showUntil(cards);
  return [
    describe('bytes of the tables per card', many, few, ({ tables, cards: of }) => tables / of),
    describe('bytes of the process (RSS)', many, few, ({ rss }) => rss),
    describe('bytes of its heap', many, few, ({ heap }) => heap),
  ];
}

async function sizeOfTables(databaseUrl: string): Promise<number> {
  return withConnection(databaseUrl, BOT_SCHEMA, async (client) => {
    const { rows } = await client.query<{ bytes: string }>(
      `select sum(pg_total_relation_size(oid)) as bytes from pg_class
      where relkind = 'r' and relnamespace = current_schema()::regnamespace`,
    );
    return Number(rows[0]?.bytes);
  });
}

async function sizeOfProcess(bot: Program): Promise<{ rss: number; heap: number }> {
  const { rss, heapUsed } = await bot.ask<NodeJS.MemoryUsage>({});
  return { rss, heap: heapUsed };
}

function describe(name: string, many: Size, few: Size, of: (size: Size) => number): Finding {
  const ratio = of(many) / of(few);
  return {
    what: `${name}, at ${thousands(many.cards)} cards`,
    measured: thousands(of(many)),
    baseline: `${thousands(of(few))} at ${thousands(few.cards)}`,
    ratio: ratio.toFixed(2),
    goal: { text: `ratio at most ${GOAL_RATIO}`, isMet: ratio <= GOAL_RATIO },
  };
}
