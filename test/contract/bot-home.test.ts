import { describe, expect, it } from 'vitest';
import { createStore } from '../../src/bot/store.ts';
import { type BotTeam, leap, nothingIsDue, sendingEnds, startBotTeam } from '../support/bot-team.ts';
import { createTestClock } from '../support/test-clock.ts';

type View = NonNullable<ReturnType<BotTeam['slack']['homeView']>>;

const textOf = ({ content }: View): string => JSON.stringify(content.blocks);

function home(team: BotTeam, person: string, pattern: RegExp): Promise<View> {
  const find = () => {
    const view = team.slack.homeView(person);
    return view !== null && pattern.test(textOf(view)) ? view : null;
  };
  return team.slack.waitFor(find);
}

const published = (team: BotTeam): unknown[] =>
  team.slack.calls.filter(({ method }) => method === 'views.publish').map(({ args }) => args.user_id);

describe('the Home tab', () => {
  it('shows unacknowledged incidents, those of the person, and how to start', async () => {
    await using team = await startBotTeam();
    const ana = team.slack.as('ana');
    const taken = team.service.openIncident({ service: 'payments' });
    team.service.openIncident({ service: 'search' });
    await team.card(/search/);
    await ana.command('incidents', `/incidents ack ${taken}`);
    await team.card(/payments\nAcknowledged by ana/);

    ana.openAppHome('home');

    const text = textOf(await home(team, 'ana', /2 open incidents/));
    expect(text).toMatch(/2 open incidents: 1 yours, 1 that nobody has taken/);
    expect(text).toMatch(/Yours \(1\).*payments.*Nobody has taken \(1\).*search.*Your rules.*How to begin/);
  });

  it('acts like the card, and changes with the incident', async () => {
    await using team = await startBotTeam();
    const ana = team.slack.as('ana');
    team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    ana.openAppHome('home');
    const before = await home(team, 'ana', /Nobody has taken/);

    await ana.click(before, 'Acknowledge');

    await team.directMessage('ana', /You acknowledged/);
    ana.openAppHome('home');
    const after = await home(team, 'ana', /Yours \(1\)/);
    await ana.click(after, 'Resolve');
    expect(textOf(await team.modal('ana', /Resolution note/))).toContain('payments');
  });

  it('is published again when an incident changes, only to people who opened it', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    team.slack.as('ana').openAppHome('home');
    team.slack.as('ben').openAppHome('messages');
    await home(team, 'ana', /No open incidents/);

    team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    await leap(team, clock, 20_000);

    const view = await home(team, 'ana', /payments/);
    expect(textOf(view)).toContain('1 open incident: 0 yours, 1 that nobody has taken');
    expect(team.slack.homeView('ben')).toBeNull();
    expect(new Set(published(team))).toEqual(new Set([team.slack.as('ana').id]));
  });

  it('shows guests and people of other workspaces no incidents', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);

    for (const person of ['chloe', 'elif']) {
      team.slack.as(person).openAppHome('home');

      expect(textOf(await home(team, person, /members of this workspace only/))).not.toContain('payments');
    }
  });

  it('is published once Slack allows it', async () => {
    await using team = await startBotTeam();
    team.slack.faults.next('views.publish', { kind: 'rate_limited', retryAfterSeconds: 1 });

    team.slack.as('ana').openAppHome('home');

    await home(team, 'ana', /No open incidents/);
    expect(published(team)).toHaveLength(2);
  });

  it('is not published again after Slack refuses it for good, until it is opened', async () => {
    await using team = await startBotTeam();
    team.slack.faults.next('views.publish', { kind: 'error', error: 'not_enabled' });
    team.slack.as('ana').openAppHome('home');
    await team.slack.waitFor(() => published(team).length === 1);
    await sendingEnds(team);

    team.slack.as('ana').openAppHome('home');

    expect(textOf(await home(team, 'ana', /No open incidents/))).toContain('How to begin');
  });

  it('is refreshed for ten minutes each time it is opened, and says when it was read afterwards', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    const { homes } = await createStore(team.database);
    team.slack.as('ana').openAppHome('home');
    await home(team, 'ana', /No open incidents/);
    await leap(team, clock, 30_000); // it is published again once ana is known, after a pause
    await nothingIsDue(team);
    await leap(team, clock, 11 * 60_000);
    const before = published(team).length;

    team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    await homes.forgetOld();
    await sendingEnds(team);

    const view = await home(team, 'ana', /No open incidents/);
    expect(textOf(view)).toMatch(/As of .*This tab is refreshed for ten minutes after you open it/);
    expect(published(team)).toHaveLength(before);
    team.slack.as('ana').openAppHome('home');
    await home(team, 'ana', /1 open incident:/);
  });
});
