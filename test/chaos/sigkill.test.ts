import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { type LocalSlack, startLocalSlack } from 'local-slack';
import { Client } from 'pg';
import { expect, it } from 'vitest';
import { INCIDENTS_CHANNEL } from '../../src/app/local-slack.ts';
import { BOT_SCHEMA } from '../../src/bot/tables.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { advanceDatabaseClock } from '../support/database-clock.ts';
import { rounds } from '../support/rounds.ts';
import { type StrangerService, startStrangerService } from '../support/stranger-service.ts';
import { startTocsin } from '../support/tocsin-process.ts';
import { answersTo } from './people.ts';
import { cardsIn } from './run-plan.ts';

const MANIFEST = fileURLToPath(new URL('../../manifest.yml', import.meta.url));
/** Of an action that is being sent. */
const LEASE_MS = 60_000;
/** How many calls each process makes to Slack, after it has signed in, before it is killed. */
const CALLS_BEFORE_DEATH = fc.sample(fc.integer({ min: 1, max: 3 }), {
  seed: 20_261_121,
  numRuns: rounds({ gate: 2, weekly: 3 }), // three incidents each: more are gathered as a storm
});

function settingsOf(slack: LocalSlack, service: StrangerService, database: TestDatabase): Record<string, string> {
  return {
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_APP_TOKEN: slack.appToken,
    SLACK_API_URL: slack.apiUrl,
    INCIDENTS_BASE_URL: service.baseUrl,
    INCIDENTS_API_KEY: service.apiKey,
    INCIDENTS_CHANNEL: '#incidents',
    DATABASE_URL: database.url,
    LOG_LEVEL: 'fatal',
  };
}

function startSlack(): Promise<LocalSlack> {
  return startLocalSlack({
    manifestPath: MANIFEST,
    channel: INCIDENTS_CHANNEL,
    port: 0,
    delivery: { mode: 'socket' },
  });
}

it('leaves one true card of each incident though one process after the other is killed while it posts', async () => {
  await using database = await createTestDatabase();
  await using service = await startStrangerService({ shape: 'plain' });
  await using slack = await startSlack();
  const settings = settingsOf(slack, service, database);
  const cardCalls = () => slack.calls.filter(({ method }) => /^(chat|conversations\.history)/.test(method)).length;
  const incidents: string[] = [];

  for (const calls of CALLS_BEFORE_DEATH) {
    await using bot = await startTocsin(settings, ['bot']);
    for (const name of ['checkout', 'search', 'ledger']) {
      incidents.push(service.openIncident({ service: name }));
    }
    const before = cardCalls();
    await slack.waitFor(() => cardCalls() >= before + calls);
    await bot.stop('SIGKILL');
  }
  const [closed = ''] = incidents;
  service.closeIncident(closed);
  await using _bot = await startTocsin(settings, ['bot']);

  const isTrue = (id: string) => {
    const cards = cardsIn(slack).filter(({ metadata }) => metadata?.event_payload.incident_id === id);
    return cards.length === 1 && cards.every(({ text }) => text.includes('Closed') === (id === closed));
  };
  await slack.waitFor(() => incidents.every(isTrue));
  expect(cardsIn(slack)).toHaveLength(incidents.length);
});

/** A process that has shown the card of one incident. */
async function startWithCard(slack: LocalSlack, service: StrangerService, database: TestDatabase) {
  const incidentId = service.openIncident({ service: 'checkout' });
  const bot = await startTocsin(settingsOf(slack, service, database), ['bot']);
  await slack.waitFor(() => cardsIn(slack).length === 1);
  const [card] = cardsIn(slack);
  if (card === undefined) {
    throw new Error('the card is gone');
  }
  return { incidentId, bot, card };
}

/** The next process finds expired leases, and a Slack that works. */
async function startNext(slack: LocalSlack, service: StrangerService, database: TestDatabase) {
  slack.faults.clear();
  await advanceDatabaseClock(database, BOT_SCHEMA, LEASE_MS + 1_000);
  return startTocsin(settingsOf(slack, service, database), ['bot']);
}

it('closes an incident with the note of a process that was killed right after its acknowledgement', async () => {
  await using database = await createTestDatabase();
  await using service = await startStrangerService({ shape: 'plain' });
  await using slack = await startSlack();
  const { incidentId, bot } = await startWithCard(slack, service, database);
  await using _bot = bot;
  slack.faults.next('users.info', { kind: 'latency', ms: 60_000 });

  const { ack } = await slack.as('ana').command('incidents', `/incidents resolve ${incidentId} rolled back 1.2.3`);
  await bot.stop('SIGKILL');
  const isSent = service.incident(incidentId).status === 'closed';
  await using _next = await startNext(slack, service, database);

  await slack.waitFor(() => answersTo(slack, 'ana').some((text) => text.includes('You closed')));
  expect([ack?.kind, isSent]).toEqual(['acked', false]);
  expect(service.incident(incidentId)).toMatchObject({ status: 'closed', resolutionNote: 'rolled back 1.2.3' });
});

it('acknowledges an incident for the click of a process that was killed right after its acknowledgement', async () => {
  await using database = await createTestDatabase();
  await using service = await startStrangerService({ shape: 'plain' });
  await using slack = await startSlack();
  const { incidentId, bot, card } = await startWithCard(slack, service, database);
  await using _bot = bot;
  slack.faults.next('users.info', { kind: 'latency', ms: 60_000 });

  const { ack } = await slack.as('ana').click(card, 'Acknowledge');
  await bot.stop('SIGKILL');
  const isSent = service.incident(incidentId).acknowledgedBy !== null;
  await using _next = await startNext(slack, service, database);

  await slack.waitFor(() => answersTo(slack, 'ana').some((text) => text.includes('You acknowledged')));
  expect([ack?.kind, isSent]).toEqual(['acked', false]);
  expect(service.incident(incidentId).acknowledgedBy).toBe('ana@example.com');
});

it('acknowledges no click that the database has not taken, so that a kill loses nothing in silence', async () => {
  await using database = await createTestDatabase();
  await using service = await startStrangerService({ shape: 'plain' });
  await using slack = await startSlack();
  const { bot, card } = await startWithCard(slack, service, database);
  await using _bot = bot;
  const db = new Client({ connectionString: database.url });
  await db.connect();
  await using _connection = { [Symbol.asyncDispose]: () => db.end() };

  await db.query('begin; lock table bot.actions');
  const { ack, shown } = await slack.as('ana').click(card, 'Acknowledge');
  const kept = await db.query('select incident_id from bot.actions');
  await bot.stop('SIGKILL');

  expect([ack?.kind, kept.rows]).toEqual(['timeout', []]);
  expect(shown).toMatch(/did not respond/);
});
