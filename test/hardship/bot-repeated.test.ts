import { describe, expect, it } from 'vitest';
import { ACTIONS } from '../../src/bot/blocks/ids.ts';
import { ACT_FORMS, RESOLVE_INPUT } from '../../src/bot/rooms/act/ids.ts';
import { type BotTeam, eventually, startBotTeam } from '../support/bot-team.ts';
import { postInteraction } from '../support/signed-post.ts';

const TEAM_ID = 'T0LOCAL001';

function writes(team: BotTeam, action: string): number {
  return team.service.requests.filter(({ method, path }) => method === 'POST' && path.endsWith(action)).length;
}

function clickOnAcknowledge(team: BotTeam, incidentId: string) {
  return {
    type: 'block_actions',
    team: { id: TEAM_ID },
    user: { id: team.slack.as('ana').id, team_id: TEAM_ID },
    channel: { id: 'C0INCIDENT' },
    trigger_id: 'one.and.the.same',
    response_url: `${new URL(team.slack.apiUrl).origin}/response/none`,
    actions: [{ type: 'button', action_id: ACTIONS.acknowledge, block_id: 'b', value: incidentId, action_ts: '1' }],
  };
}

function submission(team: BotTeam, view: Awaited<ReturnType<BotTeam['modal']>>, note: string) {
  const { private_metadata } = view.content;
  const field = { [RESOLVE_INPUT.actionId]: { type: 'plain_text_input', value: note } };
  return {
    type: 'view_submission',
    team: { id: TEAM_ID },
    user: { id: team.slack.as('ana').id, team_id: TEAM_ID },
    view: {
      id: view.id,
      type: 'modal',
      callback_id: ACT_FORMS.resolve,
      private_metadata,
      state: { values: { [RESOLVE_INPUT.blockId]: field } },
    },
  };
}

describe('an interaction that Slack delivers twice at once', () => {
  it('writes once and answers once, if it is a click', async () => {
    await using team = await startBotTeam({ transport: 'http' });
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    const click = clickOnAcknowledge(team, id);

    const statuses = await Promise.all([postInteraction(team, click), postInteraction(team, click)]);
    await team.ephemeral('ana', /You acknowledged/);
    await team.stopBot(); // waits for running requests

    expect(statuses).toEqual([200, 200]);
    expect(writes(team, '/acknowledge')).toBe(1);
    expect(team.slack.ephemerals('ana', 'incidents')).toHaveLength(1);
  });

  it('writes once and answers once, if it is a form', async () => {
    await using team = await startBotTeam({ transport: 'http' });
    const id = team.service.openIncident({ service: 'payments' });
    await team.slack.as('ana').click(await team.card(/payments/), 'Resolve');
    const form = submission(team, await team.modal('ana'), 'rolled back 1.2.3');

    const statuses = await Promise.all([postInteraction(team, form), postInteraction(team, form)]);
    await team.ephemeral('ana', /You closed/);
    await team.stopBot();

    expect(statuses).toEqual([200, 200]);
    expect(writes(team, '/resolve')).toBe(1);
    expect(team.slack.ephemerals('ana', 'incidents')).toHaveLength(1);
    expect(team.service.incident(id).resolutionNote).toBe('rolled back 1.2.3');
  });
});

describe('a form that is submitted again while its note is being sent', () => {
  it('is acknowledged and not sent a second time, by this process or another one', async () => {
    await using team = await startBotTeam();
    const id = team.service.openIncident({ service: 'payments' });
    await team.slack.as('ana').click(await team.card(/payments/), 'Resolve');
    const form = await team.modal('ana');
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    team.service.failNext({ until: released }, { method: 'POST', path: /resolve$/ });
    const words = { 'Resolution note': 'rolled back 1.2.3' };

    team.slack.faults.dropAcks(1); // keeps the form open, so that it can be submitted again
    const first = team.slack.as('ana').submit(form, words);
    await eventually(() => writes(team, '/resolve') === 1);
    const again = await team.slack.as('ana').submit(form, words);
    await team.startAnotherBot();
    await team.slack.as('ben').command('incidents', '/incidents help');
    release();
    await team.ephemeral('ana', /You closed/);
    await first;

    expect([again.ack?.kind, again.errors]).toEqual(['acked', {}]);
    expect(writes(team, '/resolve')).toBe(1);
    expect(team.service.incident(id).resolutionNote).toBe('rolled back 1.2.3');
    expect(team.slack.ephemerals('ana', 'incidents')).toHaveLength(1);
  });
});
