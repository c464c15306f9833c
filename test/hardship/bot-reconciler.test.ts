import { describe, expect, it } from 'vitest';
import { type BotTeam, eventually, nothingToReport, problemOf, startBotTeam } from '../support/bot-team.ts';

async function deleteMessage(team: BotTeam, ts: string): Promise<void> {
  await fetch(`${team.slack.apiUrl}chat.delete`, {
    method: 'POST',
    headers: { authorization: `Bearer ${team.slack.botToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ channel: 'C0INCIDENT', ts }),
  });
}

function count(team: BotTeam, method: string): number {
  return team.slack.calls.filter((call) => call.method === method).length;
}

describe('the reconciler', () => {
  it('searches for a post whose response was lost in a crash before it posts again', async () => {
    await using team = await startBotTeam();
    team.slack.faults.next('chat.postMessage', { kind: 'stored-then-502' });
    team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);

    await team.restartBot();
    await eventually(() => count(team, 'conversations.history') > 0);
    await team.slack.waitFor(() => team.slack.calls.find(({ method }) => method === 'chat.update'));

    expect(team.cards()).toHaveLength(1);
    expect(count(team, 'chat.postMessage')).toBe(1);
  });

  it('posts a card again only if somebody has deleted it', async () => {
    await using team = await startBotTeam();
    const id = team.service.openIncident({ service: 'payments' });
    const { ts } = await team.card(/payments/);

    await deleteMessage(team, ts);
    await team.slack.as('ana').command('incidents', `/incidents resolve ${id} done`);

    expect((await team.card(/Closed/)).ts).not.toBe(ts);
    expect(team.cards()).toHaveLength(1);
  });

  it.each(['is_archived', 'internal_error', 'ratelimited_by_proxy'])(
    'does not post again after an edit that failed with %s',
    async (error) => {
      await using team = await startBotTeam();
      const id = team.service.openIncident({ service: 'payments' });
      await team.card(/payments/);

      team.slack.faults.next('chat.update', { kind: 'error', error });
      await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);
      await team.slack.waitFor(() => team.slack.calls.find(({ verdict }) => verdict === error));

      expect(count(team, 'chat.postMessage')).toBe(1);
    },
  );

  it('sends only the text if Slack refuses the blocks', async () => {
    await using team = await startBotTeam();
    team.slack.faults.next('chat.postMessage', { kind: 'error', error: 'invalid_blocks' });

    team.service.openIncident({ service: 'payments' });

    const card = await team.card(/payments\nNot acknowledged/);
    expect(card.blocks).toEqual([]);
  });

  it('respects Retry-After, and responds to people meanwhile', async () => {
    await using team = await startBotTeam();
    team.slack.faults.next('chat.postMessage', { kind: 'rate_limited', retryAfterSeconds: 2 });
    team.service.openIncident({ service: 'payments' });
    const limited = await team.slack.waitFor(() =>
      team.slack.calls.find(({ method }) => method === 'chat.postMessage'),
    );

    await team.slack.as('ana').command('incidents', '/incidents open');
    const answered = await team.ephemeral('ana', /1 open incident/);
    const hadCard = team.cards().length > 0;
    await team.card(/payments/);

    const posted = team.slack.calls.findLast(({ method }) => method === 'chat.postMessage');
    expect(answered.text).toContain('payments');
    expect(hadCard).toBe(false);
    expect(Number(posted?.at) - Number(limited.at)).toBeGreaterThanOrEqual(2_000);
  });

  it('says what to do if the channel is archived', async () => {
    await using team = await startBotTeam();
    team.slack.changeChannel('incidents', { isArchived: true });

    team.service.openIncident({ service: 'payments' });

    expect(await eventually(() => problemOf(team, 'channel'))).toMatch(
      /archived: unarchive it, or set INCIDENTS_CHANNEL to another/,
    );
  });

  it('rejoins a public channel that it was removed from', async () => {
    await using team = await startBotTeam();
    team.slack.changeChannel('incidents', { members: [team.slack.as('ana').id] });

    team.service.openIncident({ service: 'payments' });

    expect((await team.card(/payments/)).isFromApp).toBe(true);
  });

  it('runs in two processes without duplicates', async () => {
    await using team = await startBotTeam();
    await team.startAnotherBot();

    const ids = Array.from({ length: 5 }, (_, index) => team.service.openIncident({ service: `service-${index}` }));
    await Promise.all(ids.map((_id, index) => team.card(new RegExp(`service-${index}`))));
    await nothingToReport(team);

    expect(team.cards()).toHaveLength(5);
  });
});
