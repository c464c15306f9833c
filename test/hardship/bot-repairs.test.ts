import { describe, expect, it } from 'vitest';
import { STORM_RULES } from '../../src/bot/rooms/storm/storm.ts';
import { advance, type BotTeam, callSlack, eventually, leap, problemOf, startBotTeam } from '../support/bot-team.ts';
import { createTestClock } from '../support/test-clock.ts';

function calls(team: BotTeam, method: string) {
  return team.slack.calls.filter((call) => call.method === method);
}

describe('a message that Slack refuses', () => {
  it('because of a revoked token is sent once the token works again, and /readyz says what to do', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    team.slack.faults.next('chat.postMessage', { kind: 'error', error: 'token_revoked' });

    team.service.openIncident({ service: 'payments' });
    const said = await eventually(() => problemOf(team, 'slack'));
    await leap(team, clock, 60_000);
    await team.card(/payments/);

    expect(said).toMatch(/refuses SLACK_BOT_TOKEN \(token_revoked\): reinstall the app/);
    expect(await eventually(async () => (await problemOf(team, 'slack')) === null)).toBe(true);
    expect(team.cards()).toHaveLength(1);
  });

  it('because the channel is archived is sent once the channel is unarchived', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    const id = team.service.openIncident({ service: 'payments' });
    const { ts } = await team.card(/payments/);
    team.slack.changeChannel('incidents', { isArchived: true });
    await team.slack.as('ana').command('incidents', `/incidents resolve ${id} done`);
    await eventually(() => problemOf(team, 'channel'));

    team.slack.changeChannel('incidents', { isArchived: false });
    await leap(team, clock, 60_000);

    expect((await team.card(/Closed/)).ts).toBe(ts);
    expect(await eventually(async () => (await problemOf(team, 'channel')) === null)).toBe(true);
  });

  it('because it belongs to an earlier installation of the app is posted again once', async () => {
    await using team = await startBotTeam();
    const id = team.service.openIncident({ service: 'payments' });
    const { ts } = await team.card(/payments/);
    const counts = () => ['chat.postMessage', 'chat.update'].map((method) => calls(team, method).length);

    team.slack.faults.next('chat.update', { kind: 'error', error: 'cant_update_message' });
    await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);
    const anew = await team.card(/Acknowledged by ana/);
    const before = counts();
    await team.slack.as('ana').command('incidents', `/incidents resolve ${id} done`);
    const closed = await team.card(/Closed/);

    expect([before, counts()]).toEqual([
      [2, 1],
      [2, 2],
    ]);
    expect([anew.ts === ts, closed.ts === anew.ts]).toEqual([false, true]);
  });

  it('because the workspace forbids edits of older messages is reported as long as that lasts', async () => {
    await using team = await startBotTeam();
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);

    team.slack.faults.next('chat.update', { kind: 'error', error: 'edit_window_closed' });
    await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);
    await eventually(() => problemOf(team, 'channel'));
    team.service.openIncident({ service: 'search' });
    await team.card(/search/);

    expect(await problemOf(team, 'channel')).toMatch(/edits of older messages .*: a workspace admin can lift that/);
    expect(team.cards()).toHaveLength(2);
  });

  it('repeatedly is retried with backoff', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);

    team.slack.faults.repeat('chat.update', { kind: 'error', error: 'edit_window_closed' }, { calls: 100 });
    await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);
    const stepMs = 10_000; // Slack's clock and the database's are moved one after the other
    await eventually(async () => {
      await advance(team, clock, stepMs);
      return calls(team, 'chat.update').length === 4;
    });
    const triedAt = calls(team, 'chat.update').map(({ at }) => Number(at));
    const pausesMs = triedAt.slice(1).map((at, index) => at - (triedAt[index] ?? 0));

    expect(pausesMs.map((pauseMs, index) => pauseMs >= 60_000 * 2 ** index - stepMs)).toEqual([true, true, true]);
  });

  it.each(['invalid_blocks', 'msg_blocks_too_long'])(
    'with %s is edited as text that names the commands',
    async (error) => {
      await using team = await startBotTeam();
      const id = team.service.openIncident({ service: 'payments' });
      const { ts } = await team.card(/payments/);

      team.slack.faults.next('chat.update', { kind: 'error', error });
      await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);

      const card = await team.card(/Acknowledged by ana[\s\S]*`\/incidents help` lists the commands/);
      expect(card.ts).toBe(ts);
      expect(card.blocks).toEqual([]);
    },
  );
});

describe('the audit', () => {
  it('removes duplicates and posts deleted cards again, and reads the history only when due', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    team.service.openIncident({ service: 'payments' });
    team.service.openIncident({ service: 'search' });
    const kept = await team.card(/payments/);
    const deleted = await team.card(/search/);
    const double = { text: 'a double', metadata: kept.metadata };
    await callSlack(team, 'chat.postMessage', double);
    await callSlack(team, 'chat.delete', { ts: deleted.ts });
    const reads = () => calls(team, 'conversations.history').length;
    const before = reads();

    await leap(team, clock, 11 * 60_000);

    await team.slack.waitFor(() => team.cards().every(({ text }) => text !== 'a double'));
    await team.card(/search/);
    expect(team.cards().map(({ ts }) => ts)).toContain(kept.ts);
    expect(team.cards()).toHaveLength(2);
    expect([before, reads()]).toEqual([0, 1]);
  });

  it.each(['conversations.history', 'chat.delete'])('is repeated soon after a rate limit of %s', async (method) => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    team.service.openIncident({ service: 'payments' });
    const kept = await team.card(/payments/);
    await callSlack(team, 'chat.postMessage', { text: 'a double', metadata: kept.metadata });
    team.slack.faults.next(method, { kind: 'rate_limited', retryAfterSeconds: 90 });

    await leap(team, clock, 11 * 60_000);
    await eventually(() => calls(team, method).some(({ verdict }) => verdict === 'ratelimited'));
    const isAlone = async () => {
      await advance(team, clock, 1_000);
      return team.cards().length === 1;
    };

    expect(await eventually(isAlone)).toBe(true);
    expect(calls(team, method).map(({ verdict }) => verdict)).toEqual(['ratelimited', 'ok']);
  });

  it('removes other duplicates if one belongs to another app, and tries that one once', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    team.service.openIncident({ service: 'payments' });
    const kept = await team.card(/payments/);
    for (const text of ['of another app', 'a double']) {
      await callSlack(team, 'chat.postMessage', { text, metadata: kept.metadata });
    }
    team.slack.faults.next('chat.delete', { kind: 'error', error: 'cant_delete_message' });

    await leap(team, clock, 11 * 60_000);
    await eventually(() => calls(team, 'chat.delete').length === 2);
    for (const reads of [2, 3]) {
      await leap(team, clock, 7 * 60 * 60_000);
      await eventually(() => calls(team, 'conversations.history').length === reads);
    }
    const { ts } = kept;

    expect(team.cards().map((card) => [card.text, card.ts === ts])).toEqual([
      [kept.text, true],
      ['of another app', false],
    ]);
    expect(calls(team, 'chat.delete').map(({ verdict }) => verdict)).toEqual(['cant_delete_message', 'ok']);
  });

  it('removes duplicates of a storm card', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock, storms: { ...STORM_RULES, incidents: 0 } });
    team.service.openIncident({ service: 'payments' });
    const kept = await team.card(/Storm: 1 incident/);
    await callSlack(team, 'chat.postMessage', { text: 'a double', metadata: kept.metadata });

    await leap(team, clock, 11 * 60_000);
    const isAlone = async () => {
      await advance(team, clock, 1_000); // the storm ends meanwhile, and while its card is being edited the audit only comes again
      return team.cards().every(({ text }) => text !== 'a double');
    };

    expect(await eventually(isAlone)).toBe(true);
    expect(team.cards().map(({ ts }) => ts)).toContain(kept.ts);
  });
});
