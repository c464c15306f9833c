import { describe, expect, it } from 'vitest';
import { createStore } from '../../src/bot/store.ts';
import { eventually, problemOf, startBotTeam } from '../support/bot-team.ts';

describe('/incidents health', () => {
  it('shows how late the cards are, what is waiting by urgency, and the last rate limit', async () => {
    await using team = await startBotTeam();
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    team.slack.faults.next('chat.update', { kind: 'rate_limited', retryAfterSeconds: 600 });
    await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);
    const store = await createStore(team.database);
    await eventually(async () => (await store.pauses.list()).length > 0);

    await team.slack.as('ana').command('incidents', '/incidents health');

    const { text } = await team.ephemeral('ana', /^Status/);
    expect(text).toMatch(/Service: responded (?:under )?\d+\.\d s ago/);
    expect(text).toMatch(
      /Card updates: half take (?:under )?\d+\.\d s, 95 % at most (?:under )?\d+\.\d s \(last 1 update\)\n/,
    );
    expect(text).toMatch(/Waiting: 1 message \(1 after an action\), the oldest since <!date/);
    expect(text).toMatch(/Last rate limit: chat\.update in <#C0INCIDENT>, until <!date/);
  });

  it('does not claim that no card was updated if another process did it', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    await team.restartBot();

    await team.slack.as('ana').command('incidents', '/incidents health');

    const { text } = await team.ephemeral('ana', /^Status/);
    expect(text).toContain('Card updates: none from this process yet\n');
  });

  it('shows since when the service has not responded', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    team.service.setAway(true);
    await expect.poll(() => problemOf(team, 'incident service')).toMatch(/retrying/);

    await team.slack.as('ana').command('incidents', '/incidents health');

    const { text } = await team.ephemeral('ana', /^Status/);
    expect(text).toMatch(/no response; cards show the state of <!date/);
    expect(text).toMatch(/Waiting: no messages\n• Last rate limit: none/);
  });
});
