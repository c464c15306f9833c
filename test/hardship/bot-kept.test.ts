import { sql } from 'kysely';
import { Client } from 'pg';
import { describe, expect, it } from 'vitest';
import { migrations } from '../../src/bot/migrations.ts';
import { BOT_SCHEMA, type Tables } from '../../src/bot/tables.ts';
import { type BotTeam, startBotTeam } from '../support/bot-team.ts';
import type { TestDatabase } from '../support/database.ts';
import { createLosableDatabase } from '../support/losable-database.ts';

const NOTE = 'rolled back  1.2.3 & <restarted>';

async function openAndShown(team: BotTeam) {
  const id = team.service.openIncident({ service: 'payments' });
  return { id, card: await team.card(/payments/) };
}

async function keptActions(team: BotTeam) {
  const db = await team.database.open<Tables>(BOT_SCHEMA, migrations);
  const { rows } = await sql<{
    kind: string;
    note: string | null;
  }>`select kind, data->>'note' as note from actions`.execute(db);
  return rows;
}

/** Whether Slack has answered who somebody is. */
function isLookedUp(team: BotTeam): boolean {
  return team.slack.calls.some(({ method }) => method === 'users.info');
}

/** Locks the table of actions until disposed. */
async function lockActions(database: TestDatabase): Promise<AsyncDisposable> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query(`begin; lock table ${BOT_SCHEMA}.actions`);
  return {
    async [Symbol.asyncDispose]() {
      await client.query('commit');
      await client.end();
    },
  };
}

describe('while the look-up of people hangs', () => {
  it('a note is stored and then acknowledged, without waiting for the look-up', async () => {
    await using team = await startBotTeam();
    const { id } = await openAndShown(team);
    team.slack.faults.next('users.info', { kind: 'latency', ms: 10_000 });

    const { ack } = await team.slack.as('ana').command('incidents', `/incidents resolve ${id} ${NOTE}`);
    const [wasLookedUp, kept] = [isLookedUp(team), await keptActions(team)];

    expect([ack?.kind, kept]).toEqual(['acked', [{ kind: 'resolve', note: NOTE }]]);
    expect(wasLookedUp).toBe(false);
    await team.ephemeral('ana', /You closed/);
  });

  it('a click on Acknowledge is stored and then acknowledged', async () => {
    await using team = await startBotTeam();
    const { card } = await openAndShown(team);
    team.slack.faults.next('users.info', { kind: 'latency', ms: 10_000 });

    const { ack } = await team.slack.as('ana').click(card, 'Acknowledge');
    const [wasLookedUp, kept] = [isLookedUp(team), await keptActions(team)];

    expect([ack?.kind, kept]).toEqual(['acked', [{ kind: 'acknowledge', note: null }]]);
    expect(wasLookedUp).toBe(false);
    await team.ephemeral('ana', /You acknowledged/);
  });
});

describe.each([
  {
    trouble: 'the table is locked',
    begin: async () => ({ database: null, strike: lockActions }),
  },
  {
    trouble: 'the database is away',
    begin: async () => {
      const database = await createLosableDatabase();
      return {
        database,
        strike: async (): Promise<AsyncDisposable> => {
          database.lose();
          return { [Symbol.asyncDispose]: async () => undefined };
        },
      };
    },
  },
])('while $trouble', ({ begin }) => {
  it('a note typed after the command is returned unchanged', async () => {
    const { database, strike } = await begin();
    await using _database = database;
    await using team = await startBotTeam(database === null ? {} : { database });
    const { id } = await openAndShown(team);
    await using _trouble = await strike(team.database);

    const { ack } = await team.slack.as('ana').command('incidents', `/incidents resolve ${id} ${NOTE}`);

    const answer = await team.ephemeral('ana', /Your note could not be saved in time/);
    expect(ack?.kind).toBe('acked');
    expect(JSON.stringify(answer.blocks)).toContain(NOTE);
    expect(team.service.incident(id).status).toBe('open');
  });

  it('a declaration in one line is returned unchanged', async () => {
    const { database, strike } = await begin();
    await using _database = database;
    await using team = await startBotTeam(database === null ? {} : { database });
    await openAndShown(team);
    await using _trouble = await strike(team.database);

    const { ack } = await team.slack.as('ana').command('incidents', '/incidents declare search nothing is *found*');

    const answer = await team.ephemeral('ana', /Your declaration could not be saved in time/);
    expect(ack?.kind).toBe('acked');
    expect(JSON.stringify(answer.blocks)).toContain('nothing is *found*');
  });

  it('a form stays open and says so', async () => {
    const { database, strike } = await begin();
    await using _database = database;
    await using team = await startBotTeam(database === null ? {} : { database });
    const { card } = await openAndShown(team);
    await team.slack.as('ana').click(card, 'Resolve');
    const form = await team.modal('ana');
    await using _trouble = await strike(team.database);

    const { errors } = await team.slack.as('ana').submit(form, { 'Resolution note': NOTE });

    expect(Object.values(errors)).toEqual([expect.stringContaining("can't be saved right now")]);
    expect(team.slack.openViews('ana')).toHaveLength(1);
  });

  it('a click is not acknowledged, so that Slack shows an error', async () => {
    const { database, strike } = await begin();
    await using _database = database;
    await using team = await startBotTeam(database === null ? {} : { database });
    const { id, card } = await openAndShown(team);
    await using _trouble = await strike(team.database);

    const { ack, shown } = await team.slack.as('ana').click(card, 'Acknowledge');

    expect(ack?.kind).not.toBe('acked');
    expect(shown).toMatch(/did not respond/);
    expect(team.service.incident(id).acknowledgedBy).toBeNull();
  });
});
