import { describe, expect, it } from 'vitest';
import { LISTS_BUTTONS } from '../../src/bot/rooms/lists/ids.ts';
import { EVERYTHING } from '../../src/bot/rooms/rules/rule.ts';
import { createStore } from '../../src/bot/store.ts';
import { Incident } from '../../src/contract/resources.ts';
import { type BotTeam, eventually, leap, nothingToReport, startBotTeam } from '../support/bot-team.ts';
import { chooseFromMenu } from '../support/menu.ts';
import { startRealTeam } from '../support/real-team.ts';
import { createTestClock, type TestClock } from '../support/test-clock.ts';
import type { TestService } from '../support/test-service.ts';

const MINUTE_MS = 60_000;

/** The bot and Tocsin's own service, which offers mutes. A rule mentions a user group after ten minutes. */
async function withTeam(run: (team: BotTeam, service: TestService, clock: TestClock) => Promise<void>): Promise<void> {
  const clock = createTestClock();
  await using real = await startRealTeam({ clock });
  const { team, service } = real;
  await nothingToReport(team);
  const id = team.slack.as('ana').setUserGroup('on-call', ['ana']);
  const { rules } = await createStore(team.database);
  const escalation = [{ afterMinutes: 10, target: { kind: 'group', id } }] as const;
  const settings = { channelId: 'C0INCIDENT', filter: EVERYTHING, escalation, quietHours: null, handover: null };
  await rules.save(null, settings, 'U1');
  await run(team, service, clock);
}

async function read(service: TestService, id: string): Promise<Incident> {
  return Incident.parse(await (await service.call('GET', `/incidents/${id}`)).json());
}

/** The value of a choice in the menu of a row. */
function optionOf({ blocks }: { readonly blocks: readonly unknown[] }, label: string): string {
  const options = blocks.flatMap(
    (block): { text: { text: string }; value: string }[] => Object(Object(block).accessory).options ?? [],
  );
  return options.find(({ text }) => text.text === label)?.value ?? '';
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
      await team.ephemeral('ana', /You snoozed .*payments.* until/);
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
      await team.slack.as('ana').click(await team.ephemeral('ana', /For how long/), 'Until tomorrow');
      await team.ephemeral('ana', /You snoozed/);

      const hour = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'Europe/Lisbon' });
      expect(hour.format(new Date((await read(service, id)).mute?.until ?? ''))).toBe('09:00');
    }));

  it('is snoozed from the menu of a list, which is replaced, and the snooze ends by the card', () =>
    withTeam(async (team, service) => {
      await service.failIn(['payments']);
      const { id, number } = await service.openIncident();
      await team.card(/payments/);
      await team.slack.as('ana').command('incidents', '/incidents open');
      const list = await team.ephemeral('ana', /1 open incident/);
      const row = { blockId: id, actionId: LISTS_BUTTONS.listRow };

      await team.slack.as('ana').click(list, row, optionOf(list, `Snooze #${number} for 1 hour`));
      await team.ephemeral('ana', /You snoozed .*payments.* until/);
      const snoozed = await read(service, id);
      const replaced = await team.ephemeral('ana', /Snoozed until/);
      await chooseFromMenu(team.slack, 'ben', await team.card(/Snoozed until/), 'End snooze');
      await team.ephemeral('ben', /You ended the snooze of .*payments/);
      const card = await team.card(/payments(?![\s\S]*Snoozed)/);

      expect(snoozed.mute).toMatchObject({ target: 'incident', created_by: 'ana@example.com' });
      expect(optionOf(replaced, `End snooze of #${number}`)).toMatch(/^unsnooze /);
      expect((await read(service, id)).mute).toBeNull();
      await chooseFromMenu(team.slack, 'ben', card, 'Snooze');
      await team.ephemeral('ben', /For how long/);
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
      const { incidents } = await createStore(team.database);
      await eventually(async () => (await incidents.openIds()).length === 1);
      await leap(team, clock, 50 * MINUTE_MS);
      service.advance(50 * MINUTE_MS);
      const during = team.cards().length;

      await leap(team, clock, 11 * MINUTE_MS);
      service.advance(11 * MINUTE_MS);
      await team.card(/payments/);

      expect(created.status).toBe(201);
      expect(during).toBe(0);
    }));
});

describe('/incidents snooze service:…', () => {
  it('mutes a service for planned work until somebody ends it', () =>
    withTeam(async (team, service) => {
      await team.slack.as('ana').command('incidents', '/incidents snooze service:payments 2h upgrade of the database');
      await team.ephemeral('ana', /Muted service `payments` until/);
      await service.failIn(['payments']);
      const { id } = await service.openIncident();
      const { incidents } = await createStore(team.database);
      await eventually(async () => (await incidents.openIds()).length === 1);
      const { mute } = await read(service, id);
      const before = team.cards().length;

      await team.slack.as('ben').command('incidents', '/incidents rules');
      await team.slack.as('ben').click(await team.ephemeral('ben', /Muted until .*upgrade of the database/), 'End');
      await team.ephemeral('ben', /The mute has ended/);
      await team.card(/payments/);

      expect(mute).toMatchObject({ target: 'service', created_by: 'ana@example.com' });
      expect(before).toBe(0);
    }));
});

it('says that a service without mutes does not offer it', async () => {
  await using team = await startBotTeam();
  const id = team.service.openIncident({ service: 'payments' });
  await team.card(/payments/);

  await team.slack.as('ana').command('incidents', `/incidents snooze ${id}`);
  await team.ephemeral('ana', /does not offer to snooze/);
  await team.slack.as('ana').command('incidents', `/incidents snooze ${id} 1h`);

  const { text } = await team.ephemeral('ana', /refused the request/);

  expect(text).toContain('it does not offer this');
});
