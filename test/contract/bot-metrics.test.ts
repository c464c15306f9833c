import { describe, expect, it } from 'vitest';
import { createStore } from '../../src/bot/store.ts';
import { type BotTeam, callSlack, eventually, leap, startBotTeam } from '../support/bot-team.ts';
import { createTestClock } from '../support/test-clock.ts';

/** The value of a series; undefined: the series does not exist. */
async function read(team: BotTeam, series: string): Promise<number | undefined> {
  const line = (await team.metrics()).split('\n').find((text) => text.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
}

const calls = (method: string, outcome: string) =>
  `tocsin_bot_slack_calls_total{method="${method}",outcome="${outcome}"}`;

describe('the metrics of the bot', () => {
  it('have waiting messages by urgency, rate limits, and delays of acknowledgements and cards', async () => {
    await using team = await startBotTeam();
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    await eventually(async () => (await read(team, 'tocsin_bot_card_lag_seconds_count')) === 1);
    team.slack.faults.next('chat.update', { kind: 'rate_limited', retryAfterSeconds: 600 });
    await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);
    await team.ephemeral('ana', /You acknowledged/);
    await eventually(async () => (await read(team, calls('chat.update', 'rate-limited'))) === 1);

    expect(await read(team, 'tocsin_bot_messages_waiting{urgency="person"}')).toBe(1);
    expect(await read(team, 'tocsin_bot_messages_waiting{urgency="withheld"}')).toBe(0);
    expect(await read(team, calls('chat.postMessage', 'ok'))).toBe(1);
    expect(await read(team, 'tocsin_bot_ack_duration_seconds_count')).toBe(1);
    expect(await read(team, 'tocsin_bot_slow_acks_total')).toBe(0);
    expect(await read(team, 'tocsin_bot_service_answer_age_seconds')).toBeLessThan(10);
    expect(await team.metrics()).not.toMatch(new RegExp(`C0INCIDENT|${id}|payments`));
    await team.slack.as('ana').command('incidents', '/incidents health');
    expect((await team.ephemeral('ana', /^Status/)).text).toContain('1 card update, 1 rate limit,');
  });

  it('count only visible changes', async () => {
    await using team = await startBotTeam();
    const store = await createStore(team.database);
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    await eventually(async () => (await read(team, 'tocsin_bot_card_lag_seconds_count')) === 1);
    const before = await store.incidents.find(id);

    team.service.showMore(() => ({ previous_incident_id: 'inc_0' }));
    await eventually(
      async () => JSON.stringify((await store.incidents.find(id))?.incident) !== JSON.stringify(before?.incident),
    );
    await eventually(async () => Object.values(await store.cards.countWaiting()).every((cards) => cards === 0));

    expect(await read(team, 'tocsin_bot_card_lag_seconds_count')).toBe(1);
  });

  it('have the pending actions and the duration of an outage of the service', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);

    team.service.setAway(true);
    await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);
    await eventually(async () => (await read(team, 'tocsin_bot_actions_waiting')) === 1);
    await leap(team, clock, 120_000); // an answer may have arrived since

    const isAged = async () => Number(await read(team, 'tocsin_bot_service_answer_age_seconds')) >= 90;
    expect(await eventually(isAged)).toBe(true);
  });

  it('count the repairs of an audit', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    const noEdit = { kind: 'rate_limited', retryAfterSeconds: 3_600 } as const; // an edit would find what is deleted first
    team.slack.faults.repeat('chat.update', noEdit, { calls: 1_000 });
    team.service.openIncident({ service: 'payments' });
    team.service.openIncident({ service: 'search' });
    const kept = await team.card(/payments/);
    const deleted = await team.card(/search/);
    await callSlack(team, 'chat.postMessage', { text: 'a double', metadata: kept.metadata });
    await callSlack(team, 'chat.delete', { ts: deleted.ts });

    const repairs = (kind: string) => read(team, `tocsin_bot_message_repairs_total{kind="${kind}"}`);
    const afterAnAudit = async () => {
      await leap(team, clock, 11 * 60_000); // a message that is being edited is left to the next one
      return Promise.all(['duplicate', 'deleted', 'lost'].map(repairs));
    };
    await expect.poll(afterAnAudit).toEqual([1, 1, 0]);
  });

  it('count the connections of Socket Mode', async () => {
    await using bySocket = await startBotTeam({ transport: 'socket' });
    await using byHttp = await startBotTeam({ transport: 'http' });

    expect(await eventually(async () => (await read(bySocket, 'tocsin_bot_socket_connections')) === 2)).toBe(true);
    expect(await read(byHttp, 'tocsin_bot_socket_connections')).toBeUndefined();
  });
});
