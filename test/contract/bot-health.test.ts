import { describe, expect, it } from 'vitest';
import { createStore } from '../../src/bot/store/store.ts';
import { eventually, startBotTeam } from '../support/bot-team.ts';

describe('/incidents health', () => {
  it('tells how late the cards are, what waits in which lane, and what Slack limited', async () => {
    await using team = await startBotTeam();
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    team.slack.faults.next('chat.update', { kind: 'rate_limited', retryAfterSeconds: 600 });
    await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);
    const store = await createStore(team.database);
    await eventually(() => store.limits.last());

    await team.slack.as('ana').command('incidents', '/incidents health');

    const { text } = await team.told('ana', /How the board is/);
    expect(text).toMatch(/Service: answers, read (?:under )?\d+\.\d s ago/);
    expect(text).toMatch(/Lag of cards: p50 (?:under )?\d+\.\d s, p95 (?:under )?\d+\.\d s over the last 1 change\n/);
    expect(text).toMatch(/Waiting: 1 card \(1 by a person's action\)/);
    expect(text).toMatch(/Last limit by Slack: chat\.update in <#C0INCIDENT>, holds until <!date/);
  });

  it('does not say that no card has changed where another process showed it', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    await team.restartBot();

    await team.slack.as('ana').command('incidents', '/incidents health');

    const { text } = await team.told('ana', /How the board is/);
    expect(text).toContain('Lag of cards: this process has shown no change yet\n');
  });

  it('tells since when the service does not answer', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    team.service.setAway(true);
    await expect
      .poll(async () => (await team.bot.readiness()).find(({ name }) => name === 'incident service')?.detail)
      .toMatch(/asked again all the time/);

    await team.slack.as('ana').command('incidents', '/incidents health');

    const { text } = await team.told('ana', /How the board is/);
    expect(text).toMatch(/does not answer; what cards show is from <!date/);
    expect(text).toMatch(/Waiting: no card\n• Last limit by Slack: none so far/);
  });
});
