import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { describe, expect, it } from 'vitest';
import { EVERYTHING } from '../../src/bot/domain/rule.ts';
import { createStore } from '../../src/bot/store/store.ts';
import { Incident } from '../../src/contract/resources.ts';
import { type BotTeam, eventually, leap, startBotTeam } from '../support/bot-team.ts';
import { createTestClock, type TestClock } from '../support/test-clock.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const MINUTE_MS = 60_000;

/** The bot and Tocsin's own service, which offers mutes. A rule mentions a user group after ten minutes. */
async function withTeam(run: (team: BotTeam, service: TestService, clock: TestClock) => Promise<void>): Promise<void> {
  await using service = await startTestService();
  const server = createAdaptorServer({ fetch: (request) => service.service.fetch(request) });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clock = createTestClock();
  try {
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    await using team = await startBotTeam({ now: clock.now, service: { baseUrl, apiKey: service.readWriteKey } });
    await eventually(async () => (await team.bot.readiness()).every(({ ready }) => ready));
    const id = team.slack.as('ana').setUserGroup('on-call', ['ana']);
    const { rules } = await createStore(team.database);
    const escalation = [{ afterMinutes: 10, target: { kind: 'group', id } }] as const;
    const settings = { channelId: 'C0INCIDENT', filter: EVERYTHING, escalation, quietHours: null, handover: null };
    await rules.save(null, settings, 'U1');
    await run(team, service, clock);
  } finally {
    server.close();
  }
}

async function read(service: TestService, id: string): Promise<Incident> {
  return Incident.parse(await (await service.call('GET', `/incidents/${id}`)).json());
}

const reminders = (team: BotTeam): string[] =>
  team.slack
    .messages('incidents')
    .filter(({ metadata }) => metadata?.event_type === 'tocsin_reminder')
    .map(({ text }) => text);

describe('a snoozed incident', () => {
  it('is reminded of only after the snooze, and the service knows who snoozed it and why', () =>
    withTeam(async (team, service, clock) => {
      await service.failIn(['payments']);
      const { id, number } = await service.openIncident();
      const card = await team.card(/payments/);

      await team.slack.as('ana').command('incidents', `/incidents snooze #${number} 1h waiting for the vendor`);
      await team.told('ana', /You snoozed .*payments.* until/);
      await leap(team, clock, 30 * MINUTE_MS);
      service.advance(30 * MINUTE_MS);
      const { mute } = await read(service, id);
      await team.restartBot();
      await leap(team, clock, 20 * MINUTE_MS);
      service.advance(20 * MINUTE_MS);
      const during = reminders(team);
      await leap(team, clock, 20 * MINUTE_MS);
      service.advance(20 * MINUTE_MS);
      await eventually(() => reminders(team).length > 0);

      expect(mute).toMatchObject({
        target: 'incident',
        created_by: 'ana@example.com',
        reason: 'waiting for the vendor',
      });
      expect(during).toEqual([]);
      expect(team.replies(card).filter((text) => text.startsWith('Nobody'))).toHaveLength(1);
    }));

  it('can be snoozed by a button, after the command asked for how long', () =>
    withTeam(async (team, service) => {
      await service.failIn(['payments']);
      const { id, number } = await service.openIncident();
      await team.card(/payments/);

      await team.slack.as('ana').command('incidents', `/incidents snooze #${number}`);
      await team.slack.as('ana').click(await team.told('ana', /For how long/), 'Until tomorrow');
      await team.told('ana', /You snoozed/);

      const hour = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'Europe/Lisbon' });
      expect(hour.format(new Date((await read(service, id)).mute?.until ?? ''))).toBe('09:00');
    }));
});

describe('a service that is muted for planned work', () => {
  it('has no cards and reminders until the mute is over', () =>
    withTeam(async (team, service, clock) => {
      const until = new Date(clock.now().getTime() + 60 * MINUTE_MS).toISOString();
      const mute = { target: 'service', value: 'payments', until, reason: 'planned work', user: 'ana' };
      const created = await service.call('POST', '/mutes', { body: mute });
      await service.failIn(['payments']);
      await service.openIncident();
      await service.failIn(['search']);
      await team.card(/search/);
      const { incidents } = await createStore(team.database);
      await eventually(async () => (await incidents.openIds()).length === 2);
      const during = team.cards().map(({ text }) => /payments|search/.exec(text)?.[0]);

      await leap(team, clock, 61 * MINUTE_MS);
      service.advance(61 * MINUTE_MS);
      await team.card(/payments/);

      expect(created.status).toBe(201);
      expect(during).toEqual(['search']);
    }));
});

it('says that a service without mutes does not offer it', async () => {
  await using team = await startBotTeam();
  const id = team.service.openIncident({ service: 'payments' });
  await team.card(/payments/);

  await team.slack.as('ana').command('incidents', `/incidents snooze ${id}`);
  await team.told('ana', /does not offer to snooze/);
  await team.slack.as('ana').command('incidents', `/incidents snooze ${id} 1h`);

  const { text } = await team.told('ana', /refused the request/);

  expect(text).toContain('it does not offer this');
});
