import { expect, it } from 'vitest';
import { startBotTeam } from '../support/bot-team.ts';
import { chooseFromMenu } from '../support/menu.ts';
import { withRealTeam } from '../support/real-team.ts';

it('merges by a command, says so on the card, and takes it back by Undo', () =>
  withRealTeam(async (team, service) => {
    for (const name of ['payments', 'mail']) {
      await service.failIn([name]);
      await service.openIncident();
    }
    await team.card(/#2 /);
    const ana = team.slack.as('ana');

    await ana.command('incidents', '/incidents merge #2 into #1');
    const receipt = await team.ephemeral('ana', /You made #2 .* part of #1/);
    await team.card(/#2 [^\n]*\nPart of .*#1: payments/);
    await ana.click(receipt, 'Undo');

    await team.ephemeral('ana', /You split off #2/);
    await team.card(/#2 [^\n]*\nNot acknowledged/);
    const timeline = (await (await service.call('GET', '/incidents/2')).json()) as { timeline: { event: string }[] };
    expect(timeline.timeline.map(({ event }) => event)).toEqual(['opened', 'merged', 'closed', 'split']);
  }));

it('asks in a form which incident it is part of, from the menu, and splits off from the menu of the closed card', () =>
  withRealTeam(async (team, service) => {
    for (const name of ['payments', 'mail']) {
      await service.failIn([name]);
      await service.openIncident();
    }
    const ana = team.slack.as('ana');
    await ana.click(await team.card(/#2 /), 'Acknowledge');

    await chooseFromMenu(team.slack, 'ana', await team.card(/#2 [^\n]*\nAcknowledged/), 'Merge');
    await ana.submit(await team.modal('ana', /Is part of/), {
      'Is part of': ((await service.call('GET', '/incidents/1').then((each) => each.json())) as { id: string }).id,
    });
    const closed = await team.card(/#2 [^\n]*\nPart of .*#1/);
    await chooseFromMenu(team.slack, 'ana', closed, 'Split off');

    const back = await team.card(/#2 [^\n]*\nAcknowledged by @?ana/);
    expect(back.text).not.toContain('Part of');
  }));

it('says what cannot be merged or split off', () =>
  withRealTeam(async (team, service) => {
    await service.failIn(['payments']);
    await service.openIncident();
    await team.card(/#1 /);
    const ana = team.slack.as('ana');

    await ana.command('incidents', '/incidents split #1');
    await team.ephemeral('ana', /#1 .* is open already/);
    await ana.command('incidents', '/incidents split');
    await team.ephemeral('ana', /Say which incident to split off/);
    await ana.command('incidents', '/incidents merge payments into #1');

    const modal = await team.modal('ana', /No other incident is open that #1 .* may be part of/);
    expect(modal.content.submit ?? null).toBeNull();
  }));

it('asks for the number of what to split off where a name means several open incidents', async () => {
  await using team = await startBotTeam();
  team.service.openIncident({ service: 'payments' });
  team.service.openIncident({ service: 'payments' });
  await expect.poll(() => team.cards()).toHaveLength(2);

  await team.slack.as('ana').command('incidents', '/incidents split payments');

  const { text, blocks } = await team.ephemeral('ana', /open incidents|which incident/);
  expect(text).toMatch(/Say which incident to split off, like/);
  expect(JSON.stringify(blocks)).not.toContain('Merge');
});

it('offers neither with a service that has no additions, and says so where somebody asks', async () => {
  await using team = await startBotTeam();
  const [one, two] = ['payments', 'mail'].map((service) => team.service.openIncident({ service }));
  const card = await team.card(/mail/);

  await team.slack.as('ana').command('incidents', `/incidents merge ${two} into ${one}`);

  await team.ephemeral('ana', /it does not offer this, so your merge was not done/);
  expect(JSON.stringify(card.blocks)).not.toContain('"Merge"');
});
