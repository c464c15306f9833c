import { describe, expect, it } from 'vitest';
import { migrations } from '../../src/bot/migrations.ts';
import { createStore } from '../../src/bot/store.ts';
import { BOT_SCHEMA, type Tables } from '../../src/bot/tables.ts';
import { type BotTeam, leap, nothingToReport, startBotTeam } from '../support/bot-team.ts';
import { createTestClock } from '../support/test-clock.ts';

const MUTE = '/incidents snooze service:payments 2h upgrade';

function posts({ service }: BotTeam, path: RegExp, method = 'POST') {
  return service.requests.filter((request) => request.method === method && path.test(request.path));
}

async function entries(team: BotTeam): Promise<string[]> {
  const { auditLog } = await createStore(team.database);
  const list = await auditLog.list(team.slack.as('ana').id);
  return list.map(({ action, outcome, detail, origin }) => [action, outcome, detail, origin].join(' | '));
}

describe('a mute of a service', () => {
  it('is saved while the incident service is away, and sent once as soon as it responds', async () => {
    await using team = await startBotTeam({ hasAdditions: true });
    await nothingToReport(team);

    team.service.setAway(true);
    await team.slack.as('ana').command('incidents', MUTE);
    const kept = await team.ephemeral('ana', /Your mute is saved/);
    await team.restartBot();
    team.service.setAway(false);
    const told = await team.directMessage('ana', /Muted service `payments` until/);

    expect(kept.text).toContain("I'll send it as soon as the service accepts it");
    expect(told).toContain('without new cards and reminders');
    expect(team.service.mutes).toMatchObject([{ target: 'service', value: 'payments', by: 'ana@example.com' }]);
    expect(await entries(team)).toEqual([
      expect.stringMatching(/^mute \| kept \| service payments: .* \| \/incidents snooze/),
      expect.stringMatching(/^mute \| done \| service payments \| \/incidents snooze/),
    ]);
  });

  it('is not repeated when its response is lost', async () => {
    await using team = await startBotTeam({ hasAdditions: true });

    team.service.failNext('drop after', { method: 'POST', path: /mutes/ });
    await team.slack.as('ana').command('incidents', MUTE);
    await team.ephemeral('ana', /Muted service `payments` until/);

    expect(posts(team, /mutes$/)).toHaveLength(1);
    expect(team.service.mutes).toHaveLength(1);
  });

  it('is stored before Slack is answered', async () => {
    await using team = await startBotTeam({ hasAdditions: true });
    const db = await team.database.open<Tables>(BOT_SCHEMA, migrations);
    const { promise, resolve } = Promise.withResolvers<void>();

    team.service.failNext({ until: promise }, { method: 'POST', path: /mutes/ });
    const { ack } = await team.slack.as('ana').command('incidents', MUTE);
    const stored = await db.selectFrom('actions').select(['kind', 'data', 'settled_at']).execute();
    resolve();
    await team.ephemeral('ana', /Muted service/);

    const data = expect.objectContaining({ target: 'service', value: 'payments' });
    expect([ack?.kind, stored]).toEqual(['acked', [{ kind: 'mute', data, settled_at: null }]]);
  });

  it('ends once, also if the response is lost, and a second click changes nothing', async () => {
    await using team = await startBotTeam({ hasAdditions: true });
    await team.slack.as('ana').command('incidents', MUTE);
    await team.ephemeral('ana', /Muted service/);
    await team.slack.as('ana').command('incidents', '/incidents rules');
    const list = await team.ephemeral('ana', /Muted until/);

    team.service.failNext('drop after', { method: 'DELETE' });
    await team.slack.as('ana').click(list, 'End');
    await team.ephemeral('ana', /The mute has ended/);
    await team.slack.as('ana').click(list, 'End');
    await team.ephemeral('ana', /ended already, so nothing was changed/);

    expect(team.service.mutes.every(({ until }) => until <= new Date())).toBe(true);
    expect((await entries(team)).filter((line) => line.startsWith('unmute'))).toEqual([
      expect.stringMatching(/^unmute \| done \| service payments/),
      expect.stringMatching(/^unmute \| already \| service payments/),
    ]);
  });
});

describe('planned work', () => {
  it('mutes a service later, comes back each week, and is shown with a Cancel until then', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ hasAdditions: true, clock });
    const ana = team.slack.as('ana');
    const from = new Date(clock.now().getTime() + 3_600_000).toISOString().slice(11, 16);

    await ana.command('incidents', `/incidents snooze service:payments 2h from ${from} weekly database upgrade`);
    const planned = await team.ephemeral(
      'ana',
      /Planned: service `payments` from .* until .*, every week: database upgrade/,
    );
    expect(team.service.mutes).toEqual([]);
    await team.slack.as('ben').command('incidents', '/incidents rules');
    expect((await team.ephemeral('ben', /Planned by ana: service `payments`/)).text).toContain('every week');

    await leap(team, clock, 3_600_000);
    const begun = await team.directMessage('ana', /Muted service `payments` until .* \(database upgrade\)/);
    expect(begun).toContain('without new cards and reminders');
    expect(team.service.mutes).toMatchObject([{ target: 'service', value: 'payments', by: 'ana@example.com' }]);
    await ana.click(planned, 'Cancel');
    await team.ephemeral('ana', /nothing left to cancel/);

    await team.slack.as('ben').command('incidents', '/incidents rules');
    const next = await team.ephemeral('ben', /Muted until[\s\S]*Planned by ana: service `payments`/);
    await team.slack.as('ben').click(next, 'Cancel');
    await team.ephemeral('ben', /Your mute is cancelled/);
    const store = await createStore(team.database);
    expect(await store.actions.planned()).toEqual([]);
    const benId = team.slack.as('ben').id;
    expect(await team.directMessage('ana', /cancelled/)).toBe(
      `<@${benId}> cancelled your mute of service \`payments\`.`,
    );
    expect(await store.auditLog.list(benId)).toMatchObject([
      { action: 'mute', outcome: 'cancelled', detail: 'service payments: asked for by ana@example.com' },
    ]);
  });

  it('is asked for by a form, and ended early by Undo', async () => {
    await using team = await startBotTeam({ hasAdditions: true });
    const ana = team.slack.as('ana');

    await ana.command('incidents', '/incidents snooze service:payments 3h');
    const form = await team.modal('ana', /For how long/);
    await ana.submit(form, { Why: 'new disks' });
    const receipt = await team.ephemeral('ana', /Muted service `payments` until .* \(new disks\)/);
    await ana.click(receipt, 'Undo');
    await team.ephemeral('ana', /The mute has ended/);

    expect(JSON.stringify(form)).toMatch(/"initial_option":\{"text":\{[^}]*\},"value":"3h"\}/);
    expect(team.service.mutes.every(({ until }) => until <= new Date())).toBe(true);
  });

  it('explains how to write a start time', async () => {
    await using team = await startBotTeam({ hasAdditions: true });

    await team.slack.as('ana').command('incidents', '/incidents snooze service:payments 2h from noon upgrade');
    await team.ephemeral('ana', /When does it start\? .*2h from sat 22:00 weekly/);

    expect(posts(team, /mutes$/)).toEqual([]);
  });
});
