import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { type LocalSlack, startLocalSlack } from 'local-slack';
import { Client } from 'pg';
import { expect, it, vi } from 'vitest';
import { INCIDENTS_CHANNEL } from '../../src/local-slack.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type StrangerService, startStrangerService } from '../support/stranger-service.ts';
import { startTocsin } from '../support/tocsin-process.ts';
import { cardsIn } from './run-plan.ts';

const MANIFEST = fileURLToPath(new URL('../../manifest.yml', import.meta.url));
/** How many calls each process makes to Slack, after it has signed in, before it is killed. */
const [CALLS_BEFORE_DEATH = []] = fc.sample(fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 3, maxLength: 3 }), {
  seed: 20_261_121,
  numRuns: 1,
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

it('leaves one true card of each incident though three processes are killed while they post', {
  timeout: 180_000,
}, async () => {
  await using database = await createTestDatabase();
  await using service = await startStrangerService({ shape: 'plain' });
  await using slack = await startLocalSlack({
    manifestPath: MANIFEST,
    channel: INCIDENTS_CHANNEL,
    port: 0,
    delivery: { mode: 'socket' },
  });
  const settings = settingsOf(slack, service, database);
  const cardCalls = () => slack.calls.filter(({ method }) => /^(chat|conversations\.history)/.test(method)).length;
  const incidents: string[] = [];

  for (const calls of CALLS_BEFORE_DEATH) {
    await using bot = await startTocsin(settings, ['bot']);
    for (const name of ['checkout', 'search', 'ledger']) {
      incidents.push(service.openIncident({ service: name }));
    }
    const before = cardCalls();
    await slack.waitFor(() => cardCalls() >= before + calls, 40_000);
    await bot.stop('SIGKILL');
  }
  const [closed = ''] = incidents;
  service.closeIncident(closed);
  await using _bot = await startTocsin(settings, ['bot']);

  const isTrue = (id: string) => {
    const cards = cardsIn(slack).filter(({ metadata }) => metadata?.event_payload.incident_id === id);
    return cards.length === 1 && cards.every(({ text }) => text.includes(': Closed') === (id === closed));
  };
  await slack.waitFor(() => incidents.every(isTrue), 90_000);
  expect(cardsIn(slack)).toHaveLength(incidents.length);
});

it('loses no click that is acknowledged, though the process is killed before the database has taken it', {
  timeout: 60_000,
}, async () => {
  await using database = await createTestDatabase();
  await using service = await startStrangerService({ shape: 'plain' });
  await using slack = await startLocalSlack({
    manifestPath: MANIFEST,
    channel: INCIDENTS_CHANNEL,
    port: 0,
    delivery: { mode: 'socket' },
  });
  const incidentId = service.openIncident({ service: 'checkout' });
  await using bot = await startTocsin(settingsOf(slack, service, database), ['bot']);
  await slack.waitFor(() => cardsIn(slack).length === 1, 40_000);
  const db = new Client({ connectionString: database.url });
  await db.connect();
  const kept = async () => (await db.query('select incident_id from bot.actions')).rows;

  const [card] = cardsIn(slack);
  if (card === undefined) {
    throw new Error('the card is gone');
  }
  await db.query('begin; lock table bot.actions');
  const { ack } = await slack.as('ana').click(card, 'Acknowledge');
  await bot.stop('SIGKILL');
  const keptAtDeath = await kept();
  await db.query('commit');

  expect([ack?.kind, keptAtDeath]).toEqual(['acked', []]);
  await vi.waitFor(async () => expect(await kept()).toEqual([{ incident_id: incidentId }]), 5_000);
  await db.end();
});
