import { describe, expect, it } from 'vitest';
import { startBotTeam } from '../support/bot-team.ts';
import { postInteraction } from '../support/signed-post.ts';

describe('a workspace with responder groups', () => {
  it('lets their members act; others may look, and are told whom to ask', async () => {
    await using team = await startBotTeam({
      responderGroups: ['sre'],
      before: ({ slack }) => void slack.as('ana').setUserGroup('sre', ['ana']),
    });
    const id = team.service.openIncident({ service: 'payments' });
    const card = await team.card(/payments/);

    await team.slack.as('ben').click(card, 'Acknowledge');
    const { text } = await team.ephemeral(
      'ben',
      /only members of @sre can act on incidents here\. Please ask one of them/,
    );
    await team.slack.as('ben').click(card, 'Resolve');
    await team.slack.as('ben').command('incidents', `/incidents resolve ${id} my own words`);
    await team.ephemeral('ben', /only members of @sre.*\nYour note was not added\. Here it is:\nmy own words/);
    await team.slack.as('ben').command('incidents', `/incidents show ${id}`);
    await team.ephemeral('ben', /payments.*Not acknowledged/s);
    await team.slack.as('ana').click(card, 'Acknowledge');
    await team.ephemeral('ana', /You acknowledged/);

    expect(text).toMatch(/^Nothing was changed/);
    expect(team.slack.openViews('ben')).toEqual([]);
    expect(team.service.incident(id)).toMatchObject({ status: 'open', acknowledgedBy: 'ana@example.com' });
  });

  it('keeps what is asked while Slack does not say who is a member, and does it then', async () => {
    await using team = await startBotTeam({
      responderGroups: ['sre'],
      before: ({ slack }) => {
        slack.as('ana').setUserGroup('sre', ['ana']);
        slack.faults.repeat('usergroups.list', { kind: 'error', error: 'internal_error' }, { calls: 2 });
      },
    });
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);

    await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);
    await team.ephemeral('ana', /Slack is not saying right now who is who/);
    await team.directMessage('ana', /You acknowledged/);

    expect(team.service.incident(id).acknowledgedBy).toBe('ana@example.com');
  });
});

describe('a request for another workspace', () => {
  it('does nothing and is answered, whoever sent it', async () => {
    await using team = await startBotTeam({ transport: 'http' });
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);

    const status = await postInteraction(team, {
      type: 'block_actions',
      team: { id: 'T0OTHER001', domain: 'other' },
      user: { id: team.slack.as('ana').id, team_id: 'T0OTHER001' },
      channel: { id: 'C0INCIDENT' },
      trigger_id: '1.2.3',
      response_url: `${new URL(team.slack.apiUrl).origin}/response/none`,
      actions: [{ type: 'button', action_id: 'incident_acknowledge', block_id: 'b', value: id, action_ts: '1' }],
    });

    await team.ephemeral('ana', /People of other workspaces can only read/);
    expect(status).toBe(200);
    expect(team.service.incident(id).acknowledgedBy).toBeNull();
  });
});
