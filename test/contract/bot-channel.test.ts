import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { migrations } from '../../src/bot/migrations.ts';
import { BOT_SCHEMA, type Tables } from '../../src/bot/tables.ts';
import { type BotTeam, type BotTeamOptions, eventually, nothingToReport, startBotTeam } from '../support/bot-team.ts';

/** Another channel that the bot has stored as `#incidents`. */
const ELSEWHERE = 'C0GENERAL1';
const UNKNOWN = 'C0DELETED1';

/** Restarts the bot after a change of its stored channel or workspace. */
async function startAgainAs(options: BotTeamOptions, facts: { channelId: string; teamId?: string }): Promise<BotTeam> {
  const team = await startBotTeam(options);
  await nothingToReport(team);
  team.service.openIncident({ service: 'payments' });
  await team.card(/payments/);
  await team.stopBot();
  const db = await team.database.open<Tables>(BOT_SCHEMA, migrations);
  await sql`
    insert into channels (channel_id, subscribed_as)
    select ${facts.channelId}, subscribed_as from channels where subscribed_as is not null
    on conflict do nothing`.execute(db);
  await sql`
    insert into rules (channel_id, filter, escalation, is_default)
    select ${facts.channelId}, filter, escalation, is_default from rules where is_default`.execute(db);
  await sql`update messages set channel_id = ${facts.channelId}`.execute(db);
  await sql`delete from channels where channel_id <> ${facts.channelId}`.execute(db);
  await sql`update installation set team_id = coalesce(${facts.teamId ?? null}, team_id)`.execute(db);
  await team.restartBot();
  return team;
}

const lookUps = (team: BotTeam) => team.slack.calls.filter(({ method }) => method === 'conversations.list').length;

it.each([
  ['has another id', ELSEWHERE],
  ['has the same id', 'C0INCIDENT'],
])('looks the channel up again in another workspace and posts new cards there, even if it %s', async (_, channelId) => {
  await using team = await startAgainAs({}, { channelId, teamId: 'T0BEFORE01' });

  await eventually(() => team.cards().length === 2);
  team.service.openIncident({ service: 'search' });
  await team.card(/search/);

  expect(team.cards().map(({ text }) => /payments|search/.exec(text)?.[0])).toEqual(['payments', 'payments', 'search']);
  expect(team.slack.messages('general')).toEqual([]);
});

it('finds a channel that was deleted and created again with the same name', async () => {
  await using team = await startAgainAs({}, { channelId: UNKNOWN });

  team.service.openIncident({ service: 'search' });

  await team.card(/search/);
  expect(lookUps(team)).toBe(2);
});

it('does not look up a known channel at every start, or while Slack does not return it', async () => {
  await using team = await startAgainAs({}, { channelId: 'C0INCIDENT' });
  team.slack.faults.next('conversations.info', { kind: 'error', error: 'internal_error' });

  await team.restartBot();
  team.service.openIncident({ service: 'search' });

  await team.card(/search/);
  expect(lookUps(team)).toBe(1);
});
