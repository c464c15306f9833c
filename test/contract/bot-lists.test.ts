import { describe, expect, it } from 'vitest';
import { LISTS_BUTTONS } from '../../src/bot/rooms/lists/ids.ts';
import { LIST_PAGE_SIZE } from '../../src/bot/rooms/lists/incident-list.ts';
import { STORM_RULES } from '../../src/bot/rooms/storm/storm.ts';
import { type BotTeam, eventually, leap, startBotTeam } from '../support/bot-team.ts';
import { createTestClock } from '../support/test-clock.ts';

/** The size of the page with which a list begins. */
const PAGE = String(LIST_PAGE_SIZE);

type Place = Awaited<ReturnType<BotTeam['ephemeral' | 'modal']>>;

const blocksOf = (place: Place) => ('content' in place ? place.content.blocks : place.blocks);

/** The choices in the menu of a row, by their labels without the number. */
function choicesOf(place: Place, incidentId: string): Map<string, string> {
  const row = blocksOf(place).find(({ block_id }) => block_id === incidentId);
  const options: { text: { text: string }; value: string }[] = Object(row?.accessory).options ?? [];
  return new Map(options.map(({ text, value }) => [text.text.split(' ')[0] ?? '', value]));
}

async function choose(team: BotTeam, person: string, place: Place, incidentId: string, choice: string) {
  const target = { blockId: incidentId, actionId: LISTS_BUTTONS.listRow };
  await team.slack.as(person).click(place, target, choicesOf(place, incidentId).get(choice) ?? '');
}

async function listOf(team: BotTeam, person: string, pattern: RegExp) {
  await team.slack.as(person).command('incidents', '/incidents open');
  return team.ephemeral(person, pattern);
}

/** The list as it is now, in place of the one that was shown. */
const replaced = (team: BotTeam, { ts }: { ts: string }, pattern: RegExp) =>
  eventually(() => team.slack.ephemerals('ana', 'incidents').find((each) => each.ts === ts && pattern.test(each.text)));

describe('the list of open incidents', () => {
  it('says from when it is, and is replaced after an acknowledgement, with a receipt below', async () => {
    await using team = await startBotTeam();
    const [id] = ['payments', 'search'].map((service) => team.service.openIncident({ service }));
    await team.card(/search/);
    const list = await listOf(team, 'ana', /2 open incidents · as of <!date/);
    expect([...choicesOf(list, id ?? '').keys()]).toEqual(['Acknowledge', 'Resolve', 'Show']);

    await choose(team, 'ana', list, id ?? '', 'Acknowledge');

    const after = await replaced(team, list, /payments\nAcknowledged by ana/);
    expect(JSON.stringify(after.blocks)).toContain(`*Acknowledged* by <@${team.slack.as('ana').id}>`);
    expect([...choicesOf(after, id ?? '').keys()]).toEqual(['Resolve', 'Show']);
    await team.ephemeral('ana', /You acknowledged/);
    expect(team.slack.ephemerals('ana', 'incidents')).toHaveLength(2);
  });

  it('shows what was done on a card after a click in it, refreshes three times, and says from when it is afterwards', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    const services = ['payments', 'search', 'ads', 'mail'];
    for (const service of services) {
      team.service.openIncident({ service });
    }
    await team.card(/mail/);
    const list = await listOf(team, 'ana', /4 open incidents · as of <!date/);
    expect(list.text).not.toContain('refreshed until');
    await team.slack.as('ana').click(list, 'Refresh');
    await replaced(team, list, /4 open incidents · as of <!date[^>]*>, refreshed until <!date/);

    for (const service of services.slice(0, 3)) {
      const card = await team.card(new RegExp(service));
      await team.slack.as('ben').click(card, 'Acknowledge');
      await replaced(team, list, new RegExp(`${service}\\nAcknowledged by ben`));
      await leap(team, clock, 120_000);
    }

    const last = await replaced(team, list, /ads\nAcknowledged by ben/);
    expect(last.text).not.toContain('refreshed until');
    expect(JSON.stringify(last.blocks)).toContain('Refresh');
    await team.slack.as('ben').click(await team.card(/mail/), 'Acknowledge');
    await team.ephemeral('ben', /You acknowledged .*mail/);
    expect(team.slack.ephemerals('ana', 'incidents').find(({ ts }) => ts === list.ts)?.text).toMatch(
      /mail\nNot acknowledged/,
    );
  });

  it('takes a click on a control that was drawn again meanwhile', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    const list = await listOf(team, 'ana', /1 open incident/);
    const looked = list.blocks?.find((block) => JSON.stringify(block).includes(LISTS_BUTTONS.listRefresh));
    const refresh = { blockId: looked?.block_id ?? '', actionId: LISTS_BUTTONS.listRefresh };
    team.service.openIncident({ service: 'search' });
    await team.card(/search/);
    await team.slack.as('ana').click(list, refresh);
    await replaced(team, list, /2 open incidents/);
    team.service.openIncident({ service: 'ads' });
    await team.card(/ads/);

    await team.slack.as('ana').click(list, refresh);

    expect((await replaced(team, list, /3 open incidents/)).text).toContain('ads');
  });

  it('is replaced once an incident is closed by the form of its menu', async () => {
    await using team = await startBotTeam();
    const [id = ''] = ['payments', 'search'].map((service) => team.service.openIncident({ service }));
    await team.card(/search/);
    const list = await listOf(team, 'ana', /2 open incidents/);

    await choose(team, 'ana', list, id, 'Resolve');
    await team.slack.as('ana').submit(await team.modal('ana'), { 'Resolution note': 'rolled back' });

    expect((await replaced(team, list, /^1 open incident ·/)).text).not.toContain('payments');
    await team.ephemeral('ana', /You closed/);
  });

  it('acknowledges what it shows after a confirmation that says how many, and nothing opened since', async () => {
    await using team = await startBotTeam();
    const ids = ['payments', 'search', 'ads'].map((service) => team.service.openIncident({ service }));
    await team.card(/ads/);
    const list = await listOf(team, 'ana', /3 open incidents/);
    const late = team.service.openIncident({ service: 'late' });
    await team.card(/late/);

    await team.slack.as('ana').click(list, 'Acknowledge all 3');

    await replaced(team, list, /^4 open incidents/);
    await team.ephemeral('ana', /You acknowledged[\s\S]*You acknowledged[\s\S]*You acknowledged/);
    expect(JSON.stringify(list.blocks)).toContain('This acknowledges 3 incidents in your name: incident-1, ');
    expect(ids.map((id) => team.service.incident(id).acknowledgedBy)).toEqual(Array(3).fill('ana@example.com'));
    expect(team.service.incident(late).acknowledgedBy).toBeNull();
  });

  it('is refreshed in place, and goes back a page', async () => {
    await using team = await startBotTeam();
    for (let number = 1; number <= 12; number += 1) {
      team.service.openIncident({ service: `service-${number}` });
    }
    const list = await listOf(team, 'ana', /12 open incidents/);
    const ana = team.slack.as('ana');
    await ana.click(list, 'More');
    const second = await replaced(team, list, /11 to 12/);

    team.service.openIncident({ service: 'late' });
    await ana.click(second, 'Refresh');
    const refreshed = await replaced(team, list, /11 to 13/);
    await ana.click(refreshed, 'Back');

    expect((await replaced(team, list, /: 1 to 10/)).ts).toBe(list.ts);
    expect(team.slack.ephemerals('ana', 'incidents')).toHaveLength(1);
  });

  it.each<[string, (team: BotTeam, until: Promise<unknown>) => void]>([
    ['Slack', ({ slack }) => slack.faults.next('response_url', { kind: 'latency', ms: 1_500 })],
    ['the service', ({ service }, until) => service.failNext({ until }, { path: /^\/incidents$/, limit: PAGE })],
  ])('stays on the page that the person turned to while %s is slow to replace it', async (_who, beSlow) => {
    await using team = await startBotTeam();
    for (let number = 1; number <= 12; number += 1) {
      team.service.openIncident({ service: `service-${number}` });
    }
    const list = await listOf(team, 'ana', /12 open incidents/);
    const ana = team.slack.as('ana');
    const [id = ''] = blocksOf(list).flatMap(({ block_id: block, accessory }) => (accessory ? (block ?? []) : []));
    const { promise: isTurned, resolve: turn } = Promise.withResolvers<void>();
    const reads = () => team.service.requests.filter(({ query }) => query.limit === PAGE).length;
    const before = reads();

    beSlow(team, isTurned);
    await choose(team, 'ana', list, id, 'Acknowledge');
    await eventually(() => reads() > before && team.slack.faults.pending().length === 0);
    await ana.click(list, 'More');
    await replaced(team, list, /11 to 12/);
    turn();
    await team.ephemeral('ana', /You acknowledged/); // comes after the list is replaced

    expect((await replaced(team, list, /11 to 12/)).ts).toBe(list.ts);
    expect(team.service.incident(id).acknowledgedBy).toBe('ana@example.com');
  });

  it('is what follows the incidents after an action in it, not the receipt below', async () => {
    await using team = await startBotTeam();
    const [id = ''] = ['payments', 'search'].map((service) => team.service.openIncident({ service }));
    const card = await team.card(/search/);
    const list = await listOf(team, 'ana', /2 open incidents/);
    await choose(team, 'ana', list, id, 'Acknowledge');
    const receipt = await team.ephemeral('ana', /You acknowledged/);

    await team.slack.as('ben').click(card, 'Acknowledge');

    await replaced(team, list, /search\nAcknowledged by ben/);
    await replaced(team, receipt, /You acknowledged/);
    expect(team.slack.ephemerals('ana', 'incidents')).toHaveLength(2);
  });

  it('is one message, also if an incident changes before it is shown', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    const card = await team.card(/payments/);
    const list = await listOf(team, 'ana', /payments\nNot acknowledged/);
    const reads = () => team.service.requests.filter(({ query }) => query.limit === PAGE).length;
    const before = reads();

    team.slack.faults.next('response_url', { kind: 'latency', ms: 4_000 });
    await team.slack.as('ana').click(list, 'Refresh');
    await eventually(() => reads() > before && team.slack.faults.pending().length === 0);
    await team.slack.as('ben').click(card, 'Acknowledge');

    await replaced(team, list, /payments\nAcknowledged by ben/);
    expect(team.slack.ephemerals('ana', 'incidents')).toHaveLength(1);
  });

  it('comes as a new message if Slack no longer accepts one in place of the old', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    const list = await listOf(team, 'ana', /1 open incident/);

    team.slack.faults.next('response_url', { kind: 'error', error: 'expired_url' });
    await team.slack.as('ana').click(list, 'Refresh');

    expect(await eventually(() => team.slack.ephemerals('ana', 'incidents').length === 2)).toBe(true);
  });
});

describe('the list of a storm', () => {
  it('has the same menu, and is replaced with the outcome on top', async () => {
    await using team = await startBotTeam({
      storms: { ...STORM_RULES, incidents: 1, calmIncidents: 0, leftOpen: 0 },
      before: ({ service }) =>
        service.showMore(({ rootService }) => ({ severity: rootService === 'ads' ? 'critical' : 'warning' })),
    });
    team.service.setAway(true);
    const services = ['checkout', 'payments', 'ads'];
    const ids = new Map(services.map((service) => [service, team.service.openIncident({ service })]));
    team.service.setAway(false);
    const storm = await team.slack.waitFor(() =>
      team.slack.messages('incidents').find(({ text }) => /Critical · .* ads/.test(text)),
    );
    const ana = team.slack.as('ana');
    await ana.click(storm, 'Show list');
    const list = await team.modal('ana', /as of/);
    const worst = ids.get('ads') ?? '';
    expect(
      list.content.blocks.find(({ type, accessory }) => type === 'section' && accessory !== undefined)?.block_id,
    ).toBe(worst);

    await team.slack.as('ben').command('incidents', `/incidents ack ${ids.get('payments')}`);
    await team.modal('ana', /Acknowledged\* by <@[\s\S]*payments|payments[\s\S]*Acknowledged\* by <@/);
    await choose(team, 'ana', list, worst, 'Acknowledge');
    const taken = await team.modal('ana', /You acknowledged[\s\S]*as of/);
    await choose(team, 'ana', taken, worst, 'Resolve');
    await ana.submit(await team.modal('ana', /Resolution note/), { 'Resolution note': 'rolled back' });

    const closed = await team.modal('ana', new RegExp(`✅ \\*Closed\\* by <@${team.slack.as('ana').id}>`));
    expect(closed.id).toBe(list.id);
    await choose(team, 'ana', closed, worst, 'Show');
    expect((await team.modal('ana', /rolled back/)).id).not.toBe(list.id);
  });
});
