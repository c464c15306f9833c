import { describe, expect, it } from 'vitest';
import { createStore } from '../../src/bot/store.ts';
import { type BotTeam, eventually, nothingToReport, startBotTeam } from '../support/bot-team.ts';

const GENERAL = 'C0GENERAL1';
type View = Awaited<ReturnType<BotTeam['modal']>>;
type Values = Parameters<ReturnType<BotTeam['slack']['as']>['submit']>[1];

async function startReady(options: Parameters<typeof startBotTeam>[0] = {}): Promise<BotTeam> {
  const team = await startBotTeam(options);
  await nothingToReport(team);
  return team;
}

/** Opens the form by command, fills it, and waits for the check of what it would have posted. */
async function fillForm(team: BotTeam, person: string, channel: string, values: Values) {
  await team.slack.as(person).command(channel, '/incidents subscribe');
  const form = await team.modal(person, /rule_services/);
  await offerServices(team, person, form, values.rule_services ?? []);
  const { errors } = await team.slack.as(person).submit(form, values);
  return Object.keys(errors).length > 0
    ? { errors, check: null }
    : { errors, check: await team.modal(person, /In the last|not known/) };
}

/** Types each service, so that it is among the options and can be chosen. */
async function offerServices(team: BotTeam, person: string, form: View, services: string | readonly string[]) {
  for (const name of [services].flat()) {
    await team.slack.as(person).suggest(form, 'rule_services', name);
  }
}

async function save(team: BotTeam, person: string, channel: string, values: Values): Promise<void> {
  const { check, errors } = await fillForm(team, person, channel, values);
  if (check === null) {
    throw new Error(JSON.stringify(errors));
  }
  await team.slack.as(person).submit(check, {});
}

const rootCards = (team: BotTeam, channel: string) =>
  team.slack
    .messages(channel)
    .filter(({ metadata }) => metadata?.event_type === 'tocsin_card')
    .map(({ text }) => /payments|search/.exec(text)?.[0]);

const rulesOf = async (team: BotTeam) => (await createStore(team.database)).rules.list();

describe('/incidents subscribe', () => {
  it('shows what a rule would have posted, and saves it', async () => {
    await using team = await startReady();
    team.service.openIncident({ service: 'payments' });
    team.service.openIncident({ service: 'search' });
    await team.card(/search/);

    const { check } = await fillForm(team, 'ana', 'incidents', {
      rule_where: GENERAL,
      rule_services: ['pay*', 'cart'],
    });
    const shown = JSON.stringify(check?.content.blocks);
    const before = rootCards(team, 'general');
    if (check !== null) {
      await team.slack.as('ana').submit(check, {});
    }
    await team.ephemeral('ana', /Saved: all incidents of `pay\*`, `cart` come to <#C0GENERAL1>/);
    await eventually(() => rootCards(team, 'general').length > 0);

    expect(shown).toContain('It posts *1 card now*, for incidents that are open.');
    expect(shown).toContain('In the last 7 days this would have posted *1 card* here');
    expect(before).toEqual([]);
    expect(rootCards(team, 'general')).toEqual(['payments']);
    expect(team.slack.openViews('ana')).toEqual([]);
  });

  it('offers the services that failed, and takes a name that the bot has never seen', async () => {
    await using team = await startReady();
    for (const service of ['search', 'pay-gateway', 'payments']) {
      team.service.openIncident({ service });
      await team.card(new RegExp(service));
    }
    await team.slack.as('ana').command('incidents', '/incidents subscribe');
    const form = await team.modal('ana', /rule_services/);
    const offered = async (typed: string) => (await team.slack.as('ana').suggest(form, 'rule_services', typed)).options;
    const named = async (typed: string) => ((await offered(typed)) as { value: string }[]).map(({ value }) => value);

    expect((await named('')).toSorted()).toEqual(['pay-gateway', 'payments', 'search']);
    expect(await named('pay')).toEqual(['payments', 'pay-gateway', 'pay', 'pay*']);
    expect(await named('SEARCH')).toEqual(['search', 'SEARCH*']);
    expect(await named('unheard-of')).toEqual(['unheard-of', 'unheard-of*']);
    expect(await named('web, cart-*')).toEqual(['web, cart-*']);
    await team.slack.as('ana').submit(form, { rule_services: ['payments', 'unheard-of', 'web, cart-*'] });
    await team.slack.as('ana').submit(await team.modal('ana', /In the last/), {});
    await team.ephemeral('ana', /Saved: all incidents of `payments`, `unheard-of`, `web`, `cart-\*`/);
  });

  it('keeps all that the form asks for', async () => {
    await using team = await startReady();
    const group = team.slack.as('ana').setUserGroup('on-call', ['ana', 'ben']);

    await save(team, 'ana', 'incidents', {
      rule_severities: ['critical', 'error'],
      rule_first_group: group,
      rule_first_minutes: '5',
      rule_next_channel: GENERAL,
      rule_next_minutes: '10',
      rule_members: group,
      rule_quiet_from: '22:00',
      rule_quiet_to: '07:00',
      rule_handover: '09:00',
    });
    await team.ephemeral('ana', /Saved/);

    expect((await rulesOf(team)).find(({ createdBy }) => createdBy !== null)).toMatchObject({
      channelId: 'C0INCIDENT',
      createdBy: team.slack.as('ana').id,
      filter: { services: [], severities: ['critical', 'error'], integrations: [] },
      escalation: [
        { afterMinutes: 5, target: { kind: 'group', id: group } },
        { afterMinutes: 10, target: { kind: 'channel', id: GENERAL } },
        { afterMinutes: 10, target: { kind: 'members', id: group } },
      ],
      quietHours: { from: '22:00', to: '07:00', timeZone: 'Europe/Lisbon' },
      handover: { at: '09:00', timeZone: 'Europe/Lisbon' },
    });
  });

  it('says what is wrong beside the field', async () => {
    await using team = await startReady();

    const { errors } = await fillForm(team, 'ana', 'incidents', { rule_quiet_from: '22:00' });

    expect(errors).toEqual({ rule_quiet_to: 'Quiet hours need both times.' });
  });

  it('saves also while the service is away', async () => {
    await using team = await startReady();
    team.service.setAway(true);

    await save(team, 'ana', 'incidents', { rule_where: GENERAL });
    await team.ephemeral('ana', /Saved/);

    expect(await rulesOf(team)).toHaveLength(2);
  });

  it('in the direct messages with the bot subscribes the person', async () => {
    await using team = await startReady();
    const id = team.slack.as('ana').openDirectMessage(['tocsin']);

    await save(team, 'ana', id, { rule_services: ['payments'] });
    team.service.openIncident({ service: 'payments' });
    team.service.openIncident({ service: 'search' });
    await team.card(/search/);
    await eventually(() => rootCards(team, id).length > 0);

    expect(rootCards(team, id)).toEqual(['payments']);
    expect(rootCards(team, 'incidents')).toHaveLength(2);
  });
});

describe('/incidents rules', () => {
  it('lists the rules of a channel, with the noise, and edits and deletes them', async () => {
    await using team = await startReady();
    team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);

    await team.slack.as('ana').command('incidents', '/incidents rules');
    const list = await team.ephemeral('ana', /1 rule here/);
    await team.slack.as('ana').click(list, 'Edit');
    const form = await team.modal('ana', /rule_services/);
    await offerServices(team, 'ana', form, 'search');
    await team.slack.as('ana').submit(form, { rule_services: ['search'] });
    await team.slack.as('ana').submit(await team.modal('ana', /In the last/), {});
    await team.ephemeral('ana', /Saved: all incidents of `search`/);
    const edited = await rulesOf(team);
    await team.slack.as('ana').click(list, 'Delete');
    await team.ephemeral('ana', /Deleted 1 rule/);

    expect(list.text).toContain('In the last 30 days: 1 card, 0 acted on.');
    expect(edited.map(({ filter }) => filter.services)).toEqual([['search']]);
    expect(await rulesOf(team)).toEqual([]);
  });

  it('proposes a narrower rule for a noisy channel, one click away', async () => {
    await using team = await startReady();
    const acted = { acknowledged_by: 'ben', acknowledged_at: new Date().toISOString() };
    team.service.showMore(({ rootService }) => (rootService === 'payments' ? acted : {}));
    for (let index = 0; index < 24; index += 1) {
      team.service.openIncident({ service: index < 3 ? 'payments' : 'search' });
    }
    const { rules } = await createStore(team.database);
    await eventually(async () => {
      const cards = await rules.pastCards('C0INCIDENT', new Date(0));
      return cards.length === 24 && cards.filter(({ isActedOn }) => isActedOn).length === 3;
    });

    await team.slack.as('ana').command('incidents', '/incidents rules');
    await team.slack.as('ana').click(await team.ephemeral('ana', /24 cards, 3 acted on/), 'Use the narrower rule');
    await team.slack.as('ana').submit(await team.modal('ana', /rule_services/), {});
    await team.slack.as('ana').submit(await team.modal('ana', /In the last/), {});
    await team.ephemeral('ana', /Saved: all incidents of `payments`/);

    expect((await rulesOf(team)).map(({ filter }) => filter.services)).toEqual([['payments']]);
  });

  it('are all deleted by /incidents unsubscribe, after a question', async () => {
    await using team = await startReady();

    await team.slack.as('ana').command('incidents', '/incidents unsubscribe');
    const question = await team.ephemeral('ana', /Stop incidents in this channel\? This deletes 1 rule: all incidents/);
    const asked = await rulesOf(team);
    await team.slack.as('ana').click(question, 'Stop incidents here');
    await team.ephemeral('ana', /Deleted 1 rule/);
    expect(asked).toHaveLength(1);
    team.service.openIncident({ service: 'payments' });
    await team.slack.as('ana').command('incidents', '/incidents rules');
    await team.ephemeral('ana', /No incidents come here/);

    expect(rootCards(team, 'incidents')).toEqual([]);
  });
});

it('are not deleted by /incidents unsubscribe with an unknown word', async () => {
  await using team = await startReady();

  await team.slack.as('ana').command('incidents', '/incidents unsubscribe foo');
  await team.ephemeral('ana', /unsubscribe foo` was not run: “foo” is not understood here\. Nothing may follow/);

  expect(await rulesOf(team)).toHaveLength(1);
});

it('are restored once by Undo', async () => {
  await using team = await startReady();
  const [before] = await rulesOf(team);
  await team.slack.as('ana').command('incidents', '/incidents unsubscribe');
  await team.slack.as('ana').click(await team.ephemeral('ana', /Stop incidents/), 'Stop incidents here');
  const deleted = await team.ephemeral('ana', /Deleted 1 rule/);

  await team.slack.as('ana').click(deleted, 'Undo');
  await team.ephemeral('ana', /Back: all incidents/);
  await team.slack.as('ben').click(deleted, 'Undo');
  await team.ephemeral('ben', /the rules are back already/);
  team.service.openIncident({ service: 'payments' });
  await team.card(/payments/);

  expect(await rulesOf(team)).toEqual([before]);
});

describe('permission to change rules', () => {
  it('is limited to the user group that the setting names', async () => {
    let group = '';
    await using team = await startReady({
      rulesGroup: 'leads',
      before: ({ slack }) => {
        group = slack.as('ana').setUserGroup('leads', ['ben']);
      },
    });

    await team.slack.as('ana').command('incidents', '/incidents unsubscribe');
    await team.ephemeral('ana', /only members of @leads can change rules here\. Please ask one of them/);
    await team.slack.as('ben').command('incidents', '/incidents unsubscribe');
    await team.ephemeral('ben', /Stop incidents in this channel/);

    expect(group).toMatch(/^S/);
  });

  it('is refused to guests even without the setting', async () => {
    await using team = await startReady();

    await team.slack.as('chloe').command('incidents', '/incidents unsubscribe');
    await team.ephemeral('chloe', /Guests of this workspace can only read/);

    expect(await rulesOf(team)).toHaveLength(1);
  });
});
