import { describe, expect, it } from 'vitest';
import { LISTS_BUTTONS } from '../../src/bot/rooms/lists/ids.ts';
import { STORM_RULES } from '../../src/bot/rooms/storm/storm.ts';
import { advance, type BotTeam, eventually, leap, startBotTeam } from '../support/bot-team.ts';
import { createTestClock, type TestClock } from '../support/test-clock.ts';

const CALM_MS = STORM_RULES.calmMs + 60_000;

/** Opens 40 incidents of three services at once. @returns their ids by service */
function openStorm(team: BotTeam, now: () => Date): Record<'checkout' | 'payments' | 'search', string[]> {
  const ids = { checkout: [] as string[], payments: [] as string[], search: [] as string[] };
  const services = ['checkout', 'checkout', 'payments', 'search'] as const;
  for (let index = 0; index < 40; index += 1) {
    const service = services[index % services.length] ?? 'search';
    const openedAt = new Date(now().getTime() - 60_000 + index * 1_000);
    ids[service].push(team.service.openIncident({ service, openedAt, signals: [{ type: 'log' }, { type: 'trace' }] }));
  }
  return ids;
}

function stormCard(team: BotTeam, pattern: RegExp) {
  return team.slack.waitFor(() =>
    team.slack.messages('incidents').find(({ text }) => /torm/.test(text) && pattern.test(text)),
  );
}

function singles(team: BotTeam) {
  return team.cards().filter(({ metadata }) => metadata?.event_payload.incident_id !== undefined);
}

function incidentOf(card: ReturnType<typeof singles>[number]): unknown {
  return card.metadata?.event_payload.incident_id;
}

/** @returns the number of incidents with their own card, once the storm card counts all incidents */
function allCollected(team: BotTeam, incidents: number): { withCard: number } | null {
  const storm = team.slack.messages('incidents').find(({ text }) => text.includes('get no card of their own'));
  const collected = Number(storm?.text.match(/Storm: (\d+) incidents/)?.[1] ?? 0);
  return collected === incidents ? { withCard: singles(team).length } : null;
}

/** Waits until every incident is in the storm card. */
function collected(team: BotTeam, clock: TestClock): Promise<{ withCard: number }> {
  return eventually(async () => {
    await advance(team, clock, 100);
    return allCollected(team, 40);
  });
}

describe('a storm', () => {
  it('has one card by root service, with a button to acknowledge all of a service and a paged list', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    const ids = openStorm(team, clock.now);

    await collected(team, clock);
    const storm = await stormCard(team, /Storm: 40 incidents[\s\S]*none acknowledged/);
    expect(singles(team).length).toBeLessThanOrEqual(STORM_RULES.incidents);
    expect(storm.text).toMatch(/`checkout` \d+ incidents: .* and \d+ more · none acknowledged/);

    await team.slack.as('ana').click(storm, 'Show list');
    const first = await team.modal('ana', /: 1 to 12/);
    await team.slack.as('ana').click(first, 'Next');
    const second = await team.slack.waitFor(() => {
      const [view] = team.slack.openViews('ana');
      return JSON.stringify(view?.content.blocks).includes(': 13 to 24') && view;
    }, 15_000);
    expect(second.id).toBe(first.id);

    const label = JSON.stringify(storm.blocks).match(/Acknowledge all of checkout \(\d+\)/)?.[0] ?? '';
    await team.slack.as('ana').click(storm, label);

    await team.ephemeral('ana', /You acknowledged \d+ of \d+ incidents of `checkout`/);
    await stormCard(team, /`checkout` \d+ incidents: .* · all acknowledged/);
    const taken = ids.checkout.filter((id) => team.service.incident(id).acknowledgedBy === 'ana@example.com');
    expect(taken).toHaveLength(Number(label.match(/\d+/)?.[0]));
  });

  it('acknowledges all with one button that asks, and takes exactly that back', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock, hasAdditions: true });
    const ids = Object.values(openStorm(team, clock.now)).flat();
    await collected(team, clock);
    const storm = await stormCard(team, /Storm: 40 incidents/);
    const [first = ''] = ids;
    await team.slack.as('ben').command('incidents', `/incidents ack ${first}`);
    await stormCard(team, /40 still open, \d+ not acknowledged/);
    const takenBy = (name: string) => ids.filter((id) => team.service.incident(id).acknowledgedBy === name);

    const label = JSON.stringify(storm.blocks).match(/Acknowledge all \(\d+\)/)?.[0] ?? '';
    await team.slack.as('ana').click(storm, label);
    const receipt = await team.ephemeral('ana', /You acknowledged \d+ of \d+ incidents of this storm/);
    const acknowledged = takenBy('ana@example.com').length;
    await team.slack.as('ana').click(receipt, 'Undo');
    await team.ephemeral('ana', /You took your acknowledgement of \d+ of \d+ incidents of this storm back/);

    expect(acknowledged).toBeGreaterThan(20);
    expect([takenBy('ana@example.com'), takenBy('ben@example.com')]).toEqual([[], [first]]);
  });

  it('stays on the page that the person turned to, whatever arrives late', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    openStorm(team, clock.now);
    await collected(team, clock);
    const storm = await stormCard(team, /Storm: 40 incidents/);
    const shown = () => JSON.stringify(team.slack.openViews('ana')[0]?.content.blocks ?? []);
    const drawn = () => team.slack.calls.filter(({ method }) => method === 'views.update').map(({ args }) => args);
    const slowly = () => team.slack.faults.next('views.update', { kind: 'latency', ms: 500 });

    slowly();
    await team.slack.as('ana').click(storm, 'Show list');
    const first = await team.slack.waitFor(() => shown().includes('Next') && team.slack.openViews('ana')[0]);
    await team.slack.as('ana').click(first, 'Next');
    const second = await team.slack.waitFor(
      () => shown().includes(': 13 to 24') && team.slack.openViews('ana')[0],
      15_000,
    );
    await team.slack.waitFor(() => drawn().length >= 2);
    expect(shown()).toContain(': 13 to 24');

    slowly();
    const row = second.content.blocks.find(({ accessory }) => Object(accessory).action_id === LISTS_BUTTONS.listRow);
    const id = row?.block_id ?? '';
    const target = { blockId: id, actionId: LISTS_BUTTONS.listRow };
    const [choice] = Object(row?.accessory).options;
    await team.slack.as('ana').click(second, target, choice.value);
    await team.slack.waitFor(() => team.slack.faults.pending().length === 0);
    await team.slack.as('ana').click(second, 'Next');
    const before = drawn().length;
    await team.slack.waitFor(() => drawn().length >= before + 2);

    await team.slack.waitFor(() => shown().includes(': 25 to 36'));
    expect(team.service.incident(id).acknowledgedBy).toBe('ana@example.com');
  });

  it('saves the acknowledgements of a service while the incident service is down, and sends them later', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    const ids = openStorm(team, clock.now);
    await collected(team, clock);
    const storm = await stormCard(team, /Storm/);
    const label = JSON.stringify(storm.blocks).match(/Acknowledge all of search \((\d+)\)/);

    team.service.setAway(true);
    await team.slack.as('ana').click(storm, label?.[0] ?? '');
    const told = await team.ephemeral('ana', /You acknowledged 0 of \d+ incidents of `search`/);
    await leap(team, clock, 61_000); // longer than this process may take to report the outcome
    team.service.setAway(false);

    const taken = () => ids.search.filter((id) => team.service.incident(id).acknowledgedBy === 'ana@example.com');
    expect(told.text).toMatch(/to be sent as soon as the incident service accepts them: incident-\d+/);
    expect(await eventually(() => taken().length === Number(label?.[1]))).toBe(true);
  });

  it('ends with a summary when it is calm and few incidents are open, which then get their own cards', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    const ids = openStorm(team, clock.now);
    const { withCard: before } = await collected(team, clock);

    await leap(team, clock, CALM_MS);
    const calm = await stormCard(team, /Calm since/);
    const late = team.service.openIncident({ service: 'latecomer', openedAt: clock.now() });
    await team.card(/latecomer/);
    const own = new Set(singles(team).map(incidentOf));
    const inStorm = Object.values(ids)
      .flat()
      .filter((id) => !own.has(id));
    const [left = '', ...rest] = [
      ...inStorm,
      ...Object.values(ids)
        .flat()
        .filter((id) => own.has(id)),
    ];
    for (const id of rest) {
      team.service.closeIncident(id);
    }
    // Each edit of the card may happen before the bot knows all closed incidents.
    const ticking = setInterval(() => void advance(team, clock, 1_000), 100);
    const over = await stormCard(
      team,
      /Storm over: \d+ incidents from .* to .*\n\d open when it ended, (?:\d not|none) acknowledged/,
    ).finally(() => clearInterval(ticking));
    await eventually(() => singles(team).some((card) => incidentOf(card) === left));
    expect(over.ts).toBe(calm.ts);
    expect(JSON.stringify(over.blocks)).not.toContain('Acknowledge all');
    expect(singles(team).length).toBeLessThanOrEqual(before + 1 + STORM_RULES.leftOpen);
    expect(new Set(singles(team).map(incidentOf)).size).toBe(singles(team).length);
    expect(team.service.incident(late).status).toBe('open');
    const threads = team.slack.messages('incidents').flatMap(({ threadTs }) => threadTs ?? []);
    expect(singles(team).map(({ ts }) => ts)).toEqual(expect.arrayContaining(threads));
    const [again = ''] = rest;
    team.service.reopenIncident(again);
    await eventually(() => singles(team).some((card) => incidentOf(card) === again));
  });

  it('has one card when Slack stores its post but answers 502, and the bot restarts', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    team.service.setAway(true);
    openStorm(team, clock.now);
    team.slack.faults.next('chat.postMessage', { kind: 'stored-then-502' });
    team.service.setAway(false);
    await team.slack.waitFor(() => team.slack.calls.find(({ verdict }) => verdict === 'stored-then-502'));

    await team.restartBot();
    await advance(team, clock, 10_000);
    await stormCard(team, /get no card of their own/);
    await eventually(() => team.slack.calls.some(({ method }) => method === 'conversations.history'));
    await advance(team, clock, 10_000);

    const storms = team.slack.messages('incidents').filter(({ metadata }) => metadata?.event_payload.storm_id);
    expect(storms).toHaveLength(1);
    expect(new Set(singles(team).map(incidentOf)).size).toBe(singles(team).length);
  });

  it('starts by the configured rules', async () => {
    const storms = { ...STORM_RULES, incidents: 1, calmIncidents: 0, leftOpen: 0 };
    await using team = await startBotTeam({ storms });
    team.service.setAway(true);
    for (const service of ['checkout', 'payments', 'search']) {
      team.service.openIncident({ service });
    }
    team.service.setAway(false);

    expect((await eventually(() => allCollected(team, 3))).withCard).toBeLessThan(3); // by the default rules, all have their own card
  });
});
