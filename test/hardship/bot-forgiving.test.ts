import { expect, it } from 'vitest';
import { ACTIONS } from '../../src/bot/blocks/ids.ts';
import { eventually, leap, nothingToReport, problemOf, startBotTeam } from '../support/bot-team.ts';
import { createTestClock } from '../support/test-clock.ts';

const STALE = /As of <!date[^>]+>: the incident service has not responded since/;

it('answers an unknown command with three lines, and guesses nothing from nonsense', async () => {
  await using team = await startBotTeam();

  await team.slack.as('ana').command('incidents', '/incidents xyzzy');
  const { text } = await team.ephemeral('ana', /Unknown command “xyzzy”/);

  expect(text.split('\n')).toHaveLength(3);
  expect(text).not.toContain('Did you mean');
});

it('takes a service where an incident is expected, also for a snooze', async () => {
  await using team = await startBotTeam({ hasAdditions: true });
  const id = team.service.openIncident({ service: 'mail' });
  await team.card(/mail/);

  await team.slack.as('ana').command('incidents', '/incidents snooze mail 1h the upgrade');
  await team.ephemeral('ana', /You snoozed .*mail/);

  expect(team.service.mutes).toMatchObject([{ target: 'incident', value: id }]);
});

it('finds a service by a name in quotes, with a space and an emoji, in any case', async () => {
  await using team = await startBotTeam();
  const id = team.service.openIncident({ service: 'my shop 🛒' });
  await team.card(/shop/);

  await team.slack.as('ana').command('incidents', '/incidents ack "My Shop 🛒"');
  await team.ephemeral('ana', /You acknowledged/);

  expect(team.service.incident(id).acknowledgedBy).toBe('ana@example.com');
});

it('shows no e-mail address to people: on cards, in threads, lists, receipts and the handover', async () => {
  await using team = await startBotTeam({ hasAdditions: true });
  const [ana, ben] = [team.slack.as('ana'), team.slack.as('ben')];
  const id = team.service.openIncident({ service: 'payments' });
  const card = await team.card(/payments/);
  await ana.click(card, 'Acknowledge');
  await team.ephemeral('ana', /You acknowledged/);
  await ben.command('incidents', `/incidents ack ${id}`);
  await team.ephemeral('ben', /already/);
  await ana.command('incidents', '/incidents snooze service:search 1h upgrade');
  await team.ephemeral('ana', /Muted/);
  for (const [command, words] of [
    ['open', /1 open incident/],
    ['rules', /Muted until/],
    ['handover', /Handover/],
  ] as const) {
    await ben.command('incidents', `/incidents ${command}`);
    await team.slack.waitFor(() =>
      [...team.slack.messages('incidents'), ...team.slack.ephemerals('ben', 'incidents')].find(({ text }) =>
        words.test(text),
      ),
    );
  }
  await ana.command('incidents', `/incidents resolve ${id} rolled back`);
  await team.card(/payments\nClosed by ana/);
  await team.slack.waitFor(() => team.replies(card).find((text) => /Closed by/.test(text)));

  const shown = [
    ...team.slack.messages('incidents'),
    ...team.slack.ephemerals('ana', 'incidents'),
    ...team.slack.ephemerals('ben', 'incidents'),
  ].map(({ text, blocks }) => text + JSON.stringify(blocks));
  expect(shown.filter((text) => text.includes('@example.com'))).toEqual([]);
});

it('shows what is open on Home during an outage of the service, and as of when', async () => {
  const clock = createTestClock();
  await using team = await startBotTeam({ clock });
  team.service.openIncident({ service: 'payments' });
  await team.card(/payments/);
  await nothingToReport(team);

  team.service.setAway(true);
  await eventually(() => problemOf(team, 'incident service'));
  await leap(team, clock, 3 * 60_000);
  await team.slack.waitFor(() => team.cards().find(({ text }) => STALE.test(text)));
  team.slack.as('ana').openAppHome('home');

  const home = await team.slack.waitFor(() => team.slack.homeView('ana'));
  expect(JSON.stringify(home.content.blocks)).toMatch(new RegExp(`${STALE.source}.*payments`));
});

it('asks which incident is meant, and does what was asked with one click', async () => {
  await using team = await startBotTeam({ hasAdditions: true });
  const ana = team.slack.as('ana');
  const id = team.service.openIncident({ service: 'mail' });
  team.service.openIncident({ service: 'search' });
  await Promise.all([team.card(/mail/), team.card(/search/)]);
  const choose = async (command: string, actionId: string) => {
    await ana.command('incidents', `/incidents ${command}`);
    const question = await team.slack.waitFor(() =>
      team.slack
        .ephemerals('ana', 'incidents')
        .find(({ blocks }) => /Which one/.test(JSON.stringify(blocks)) && JSON.stringify(blocks).includes(actionId)),
    );
    const row = question.blocks.find(({ accessory }) => Object(accessory).value === id);
    await ana.click(question, { blockId: row?.block_id ?? '', actionId });
  };

  await choose('export', ACTIONS.export);
  await team.ephemeral('ana', /The timeline of .*mail/);
  await choose('snooze', ACTIONS.snooze);
  await team.ephemeral('ana', /For how long|how long/i);
  await choose('change', ACTIONS.steer);
  const form = await team.modal('ana', /Severity/);

  expect(JSON.stringify(form.content.blocks)).toContain('Severity');
});

it('suggests the service that was meant in a filter', async () => {
  await using team = await startBotTeam();
  team.service.openIncident({ service: 'payments' });
  await team.card(/payments/);

  await team.slack.as('ana').command('incidents', '/incidents open service:paymets');
  const { text } = await team.ephemeral('ana', /No open incidents matching/);

  expect(text).toContain('Did you mean service:payments?');
});
