import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { migrations } from '../../src/bot/migrations.ts';
import { STORM_RULES } from '../../src/bot/rooms/storm/storm.ts';
import { BOT_SCHEMA, type Tables } from '../../src/bot/tables.ts';
import { type BotTeam, eventually, leap, startBotTeam } from '../support/bot-team.ts';
import { createTestClock } from '../support/test-clock.ts';

const TWO_MINUTES_MS = 2 * 60_000;

/** The manifest of the product, without the messages of its channels: the audit finds what was deleted. */
async function unsubscribedManifest(): Promise<AsyncDisposable & { readonly path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'manifest-'));
  const path = join(folder, 'manifest.yml');
  const manifest = await readFile(new URL('../../manifest.yml', import.meta.url), 'utf8');
  await writeFile(path, manifest.replace('      - message.channels\n', ''));
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

/** The card, once the bot has stored its `ts`. */
async function confirmedCard(team: BotTeam, pattern: RegExp) {
  const card = await team.card(pattern);
  const db = await team.database.open<Tables>(BOT_SCHEMA, migrations);
  await eventually(async () => (await sql`select from messages where ts = ${card.ts}`.execute(db)).rows.length > 0);
  return card;
}

function historyReads(team: BotTeam): number {
  return team.slack.calls.filter(({ method }) => method === 'conversations.history').length;
}

describe('a card that somebody deletes while its incident is open', () => {
  it('is posted again once, within two minutes', async () => {
    const clock = createTestClock();
    await using manifest = await unsubscribedManifest();
    await using team = await startBotTeam({ clock, manifestPath: manifest.path });
    const id = team.service.openIncident({ service: 'payments' });
    const deleted = await team.card(/payments/);

    team.slack.as('ben').delete(deleted);
    await leap(team, clock, TWO_MINUTES_MS);
    const card = await team.card(/payments/);
    await team.slack.as('ana').click(card, 'Acknowledge');
    await team.card(/Acknowledged by ana/);

    expect(card.ts).not.toBe(deleted.ts);
    expect(team.cards()).toHaveLength(1);
    expect(team.service.incident(id).acknowledgedBy).toBe('ana@example.com');
  });

  it('is posted again each time it is deleted', async () => {
    const clock = createTestClock();
    await using manifest = await unsubscribedManifest();
    await using team = await startBotTeam({ clock, manifestPath: manifest.path });
    team.service.openIncident({ service: 'payments' });

    for (let times = 1; times <= 3; times += 1) {
      team.slack.as('ben').delete(await team.card(/payments/));
      await leap(team, clock, TWO_MINUTES_MS);
    }

    expect((await team.card(/payments/)).text).toMatch(/Not acknowledged/);
    expect(team.cards()).toHaveLength(1);
  });

  it('stays deleted once its incident is closed', async () => {
    const clock = createTestClock();
    await using manifest = await unsubscribedManifest();
    await using team = await startBotTeam({ clock, manifestPath: manifest.path });
    const closed = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    team.service.openIncident({ service: 'search' });
    await team.card(/search/);
    team.service.closeIncident(closed);
    const card = await team.card(/payments\nClosed/);

    team.slack.as('ben').delete(card);
    const before = historyReads(team);
    await leap(team, clock, TWO_MINUTES_MS);
    await eventually(() => historyReads(team) > before);
    team.service.openIncident({ service: 'ledger' });
    await team.card(/ledger/);

    expect(team.cards().map(({ text }) => /payments/.test(text))).toEqual([false, false]);
  });

  it('is posted again at once if the app is subscribed to messages, without reading the channel', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    const deleted = await confirmedCard(team, /payments/);

    team.slack.as('ben').delete(deleted);
    const card = await team.slack.waitFor(() => team.cards().find(({ ts }) => ts !== deleted.ts));

    expect(card.text).toMatch(/payments\nNot acknowledged/);
    expect(team.cards()).toHaveLength(1);
    expect(historyReads(team)).toBe(0);
  });

  it('stays deleted once its incident is closed, if the app is subscribed to messages', async () => {
    await using team = await startBotTeam();
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    team.service.closeIncident(id);
    const closed = await confirmedCard(team, /payments\nClosed/);

    team.slack.as('ben').delete(closed);
    team.service.openIncident({ service: 'search' });
    const deleted = await confirmedCard(team, /search/);
    team.slack.as('ben').delete(deleted);
    await team.slack.waitFor(() => team.cards().find(({ ts }) => ts > deleted.ts));

    expect(team.cards().map(({ text }) => /payments/.test(text))).toEqual([false]);
  });

  it('does not affect other messages, if the app is subscribed to them', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    const { ts } = await team.card(/payments/);
    await team.slack.as('ana').message('incidents', 'looking at it');
    const said = await team.slack.waitFor(() =>
      team.slack.messages('incidents').find(({ text }) => text === 'looking at it'),
    );

    team.slack.as('ana').delete(said);
    team.service.openIncident({ service: 'search' });
    await team.card(/search/);

    expect(team.cards().map((card) => card.ts === ts)).toEqual([true, false]);
  });
});

describe('the message of a storm that somebody deletes', () => {
  const STORM = /Storm: \d incidents/;
  const storms = { ...STORM_RULES, incidents: 1, calmIncidents: 0, leftOpen: 0 };
  const stormsIn = (team: BotTeam) => team.cards().filter(({ text }) => STORM.test(text));

  it('is posted again once, within two minutes, though nothing changes in the storm', async () => {
    const clock = createTestClock();
    await using manifest = await unsubscribedManifest();
    await using team = await startBotTeam({ clock, manifestPath: manifest.path, storms });
    team.service.openIncident({ service: 'payments' });
    team.service.openIncident({ service: 'search' });
    await confirmedCard(team, STORM);
    await leap(team, clock, 2 * TWO_MINUTES_MS);
    const deleted = await team.card(/Calm since/);

    team.slack.as('ben').delete(deleted);
    await leap(team, clock, TWO_MINUTES_MS);
    await team.card(STORM);

    expect(stormsIn(team)).toHaveLength(1);
  });

  it('is posted again at once if the app is subscribed to messages', async () => {
    await using team = await startBotTeam({ storms });
    team.service.openIncident({ service: 'payments' });
    team.service.openIncident({ service: 'search' });
    const deleted = await confirmedCard(team, STORM);

    team.slack.as('ben').delete(deleted);
    await team.card(STORM);

    expect(stormsIn(team)).toHaveLength(1);
    expect(historyReads(team)).toBe(0);
  });
});
