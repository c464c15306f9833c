import { describe, expect, it } from 'vitest';
import { type BotTeam, callSlack, problemOf, startBotTeam } from '../support/bot-team.ts';

const MADE = /The room for .* is <#(C\w+)>; you are invited\./;

function callsOf(team: BotTeam, method: string) {
  return team.slack.calls.filter((call) => call.method === method);
}

async function askForRoom(team: BotTeam, person: string, text = ''): Promise<string> {
  const before = team.slack.ephemerals(person, 'incidents').length;
  await team.slack.as(person).command('incidents', `/incidents room ${text}`);
  return team.slack.waitFor(() => team.slack.ephemerals(person, 'incidents')[before]?.text);
}

async function channelOf(answer: string) {
  const [, id = ''] = MADE.exec(answer) ?? [];
  expect(id).not.toBe('');
  return id;
}

async function infoOf(team: BotTeam, channel: string) {
  const { channel: info } = await callSlack(team, 'conversations.info', { channel });
  return info as { name: string; is_private: boolean; topic: { value: string }; num_members: number };
}

describe('/incidents room', () => {
  it('makes a channel with the card, pinned, a topic and whoever asked, and tells the thread', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    const card = await team.card(/payments/);

    const channel = await channelOf(await askForRoom(team, 'ana', 'payments'));

    await expect.poll(() => team.replies(card)).toContain(`Room: <#${channel}>`);
    await expect.poll(() => team.slack.messages(channel).map(({ text }) => text)).toHaveLength(1);
    expect(team.slack.messages(channel)[0]?.text).toContain('payments');
    await expect.poll(() => callsOf(team, 'pins.add').map(({ verdict }) => verdict)).toEqual(['ok']);
    await expect.poll(async () => (await infoOf(team, channel)).topic.value).toContain('not acknowledged');
    expect(await infoOf(team, channel)).toMatchObject({ is_private: false, num_members: 2 });
    expect((await infoOf(team, channel)).name).toMatch(/^inc-.+-payments$/);
  });

  it('tells the thread of a card that was not yet known to be posted', async () => {
    await using team = await startBotTeam();
    team.slack.faults.repeat('chat.postMessage', { kind: 'stored-then-502' }, { calls: 1 });
    team.service.openIncident({ service: 'payments' });
    const card = await team.card(/payments/);

    const channel = await channelOf(await askForRoom(team, 'ana'));

    await expect.poll(() => team.replies(card)).toEqual([`Room: <#${channel}>`]);
    expect(team.replies(team.slack.messages(channel)[0] ?? card)).not.toContain(`Room: <#${channel}>`);
  });

  it('keeps its topic and its card true', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    const card = await team.card(/payments/);
    const channel = await channelOf(await askForRoom(team, 'ana'));

    await team.slack.as('ben').click(card, 'Acknowledge');

    await expect.poll(async () => (await infoOf(team, channel)).topic.value).not.toContain('not acknowledged');
    await expect.poll(() => team.slack.messages(channel)[0]?.text).toContain('Acknowledged');
  });

  it('is made once, whoever asks, and everybody who asks is invited', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);

    const answers = await Promise.all(['ana', 'ben'].map((person) => askForRoom(team, person)));
    const [first, second] = await Promise.all(answers.map(channelOf));

    expect(second).toBe(first);
    expect(callsOf(team, 'conversations.create')).toHaveLength(1);
    await expect.poll(async () => (await infoOf(team, first ?? '')).num_members).toBe(3);
  });

  it('finds the channel that an unclear answer left behind', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    team.slack.faults.repeat('conversations.create', { kind: 'stored-then-502' }, { calls: 1 });

    await channelOf(await askForRoom(team, 'ana'));

    expect(callsOf(team, 'conversations.create').map(({ verdict }) => verdict)).toEqual(['stored-then-502']);
  });

  it('takes another name if somebody has a channel of that name', async () => {
    await using team = await startBotTeam();
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    const taken = `inc-${id.toLowerCase()}-payments`.replaceAll(/[^a-z0-9_-]+/g, '-');
    await callSlack(team, 'conversations.create', { name: taken });

    const channel = await channelOf(await askForRoom(team, 'ana'));

    expect((await infoOf(team, channel)).name).toBe(`${taken}-2`);
  });

  it('is private if that is asked for, and asks for the command again where a button would not be', async () => {
    await using team = await startBotTeam();
    const id = team.service.openIncident({ service: 'payments' });
    team.service.openIncident({ service: 'search' });
    await team.card(/payments/);
    await team.card(/search/);

    const question = await askForRoom(team, 'ana', 'private');
    expect(question).toContain(`/incidents room ${id} private`);
    expect(callsOf(team, 'conversations.create')).toEqual([]);
    const channel = await channelOf(await askForRoom(team, 'ana', `${id} private`));

    expect(await infoOf(team, channel)).toMatchObject({ is_private: true });
  });

  it.each([
    ['restricted_action', /Slack does not let this app make the channel/],
    ['missing_scope', /lacks the scope/],
  ])('says what to do about %s, and can be asked for again', async (error, said) => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    team.slack.faults.repeat('conversations.create', { kind: 'error', error }, { calls: 1 });

    expect(await askForRoom(team, 'ana')).toMatch(said);

    await channelOf(await askForRoom(team, 'ana'));
  });

  it('survives a restart between the channel and what follows', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    team.slack.faults.repeat('conversations.invite', { kind: 'error', error: 'internal_error' }, { calls: 1 });
    const channel = await channelOf(await askForRoom(team, 'ana'));

    await team.restartBot();

    await expect.poll(async () => (await infoOf(team, channel)).num_members).toBe(2);
    await expect.poll(() => callsOf(team, 'pins.add').filter(({ verdict }) => verdict === 'ok')).toHaveLength(1);
  });

  it('is left alone once somebody has archived it, and the thread says so', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    const card = await team.card(/payments/);
    const channel = await channelOf(await askForRoom(team, 'ana'));
    await expect.poll(() => team.slack.messages(channel)).toHaveLength(1);
    const shown = team.slack.messages(channel)[0]?.text;

    team.slack.changeChannel((await infoOf(team, channel)).name, { isArchived: true });
    await team.slack.as('ana').click(card, 'Acknowledge');

    await expect.poll(() => team.replies(card).join()).toContain('The room is archived or gone');
    await expect.poll(() => problemOf(team, 'other places')).toBeNull();
    expect(team.slack.messages(channel)[0]?.text).toBe(shown);
    expect(await askForRoom(team, 'ben')).toMatch(/There is no room for .* any more. The room is archived or gone/);
    expect(team.replies(card).join()).not.toContain('did not let me invite');
  });

  it('names somebody whom Slack does not let in', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    const card = await team.card(/payments/);
    team.slack.faults.repeat('conversations.invite', { kind: 'error', error: 'cant_invite' }, { calls: 1 });

    await channelOf(await askForRoom(team, 'ana'));

    await expect.poll(() => team.replies(card).join()).toContain(`invite <@${team.slack.as('ana').id}>`);
  });
});
