import { describe, expect, it } from 'vitest';
import { advance, type BotTeam, callSlack, eventually, leap, sendingEnds, startBotTeam } from '../support/bot-team.ts';
import { createTestClock } from '../support/test-clock.ts';

/** The current response of `/incidents health`. */
async function healthOf(team: BotTeam, person = 'ana'): Promise<string> {
  const before = team.slack.ephemerals(person, 'incidents').length;
  await team.slack.as(person).command('incidents', '/incidents health');
  return team.slack.waitFor(() => team.slack.ephemerals(person, 'incidents')[before]?.text);
}

const ALL_WELL = /^Status\n(?!• 🔴)[\s\S]*Waiting: no message/;

async function healthSays(team: BotTeam, pattern: RegExp): Promise<string> {
  return eventually(async () => {
    const text = await healthOf(team);
    return pattern.test(text) ? text : null;
  });
}

describe('a revoked token', () => {
  it('is named if a form cannot open because of it', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    const card = await team.card(/payments/);
    await callSlack(team, 'auth.revoke', {});

    await team.slack.as('ana').click(card, 'Resolve');

    const { text } = await team.ephemeral('ana', /token/);
    expect(text).toMatch(/refuses the bot’s token \(`?token_revoked`?\)/);
    expect(text).toContain('SLACK_BOT_TOKEN');
    expect(team.slack.openViews('ana')).toEqual([]);
  });

  it('is named for the list of a storm too', async () => {
    await using team = await startBotTeam({
      storms: { incidents: 0, windowMs: 60_000, calmIncidents: 0, calmMs: 60_000, leftOpen: 0 },
    });
    team.service.openIncident({ service: 'payments' });
    const storm = await team.card(/Storm: 1 incident/);
    await callSlack(team, 'auth.revoke', {});

    await team.slack.as('ana').click(storm, 'Show list');

    expect((await team.ephemeral('ana', /token/)).text).toContain('SLACK_BOT_TOKEN');
  });

  it('is shown in /incidents health of every process, with the age of the oldest waiting card', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    team.slack.faults.repeat('chat.postMessage', { kind: 'error', error: 'token_revoked' }, { calls: 1_000 });
    team.service.openIncident({ service: 'payments' });

    const here = await healthSays(team, /refuses SLACK_BOT_TOKEN/);
    await team.restartBot();
    const elsewhere = await healthOf(team);
    team.slack.faults.clear();
    await leap(team, clock, 60_000);
    await team.card(/payments/);
    const after = await healthSays(team, ALL_WELL);

    for (const text of [here, elsewhere]) {
      expect(text).toMatch(/🔴 Slack refuses SLACK_BOT_TOKEN \(token_revoked\): reinstall the app/);
      expect(text).toMatch(/Waiting: 1 message \(1 new\), the oldest since <!date\^/);
    }
    expect(after).not.toContain('🔴');
  });
});

describe('an archived channel', () => {
  it('is in /incidents health of every process while it lasts', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    await sendingEnds(team);
    team.slack.changeChannel('incidents', { isArchived: true });
    team.service.closeIncident(id);

    const here = await healthSays(team, /archived/);
    await team.restartBot();
    const elsewhere = await healthOf(team);
    team.slack.changeChannel('incidents', { isArchived: false });
    await leap(team, clock, 60_000);
    await team.card(/Closed/);
    const after = await healthSays(team, ALL_WELL);

    for (const text of [here, elsewhere]) {
      expect(text).toMatch(/🔴 .*channel is archived: unarchive it/);
      expect(text).toMatch(/Waiting: 1 message \(1 with a new state\), the oldest since <!date\^/);
    }
    expect(after).not.toContain('🔴');
  });
});

describe('an outage of Slack', () => {
  it('is in /incidents health while it lasts', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    team.slack.faults.repeat('chat.postMessage', { kind: 'error', error: 'internal_error' }, { calls: 1_000 });
    team.service.openIncident({ service: 'payments' });

    const isTried = async () => {
      await advance(team, clock, 2_000);
      return team.slack.calls.filter(({ verdict }) => verdict === 'internal_error').length >= 3;
    };
    await eventually(isTried);
    const during = await healthSays(team, /🔴/);
    team.slack.faults.clear();
    await leap(team, clock, 120_000);
    await team.card(/payments/);
    const after = await healthSays(team, ALL_WELL);

    expect(during).toMatch(/🔴 Slack returns errors for chat\.postMessage \(internal_error\)/);
    expect(after).not.toContain('🔴');
  });
});

it.each([
  ['declare', /^Slack did not confirm that the form opened\. If you don't see it, please try again\./],
  [
    'signals',
    /^Slack did not confirm that the list opened\. If you don't see it, or it stays empty, please try again\./,
  ],
])('does not deny a window of %s that Slack opened and answered with an error', async (word, words) => {
  await using team = await startBotTeam();
  team.service.openIncident({ service: 'payments' });
  await team.card(/payments/);
  team.slack.faults.next('views.open', { kind: 'stored-then-502' });

  await team.slack.as('ana').command('incidents', `/incidents ${word}`);

  expect((await team.ephemeral('ana', words)).text).toMatch(words);
  await team.modal('ana', /./);
});
