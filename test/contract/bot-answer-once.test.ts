import { expect, it } from 'vitest';
import { sendingEnds, startBotTeam } from '../support/bot-team.ts';

it('sends one direct message, and no second ephemeral one, if Slack gives no clear response', async () => {
  await using team = await startBotTeam();
  const id = team.service.openIncident({ service: 'payments' });
  await team.card(/payments/);
  team.slack.faults.next('response_url', { kind: 'stored-then-502' });

  await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);

  await team.directMessage('ana', /You acknowledged/);
  await sendingEnds(team);
  const { id: ana } = team.slack.as('ana');
  const callsOf = (name: string) =>
    team.slack.calls.filter(({ method, args }) => method === name && args.channel === ana);
  expect(callsOf('chat.postMessage')).toHaveLength(1);
  expect(team.slack.calls.filter(({ method }) => method === 'chat.postEphemeral')).toEqual([]);
  expect(team.slack.ephemerals('ana', 'incidents')).toHaveLength(1);
});
