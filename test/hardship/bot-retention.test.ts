import { Client } from 'pg';
import { expect, it } from 'vitest';
import { BOT_SCHEMA } from '../../src/bot/tables.ts';
import { type BotTeam, eventually, nothingIsDue, startBotTeam } from '../support/bot-team.ts';
import { advanceDatabaseClock } from '../support/database-clock.ts';

const DAY_MS = 24 * 60 * 60_000;

async function countStored({ database }: BotTeam): Promise<string> {
  const client = new Client({ connectionString: database.url, options: `-c search_path=${BOT_SCHEMA}` });
  await client.connect();
  try {
    const { rows } = await client.query<{ stored: string }>(
      "select (select count(*) from incidents) || ' incidents, ' || count(*) || ' cards' as stored from messages where kind = 'card'",
    );
    return rows[0]?.stored ?? '';
  } finally {
    await client.end();
  }
}

it('forgets closed incidents after the retention, and makes no second card of what the service still lists', async () => {
  await using team = await startBotTeam({ retentionDays: 400 });
  const old = team.service.openIncident({ service: 'payments' });
  await team.card(/payments/);
  team.service.closeIncident(old);
  await team.card(/payments.*Closed/is);
  await nothingIsDue(team);
  await team.stopBot();

  await advanceDatabaseClock(team.database, BOT_SCHEMA, 401 * DAY_MS);
  await team.restartBot();
  const forgotten = await eventually(async () => (await countStored(team)).startsWith('0 ') && countStored(team));
  team.service.openIncident({ service: 'orders' });
  await team.card(/orders/);

  expect(forgotten).toBe('0 incidents, 0 cards');
  expect(await countStored(team)).toBe('1 incidents, 1 cards');
  expect(team.cards()).toHaveLength(2);
});
