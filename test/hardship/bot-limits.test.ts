import { describe, expect, it } from 'vitest';
import { type BotTeam, eventually, leap, startBotTeam } from '../support/bot-team.ts';
import { createTestClock } from '../support/test-clock.ts';

const TEN_MINUTES_SECONDS = 600;

function calls(team: BotTeam, method: string) {
  return team.slack.calls.filter((call) => call.method === method);
}

/** Puts a rate limit of ten minutes on edits in the channel. */
async function limitEdits(team: BotTeam, id: string): Promise<void> {
  team.slack.faults.next('chat.update', { kind: 'rate_limited', retryAfterSeconds: TEN_MINUTES_SECONDS });
  team.service.addSignals(id, [{ type: 'log' }]);
  await team.slack.waitFor(() => calls(team, 'chat.update').find(({ verdict }) => verdict === 'ratelimited'));
}

describe('a rate limit on edits', () => {
  it('delays neither new cards in the channel nor responses to people', async () => {
    await using team = await startBotTeam();
    const limited = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    await limitEdits(team, limited);

    team.service.openIncident({ service: 'search' });
    await team.slack.as('ana').command('incidents', `/incidents ack ${limited}`);

    await team.ephemeral('ana', /You acknowledged/);
    await team.card(/search/);
    expect(calls(team, 'chat.update')).toHaveLength(1);
  });

  it('of ten minutes only delays the card, which then shows the latest state in one edit', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    const id = team.service.openIncident({ service: 'payments' });
    const { ts } = await team.card(/payments/);
    await limitEdits(team, id);
    team.service.addSignals(id, [{ type: 'log' }, { type: 'log' }]);
    await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);
    await team.slack.as('ana').command('incidents', `/incidents resolve ${id} rolled back`);
    await team.ephemeral('ana', /You closed/);
    const before = calls(team, 'chat.update').length;

    await leap(team, clock, TEN_MINUTES_SECONDS * 1_000);

    const card = await team.card(/Closed by ana/);
    expect(card.ts).toBe(ts);
    expect(before).toBe(1);
    expect(calls(team, 'chat.update')).toHaveLength(2);
  });

  it('is respected after a restart', async () => {
    await using team = await startBotTeam();
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    await limitEdits(team, id);

    await team.restartBot();
    team.service.openIncident({ service: 'search' });
    await team.card(/search/);

    expect(calls(team, 'chat.update')).toHaveLength(1);
  });
});

describe('a rate limit of ten minutes on posts', () => {
  it('causes no lost and no duplicate cards, and cards that people act on come first', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    team.slack.faults.next('chat.postMessage', { kind: 'rate_limited', retryAfterSeconds: TEN_MINUTES_SECONDS });
    const ids = ['a', 'b', 'c', 'd'].map((name) => team.service.openIncident({ service: `service-${name}` }));
    await team.slack.waitFor(() => calls(team, 'chat.postMessage')[0]);

    await team.slack.as('ana').command('incidents', `/incidents ack ${ids[3]}`);
    await team.ephemeral('ana', /You acknowledged/);
    const during = calls(team, 'chat.postMessage').length;
    await leap(team, clock, TEN_MINUTES_SECONDS * 1_000);
    await eventually(() => team.cards().length === ids.length);

    expect(during).toBe(1);
    expect(team.cards()[0]?.text).toMatch(/service-d[\s\S]*Acknowledged by ana/);
  });
});

describe('a rate limit on the search for a lost post', () => {
  it('does not cause a second post', async () => {
    await using team = await startBotTeam();
    team.slack.faults.next('chat.postMessage', { kind: 'stored-then-502' });
    team.slack.faults.next('conversations.history', { kind: 'rate_limited', retryAfterSeconds: 1 });

    team.service.openIncident({ service: 'payments' });
    await team.slack.waitFor(() => calls(team, 'chat.update')[0]);

    expect(calls(team, 'chat.postMessage')).toHaveLength(1);
    expect(calls(team, 'conversations.history').map(({ verdict }) => verdict)).toEqual(['ratelimited', 'ok']);
  });
});

describe('a rate limit on answers', () => {
  it('only delays the answer', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    await team.slack.as('ana').click(await team.card(/payments/), 'Resolve');
    team.slack.faults.next('chat.postEphemeral', { kind: 'rate_limited', retryAfterSeconds: 1 });

    await team.slack.as('ana').submit(await team.modal('ana'), { 'Resolution note': 'rolled back 1.2.3' });

    await team.ephemeral('ana', /You closed/);
    expect(calls(team, 'chat.postEphemeral').map(({ verdict }) => verdict)).toEqual(['ratelimited', 'ok']);
  });

  it('to one person delays neither their actions nor answers to others', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    const services = { ana: 'payments', ben: 'search' };
    const people = Object.keys(services) as (keyof typeof services)[];
    const ids = people.map((person) => team.service.openIncident({ service: services[person] }));
    await Promise.all([team.card(/payments/), team.card(/search/)]);
    team.service.setAway(true);
    for (const [index, person] of people.entries()) {
      await team.slack.as(person).command('incidents', `/incidents ack ${ids[index]}`);
      await team.ephemeral(person, /is saved/);
    }
    team.slack.faults.next('chat.postMessage', { kind: 'rate_limited', retryAfterSeconds: 50 });
    const verdictsFor = (person: string) =>
      calls(team, 'chat.postMessage')
        .filter(({ args }) => args.channel === team.slack.as(person).id)
        .map(({ verdict }) => verdict);

    team.service.setAway(false);
    const told = await team.slack.waitFor(() => people.find((person) => verdictsFor(person).includes('ok')));
    const limited = told === 'ana' ? 'ben' : 'ana';
    const before = verdictsFor(limited);
    await leap(team, clock, 51_000);

    expect(before).toEqual(['ratelimited']);
    expect(await team.directMessage(limited, /You acknowledged/)).toContain(services[limited]);
  });
});
