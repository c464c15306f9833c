import { describe, expect, it } from 'vitest';
import { type BotTeam, eventually, startBotTeam } from '../support/bot-team.ts';
import { createLosableDatabase } from '../support/losable-database.ts';

const REFUSED = { kind: 'error', error: 'edit_window_closed' } as const;

/** What goes wrong outside, by the check that reports it. */
const TROUBLES: readonly (readonly [string, string, (team: BotTeam, id: string) => void, RegExp])[] = [
  ['Slack refuses one message', 'channel', ({ slack }) => slack.faults.next('chat.update', REFUSED), /admin can lift/],
  [
    'a channel is archived',
    'channel',
    ({ slack }) => slack.changeChannel('incidents', { isArchived: true }),
    /unarchive it/,
  ],
  [
    'Slack refuses the bot’s token',
    'slack',
    ({ slack }) => slack.faults.next('chat.update', { kind: 'error', error: 'token_revoked' }),
    /reinstall the app/,
  ],
  ['the incident service is away', 'incident service', ({ service }) => service.setAway(true), /retrying/],
];

describe.each(TROUBLES)('while %s', (_what, check, cause, detail) => {
  it('the bot stays ready, and /readyz, the metrics and /incidents health say what is wrong', async () => {
    await using team = await startBotTeam();
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);

    cause(team, id);
    await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);
    const found = await eventually(async () =>
      (await team.bot.readiness()).find((each) => each.name === check && detail.test(each.detail ?? '')),
    );
    await team.slack.as('ben').command('incidents', '/incidents health');

    expect(found.ready).toBe(true);
    expect((await team.bot.readiness()).filter(({ ready }) => !ready)).toEqual([]);
    expect(await team.metrics()).toMatch(new RegExp(`^tocsin_bot_problems\\{check="${check}"\\} 1$`, 'm'));
    expect((await team.ephemeral('ben', /Status/)).text).toMatch(detail);
  });
});

describe('the bot is not ready', () => {
  it('while its database does not answer', async () => {
    await using database = await createLosableDatabase();
    await using team = await startBotTeam({ database });

    database.lose();

    expect((await team.bot.readiness()).filter(({ ready }) => !ready)).toEqual([
      { name: 'database', ready: false, detail: expect.stringMatching(/PostgreSQL/) },
    ]);
  });
});
