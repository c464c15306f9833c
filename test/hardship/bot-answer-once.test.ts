import { describe, expect, it } from 'vitest';
import { type BotTeam, eventually, sendingEnds, startBotTeam } from '../support/bot-team.ts';

const STORED = { kind: 'stored-then-502' } as const;
const ALWAYS = { calls: 100 } as const;

/** Types a command of ana's. The bot finishes all that it began to do about it. */
async function typed(team: BotTeam, text: string): Promise<void> {
  await team.slack.as('ana').command('incidents', `/incidents ${text}`);
  await team.stopBot();
}

function calls(team: BotTeam, name: string) {
  return team.slack.calls.filter(({ method }) => method === name);
}

function directTo(team: BotTeam, person: string) {
  const { id } = team.slack.as(person);
  return calls(team, 'chat.postMessage').filter(({ args }) => args.channel === id);
}

describe('an answer that Slack shows, but for which it gives no clear response', () => {
  it.each([
    'help',
    'help ack',
    'open',
    'closed',
    'mine',
    'show ID',
    'show 999',
    'stats',
    'health',
    'rules',
    'export',
    'dashboard',
    'nonsense',
  ])('is not sent again: %s', async (command) => {
    await using team = await startBotTeam({ hasAdditions: true });
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    team.slack.faults.repeat('response_url', STORED, ALWAYS);

    await typed(team, command.replace('ID', id));

    expect(team.slack.ephemerals('ana', 'incidents')).toHaveLength(1);
    expect([...calls(team, 'chat.postEphemeral'), ...directTo(team, 'ana')]).toEqual([]);
  });

  it.each(['open', 'stats', 'ack ID'])('is not sent again while the service is away: %s', async (command) => {
    await using team = await startBotTeam();
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    team.service.setAway(true);
    team.slack.faults.repeat('response_url', STORED, ALWAYS);

    await typed(team, command.replace('ID', id));

    expect(team.slack.ephemerals('ana', 'incidents')).toHaveLength(1);
    expect([...calls(team, 'chat.postEphemeral'), ...directTo(team, 'ana')]).toEqual([]);
  });

  it.each(['ack ID', 'ack 999', 'resolve ID restarted the pool', 'snooze ID 1h noise', 'declare The login fails'])(
    'is followed by one direct message with the outcome: %s',
    async (command) => {
      await using team = await startBotTeam({ hasAdditions: true });
      const id = team.service.openIncident({ service: 'payments' });
      await team.card(/payments/);
      team.slack.faults.repeat('response_url', STORED, ALWAYS);

      await team.slack.as('ana').command('incidents', `/incidents ${command.replace('ID', id)}`);
      await team.directMessage('ana', /^/);
      await sendingEnds(team);
      await team.stopBot();

      expect(directTo(team, 'ana')).toHaveLength(1);
      expect(calls(team, 'chat.postEphemeral')).toEqual([]);
      expect(team.slack.ephemerals('ana', 'incidents')).toHaveLength(1);
    },
  );

  it('is not sent again: a handover, which everybody in the channel sees', async () => {
    await using team = await startBotTeam();
    team.slack.faults.repeat('response_url', STORED, ALWAYS);

    await typed(team, 'handover');

    expect(team.slack.messages('incidents')).toHaveLength(1);
    expect([...team.slack.ephemerals('ana', 'incidents'), ...directTo(team, 'ana')]).toEqual([]);
  });

  it('is not sent again: a list that replaces itself', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    await team.slack.as('ana').command('incidents', '/incidents open');
    const list = await team.ephemeral('ana', /payments/);
    team.slack.faults.repeat('response_url', STORED, ALWAYS);

    await team.slack.as('ana').click(list, 'Refresh');
    await team.stopBot();

    expect(team.slack.faults.pending()).toMatchObject([{ method: 'response_url', calls: ALWAYS.calls - 1 }]);
    expect(team.slack.ephemerals('ana', 'incidents')).toHaveLength(1);
    expect([...calls(team, 'chat.postEphemeral'), ...directTo(team, 'ana')]).toEqual([]);
  });
});

describe('an answer whose response_url Slack refuses', () => {
  const EXPIRED = { kind: 'error', error: 'expired_url' } as const;

  it('is one ephemeral message, also if Slack gives no clear response to it', async () => {
    await using team = await startBotTeam();
    team.slack.faults.repeat('response_url', EXPIRED, ALWAYS);
    team.slack.faults.next('chat.postEphemeral', STORED);

    await typed(team, 'help');

    expect(team.slack.ephemerals('ana', 'incidents')).toHaveLength(1);
    expect(directTo(team, 'ana')).toEqual([]);
  });

  it('is one direct message if Slack refuses the ephemeral one too, also without a clear response', async () => {
    await using team = await startBotTeam();
    team.slack.faults.repeat('response_url', EXPIRED, ALWAYS);
    team.slack.faults.repeat('chat.postEphemeral', { kind: 'error', error: 'user_not_in_channel' }, ALWAYS);
    team.slack.faults.next('chat.postMessage', STORED);

    await typed(team, 'help');

    expect(team.slack.ephemerals('ana', 'incidents')).toEqual([]);
    expect(directTo(team, 'ana')).toHaveLength(1);
  });

  it('is repeated exactly once by a direct message if it is an outcome, and the ephemeral message is unclear', async () => {
    await using team = await startBotTeam();
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    team.slack.faults.repeat('response_url', EXPIRED, ALWAYS);
    team.slack.faults.next('chat.postEphemeral', STORED);

    await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);
    await team.directMessage('ana', /You acknowledged/);
    await sendingEnds(team);
    await team.stopBot();

    expect(directTo(team, 'ana')).toHaveLength(1);
    expect(team.slack.ephemerals('ana', 'incidents')).toHaveLength(1);
  });
});

describe('a typed note that no incident took', () => {
  it('is quoted in a direct message if Slack gives no clear response, so that it is never lost', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    team.service.openIncident({ service: 'payments' });
    await eventually(() => team.cards().length === 2);
    team.slack.faults.repeat('response_url', STORED, ALWAYS);

    await typed(team, 'resolve payments restarted the pool');

    expect(directTo(team, 'ana').map(({ args }) => args.text)).toEqual([expect.stringContaining('restarted the pool')]);
  });
});
