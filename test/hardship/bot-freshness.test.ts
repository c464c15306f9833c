import { describe, expect, it } from 'vitest';
import { eventually, leap, problemOf, startBotTeam } from '../support/bot-team.ts';
import { createTestClock } from '../support/test-clock.ts';

const STALE = /As of <!date[^>]+>: the incident service has not responded since/;

describe('a card', () => {
  it('shows how old its data is during a long outage of the service', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    const closed = team.service.openIncident({ service: 'search' });
    await team.card(/search/);
    team.service.closeIncident(closed);
    const { ts } = await team.slack.waitFor(() => team.cards().find(({ text }) => /Closed/.test(text)));
    team.service.openIncident({ service: 'payments' });
    const before = await team.card(/payments/);

    team.service.setAway(true);
    await eventually(() => problemOf(team, 'incident service'));
    const shortly = team.cards().some(({ text }) => STALE.test(text));
    await leap(team, clock, 3 * 60_000);
    const stale = await team.card(STALE);
    const others = team.cards().filter((card) => card.ts === ts && STALE.test(card.text));
    team.service.setAway(false);
    const fresh = await team.card(/payments(?![\s\S]*As of)/);

    expect([shortly, others]).toEqual([false, []]);
    expect([stale.ts, fresh.ts]).toEqual([before.ts, before.ts]);
  });

  it('is the source of lists and details during an outage, which say when the service last responded', async () => {
    await using team = await startBotTeam();
    const closed = team.service.openIncident({ service: 'search' });
    await team.card(/search/);
    team.service.closeIncident(closed);
    await team.card(/search\nClosed/);
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    const ana = team.slack.as('ana');

    team.service.setAway(true);
    await ana.command('incidents', '/incidents open');
    const open = await team.ephemeral('ana', /1 open incident/);
    await ana.command('incidents', '/incidents open service:search');
    const narrowed = await team.ephemeral('ana', /No open incidents matching service:search/);
    await ana.command('incidents', `/incidents show ${id}`);
    const shown = await team.ephemeral('ana', /Not acknowledged · opened </);
    await ana.command('incidents', '/incidents show unknown');
    await team.ephemeral('ana', /is not responding/);

    expect([open, narrowed, shown].filter(({ text }) => !STALE.test(text))).toEqual([]);
    expect(open.text).toContain('payments\nNot acknowledged');
  });

  it('says that the service no longer has the incident, without buttons, until the incident is back', async () => {
    await using team = await startBotTeam();
    const payments = team.service.openIncident({ service: 'payments' });
    await team.slack.as('ana').click(await team.card(/payments/), 'Acknowledge');
    await team.card(/payments\nAcknowledged by ana/);
    const search = team.service.openIncident({ service: 'search' });
    await team.card(/search/);

    team.service.hideIncident(payments, true);
    team.service.hideIncident(search, true);
    const gone = await team.card(/payments\nGone: the incident service no longer has this incident/);
    await team.card(/search\nGone/);
    team.service.hideIncident(payments, false);
    const open = await team.card(/payments\nAcknowledged by ana/);
    team.service.closeIncident(search);
    team.service.hideIncident(search, false);
    await team.card(/search\nClosed/);

    expect(gone.text).toContain('Acknowledged by ana,');
    expect(JSON.stringify(gone.blocks)).not.toContain('"button"');
    expect(JSON.stringify(open.blocks)).toContain('"button"');
    expect(team.cards()).toHaveLength(2);
  });
});

describe('a service that sends Retry-After', () => {
  it('is not polled before then', async () => {
    await using team = await startBotTeam({ pollMs: 20 });
    const polls = () => team.service.requests.filter(({ path, query }) => path === '/incidents' && 'status' in query);
    const isFollowed = async () => (await problemOf(team, 'incident service')) === null;
    await eventually(isFollowed);

    team.service.failNext({ status: 429, headers: { 'retry-after': '120' } }, { path: /^\/incidents$/ });
    await eventually(async () => !(await isFollowed()));
    const asked = polls().length;
    for (let times = 1; times <= 10; times += 1) {
      await team.slack.as('ana').command('incidents', '/incidents help');
      await eventually(() => team.slack.ephemerals('ana', 'incidents').length === times);
    }

    expect(polls().length).toBe(asked);
  });
});
