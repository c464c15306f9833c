import { describe, expect, it } from 'vitest';
import { createStore } from '../../src/bot/store.ts';
import { type BotTeam, startBotTeam } from '../support/bot-team.ts';
import { postInteraction } from '../support/signed-post.ts';

async function auditOf(team: BotTeam, slackUserId: string) {
  const entries = await (await createStore(team.database)).auditLog.list(slackUserId);
  return entries.map(({ action, incidentId, userName, outcome, detail }) => ({
    action,
    incidentId,
    userName,
    outcome,
    detail,
  }));
}

function writes(team: BotTeam): number {
  return team.service.requests.filter(({ method, path }) => method === 'POST' && path.startsWith('/incidents')).length;
}

/** A click of a person of another workspace. @param teamId where they clicked */
function clickAsStranger(team: BotTeam, incidentId: string, teamId = 'T0OTHER001'): Promise<number> {
  return postInteraction(team, {
    type: 'block_actions',
    team: { id: teamId, domain: 'other' },
    user: { id: 'U0STRANGER', team_id: 'T0OTHER001' },
    channel: { id: 'C0INCIDENT' },
    trigger_id: '1.2.3',
    response_url: `${new URL(team.slack.apiUrl).origin}/response/none`,
    actions: [{ type: 'button', action_id: 'incident_acknowledge', block_id: 'b', value: incidentId, action_ts: '1' }],
  });
}

describe('permission to act', () => {
  it('is refused to guests with the reason, for every control, and nothing is written', async () => {
    await using team = await startBotTeam();
    const id = team.service.openIncident({ service: 'payments' });
    const card = await team.card(/payments/);

    await team.slack.as('chloe').click(card, 'Acknowledge');
    await team.ephemeral('chloe', /Guests of this workspace can only read the cards here\. Please ask a member/);
    await team.slack.as('chloe').click(card, 'Resolve');
    await team.slack.as('chloe').command('incidents', `/incidents resolve ${id} mine`);
    await team.slack.waitFor(() => team.slack.ephemerals('chloe', 'incidents').length === 3);

    expect(team.slack.openViews('chloe')).toEqual([]);
    expect(writes(team)).toBe(0);
    expect((await auditOf(team, team.slack.as('chloe').id)).map(({ action, outcome }) => [action, outcome])).toEqual([
      ['acknowledge', 'refused'],
      ['incident_resolve', 'refused'],
      ['resolve', 'refused'],
    ]);
  });

  it('is refused to people of other workspaces', async () => {
    await using team = await startBotTeam({ transport: 'http' });
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);

    const status = await clickAsStranger(team, id);

    await team.slack.waitFor(() =>
      team.slack.calls.find(({ args }) => /People of other workspaces can only read/.test(String(args.text))),
    );
    expect(status).toBe(200);
    expect(writes(team)).toBe(0);
    expect(await auditOf(team, 'U0STRANGER')).toMatchObject([{ outcome: 'refused', detail: 'stranger' }]);
  });

  it('waits for the look-up of a person who was not known before: a member acts then, a guest never', async () => {
    await using team = await startBotTeam();
    const id = team.service.openIncident({ service: 'payments' });
    const card = await team.card(/payments/);
    team.slack.faults.repeat('users.info', { kind: 'error', error: 'internal_error' }, { calls: 6 });

    await team.slack.as('chloe').click(card, 'Acknowledge');
    await team.slack.as('chloe').click(card, 'Resolve');
    await team.slack.as('chloe').command('incidents', '/incidents open');
    await team.ephemeral('chloe', /Slack is not saying right now who is who.*acknowledgement is saved/);
    await team.ephemeral('chloe', /Nothing was changed: Slack is not saying right now who you are/);
    await team.ephemeral('chloe', /^1 open incident/);
    const before = writes(team);
    await team.directMessage('chloe', /Guests of this workspace can only read/);
    team.slack.faults.repeat('users.info', { kind: 'error', error: 'internal_error' }, { calls: 2 });
    await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);
    await team.ephemeral('ana', /acknowledgement is saved/);
    await team.directMessage('ana', /You acknowledged/);

    expect([before, writes(team)]).toEqual([0, 1]);
    expect(team.service.incident(id).acknowledgedBy).toBe('ana@example.com');
  });

  it('is refused to people of other workspaces also while Slack does not say who they are', async () => {
    await using team = await startBotTeam({ transport: 'http' });
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    team.slack.faults.repeat('users.info', { kind: 'error', error: 'internal_error' }, { calls: 100 });

    await clickAsStranger(team, id, 'T0LOCAL001');

    await team.slack.waitFor(() =>
      team.slack.calls.find(({ args }) => /People of other workspaces can only read/.test(String(args.text))),
    );
    expect(writes(team)).toBe(0);
  });
});

it.each([
  ['email', 'ana@example.com'],
  ['name', 'ana'],
  ['id', 'U0ANA00001'],
] as const)('identifies people to the service by %s if configured', async (naming, expected) => {
  await using team = await startBotTeam({ naming });
  const id = team.service.openIncident({ service: 'payments' });

  await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);

  await team.ephemeral('ana', /You acknowledged/);
  expect(team.service.incident(id).acknowledgedBy).toBe(expected);
});

describe('while the look-up of people fails', () => {
  it('people known to any process keep their name at the service, even after a restart', async () => {
    await using team = await startBotTeam();
    const first = team.service.openIncident({ service: 'payments' });
    await team.slack.as('ana').command('incidents', `/incidents ack ${first}`);
    await team.ephemeral('ana', /You acknowledged .*payments/);

    await team.restartBot();
    team.slack.faults.repeat('users.info', { kind: 'error', error: 'internal_error' }, { calls: 100 });
    const second = team.service.openIncident({ service: 'search' });
    await team.slack.as('ana').click(await team.card(/search/), 'Acknowledge');
    await team.ephemeral('ana', /You acknowledged .*search/);
    await team.slack.as('ana').command('incidents', `/incidents resolve ${second} rolled back 1.2.3`);
    await team.ephemeral('ana', /You closed .*search/);

    expect(team.service.incident(second).acknowledgedBy).toBe('ana@example.com');
    await team.card(/search\nClosed by ana/);
  });

  it('guests known to any process may not act', async () => {
    await using team = await startBotTeam();
    const id = team.service.openIncident({ service: 'payments' });
    await team.slack.as('chloe').click(await team.card(/payments/), 'Acknowledge');
    await team.ephemeral('chloe', /Guests of this workspace/);

    await team.restartBot();
    team.slack.faults.repeat('users.info', { kind: 'error', error: 'internal_error' }, { calls: 100 });
    await team.slack.as('chloe').command('incidents', `/incidents ack ${id}`);
    await team.slack.waitFor(() => team.slack.ephemerals('chloe', 'incidents').length === 2);

    expect(writes(team)).toBe(0);
  });
});

describe('the audit log', () => {
  it('has a row for every action with its outcome', async () => {
    await using team = await startBotTeam();
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);

    await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);
    await team.ephemeral('ana', /You acknowledged/);
    await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);
    await team.ephemeral('ana', /already acknowledged/);
    team.service.setAway(true);
    await team.slack.as('ana').command('incidents', `/incidents resolve ${id} rolled back`);
    await team.ephemeral('ana', /is saved/);
    team.service.setAway(false);
    await team.directMessage('ana', /You closed/);

    const rows = await auditOf(team, team.slack.as('ana').id);
    expect(rows.map(({ action, outcome }) => `${action} ${outcome}`)).toEqual([
      'acknowledge done',
      'acknowledge already',
      'resolve kept',
      'resolve done',
    ]);
    expect(new Set(rows.map(({ userName, incidentId }) => `${userName} ${incidentId}`))).toEqual(
      new Set([`ana@example.com ${id}`]),
    );
  });
});
