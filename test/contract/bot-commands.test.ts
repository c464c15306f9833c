import { describe, expect, it } from 'vitest';
import { startBotTeam } from '../support/bot-team.ts';

describe('several incidents in one command', () => {
  it('are acknowledged together, with one answer that lists all results', async () => {
    await using team = await startBotTeam();
    const [one, two] = [team.service.openIncident({ service: 'a' }), team.service.openIncident({ service: 'b' })];
    await team.card(/ b\nNot acknowledged/);

    await team.slack.as('ana').command('incidents', `/incidents ack ${one}, ${two} nothing-known ${one}`);

    const answer = await team.ephemeral('ana', /You acknowledged/);
    expect(answer.text.match(/You acknowledged/g)).toHaveLength(2);
    expect(answer.text).toContain('has no incident nothing-known');
    expect(team.service.incident(one).acknowledgedBy).toBe('ana@example.com');
    expect(team.service.incident(two).acknowledgedBy).toBe('ana@example.com');
    expect(team.slack.ephemerals('ana', 'incidents')).toHaveLength(1);
  });

  it('are closed with the same note', async () => {
    await using team = await startBotTeam();
    const [one, two] = [team.service.openIncident({ service: 'a' }), team.service.openIncident({ service: 'b' })];

    await team.slack.as('ana').command('incidents', `/incidents resolve ${one},${two} rolled back`);

    await team.ephemeral('ana', /You closed .*You closed /s);
    expect([one, two].map((id) => team.service.incident(id).resolutionNote)).toEqual(['rolled back', 'rolled back']);
  });
});

it.each(['show', 'export', 'change', 'dashboard', 'resolve'])(
  '%s with a wrong name offers what is open',
  async (word) => {
    await using team = await startBotTeam();
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);

    await team.slack.as('ana').command('incidents', `/incidents ${word} paymnets`);

    const { text } = await team.ephemeral('ana', /No incident paymnets is known\. Open now:/);
    expect(text).toContain(`• \`/incidents ${word} ${id}\` ${id} payments`);
  },
);

it.each(['ack paymnets', 'resolve paymnets rolled back', 'snooze paymnets 1h'])(
  '%s names what is open',
  async (typed) => {
    await using team = await startBotTeam({ hasAdditions: true });
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);

    await team.slack.as('ana').command('incidents', `/incidents ${typed}`);

    const { text } = await team.ephemeral('ana', /has no incident paymnets\. Open now:/);
    expect(text).toMatch(/Open now: .*payments/);
    expect(team.service.incident(id).resolutionNote).toBeNull();
  },
);

it('signals with a wrong name offers what is open, in the window that it has opened', async () => {
  await using team = await startBotTeam();
  const id = team.service.openIncident({ service: 'payments' });
  await team.card(/payments/);

  await team.slack.as('ana').command('incidents', '/incidents signals paymnets');

  const { content } = await team.modal('ana', /No incident paymnets is known\. Open now:/);
  expect(JSON.stringify(content)).toContain(`\`/incidents signals ${id}\` ${id} payments`);
});

it('stats with a wrong name offers the services that fail', async () => {
  await using team = await startBotTeam();
  team.service.openIncident({ service: 'payments' });
  await team.card(/payments/);

  await team.slack.as('ana').command('incidents', '/incidents stats mailer');

  const { text } = await team.ephemeral('ana', /No incident of a service `mailer` is known/);
  expect(text).toContain('Open now: `payments`.');
});

describe('a list with a filter', () => {
  it('shows what matches, and says what it was narrowed down to', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    team.service.openIncident({ service: 'orders' });

    await team.slack.as('ana').command('incidents', '/incidents open service:Payments unacked');

    const { text } = await team.ephemeral('ana', /1 open incident matching/);
    expect(text).toContain('service:Payments unacked');
    expect(text).not.toContain('orders');
  });

  it('has further pages that keep the filter', async () => {
    await using team = await startBotTeam();
    for (let index = 0; index < 12; index += 1) {
      team.service.openIncident({ service: 'payments' });
    }
    team.service.openIncident({ service: 'orders' });
    await team.slack.as('ana').command('incidents', '/incidents open service:payments');
    const first = await team.ephemeral('ana', /12 open incidents/);

    await team.slack.as('ana').click(first, 'More');

    expect((await team.ephemeral('ana', /11 to 12/)).text).not.toContain('orders');
  });

  it('is refused with what is allowed when a word is not understood', async () => {
    await using team = await startBotTeam();

    await team.slack.as('ana').command('incidents', '/incidents open critical');

    const { text } = await team.ephemeral('ana', /`\/incidents open critical` was not run/);
    expect(text).toMatch(/Allowed: service:payments, severity:critical, .*unacked or acked\./);
  });
});

describe('an incident that a person has acknowledged', () => {
  it('is listed by /incidents mine, only for that person', async () => {
    await using team = await startBotTeam();
    const id = team.service.openIncident({ service: 'payments' });
    team.service.openIncident({ service: 'orders' });
    await team.card(/orders/);
    await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);
    await team.ephemeral('ana', /You acknowledged/);

    await team.slack.as('ana').command('incidents', '/incidents mine');
    await team.slack.as('ben').command('incidents', '/incidents mine');

    expect((await team.ephemeral('ana', /1 open incident that you acknowledged/)).text).toContain('payments');
    await team.ephemeral('ben', /No open incidents are yours/);
  });
});

describe('a closed incident', () => {
  it('is listed by /incidents closed within the period, with its note', async () => {
    await using team = await startBotTeam({
      before: ({ service }) =>
        service.showMore((each) => ({
          closed_at: each.status === 'closed' ? new Date().toISOString() : null,
        })),
    });
    const id = team.service.openIncident({ service: 'payments' });
    await team.slack.as('ana').command('incidents', `/incidents resolve ${id} rolled back 1.2.3`);
    await team.ephemeral('ana', /You closed/);

    await team.slack.as('ana').command('incidents', '/incidents closed 7d');

    expect((await team.ephemeral('ana', /1 incident closed in the last 7d/)).text).toMatch(/\nrolled back 1\.2\.3$/);
  });
});

describe('an incident that is not named by its number', () => {
  it('is found if it is the only one of its root service, or the only unacknowledged one', async () => {
    await using team = await startBotTeam();
    const payments = team.service.openIncident({ service: 'payments' });
    const orders = team.service.openIncident({ service: 'orders' });
    await team.card(/payments/);
    await team.card(/orders/);

    await team.slack.as('ana').command('incidents', '/incidents ack Payments');
    await team.ephemeral('ana', /You acknowledged .*payments/);
    await team.slack.as('ben').command('incidents', '/incidents ack');
    await team.ephemeral('ben', /You acknowledged .*orders/);
    await team.slack.as('ben').command('incidents', '/incidents ack');
    await team.ephemeral('ben', /There is nothing to acknowledge/);

    expect(team.service.incident(payments).acknowledgedBy).toBe('ana@example.com');
    expect(team.service.incident(orders).acknowledgedBy).toBe('ben@example.com');
  });

  it('is chosen with buttons if there are several; a typed note is returned', async () => {
    await using team = await startBotTeam();
    const first = team.service.openIncident({ service: 'payments' });
    const other = team.service.openIncident({ service: 'payments' });
    await team.slack.waitFor(() => team.cards().length === 2);

    await team.slack.as('ana').command('incidents', '/incidents resolve payments rolled back');
    const question = await team.ephemeral('ana', /`payments` is the root service of 2 open incidents.*Which one\?/);
    await team.ephemeral('ana', /Your note as you typed it:\nrolled back/);
    await team.slack.as('ben').command('incidents', '/incidents ack');
    const asked = await team.ephemeral('ben', /There are 2 open incidents/);
    await team.slack.as('ben').click(asked, 'Acknowledge');
    await team.ephemeral('ben', /You acknowledged/);

    expect(JSON.stringify(question.blocks)).toContain('"Resolve"');
    expect([first, other].map((id) => team.service.incident(id).status)).toEqual(['open', 'open']);
  });
});

it('finds a service by a name with a space, in any case, and guesses mistyped names', async () => {
  await using team = await startBotTeam();
  team.service.openIncident({ service: 'Größe Shop' });
  await team.card(/Größe Shop/);

  await team.slack.as('ana').command('incidents', '/incidents ack größe shop');
  await team.ephemeral('ana', /You acknowledged .*Größe Shop/);
  await team.slack.as('ana').command('incidents', '/incidents open Größe-Shop');
  const { text } = await team.ephemeral('ana', /“Größe-Shop” is not understood here/);

  expect(text).toContain('Did you mean `service:"Größe Shop"`?');
});
