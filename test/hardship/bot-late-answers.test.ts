import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { migrations } from '../../src/bot/migrations.ts';
import { BOT_SCHEMA, type Tables } from '../../src/bot/tables.ts';
import { type BotTeam, eventually, leap, sendingEnds, startBotTeam } from '../support/bot-team.ts';
import { createTestClock, type TestClock } from '../support/test-clock.ts';

const NO_DIRECT_MESSAGES = { kind: 'error', error: 'messages_tab_disabled' } as const;
const ALWAYS = { calls: 10_000 };

/** Starts with an acknowledgement that was saved while the service was down. */
async function askedWhileAway(team: BotTeam, services: readonly string[]): Promise<void> {
  const ids = services.map((service) => team.service.openIncident({ service }));
  await Promise.all(services.map((service) => team.card(new RegExp(service))));
  team.service.setAway(true);
  for (const [index, id] of ids.entries()) {
    await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);
    await eventually(() => team.slack.ephemerals('ana', 'incidents').length === index + 1);
  }
}

function directPosts(team: BotTeam) {
  const { id } = team.slack.as('ana');
  return team.slack.calls.filter(({ method, args }) => method === 'chat.postMessage' && args.channel === id);
}

/** Advances the time in steps until all answers are delivered. */
async function passUntilTold(team: BotTeam, clock: TestClock): Promise<void> {
  const db = await team.database.open<Tables>(BOT_SCHEMA, migrations);
  await eventually(async () => {
    await leap(team, clock, 5_000);
    const { rows } = await sql`select from actions where settled_at is null or answer is not null`.execute(db);
    return rows.length === 0;
  });
}

describe('an answer that Slack refuses as a direct message', () => {
  it('is sent once as an ephemeral message in the channel of the request', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    await askedWhileAway(team, ['payments']);
    team.slack.faults.repeat('chat.postMessage', NO_DIRECT_MESSAGES, ALWAYS);

    team.service.setAway(false);
    await passUntilTold(team, clock);

    expect((await team.ephemeral('ana', /You acknowledged/)).text).toContain('payments');
    expect(directPosts(team)).toHaveLength(1);
    expect(team.slack.ephemerals('ana', 'incidents').filter(({ text }) => /You ack/.test(text))).toHaveLength(1);
  });

  it('is not sent again if Slack shows the ephemeral message without a clear response', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    await askedWhileAway(team, ['payments']);
    team.slack.faults.repeat('chat.postMessage', NO_DIRECT_MESSAGES, ALWAYS);
    team.slack.faults.repeat('chat.postEphemeral', { kind: 'stored-then-502' }, ALWAYS);

    team.service.setAway(false);
    await passUntilTold(team, clock);

    expect(team.slack.ephemerals('ana', 'incidents').filter(({ text }) => /You ack/.test(text))).toHaveLength(1);
  });

  it('is retried with backoff if Slack refuses the ephemeral message too, then given up', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    await askedWhileAway(team, ['payments']);
    team.slack.faults.repeat('chat.postMessage', NO_DIRECT_MESSAGES, ALWAYS);
    team.slack.faults.repeat('chat.postEphemeral', { kind: 'error', error: 'user_not_in_channel' }, ALWAYS);

    const db = await team.database.open<Tables>(BOT_SCHEMA, migrations);
    const pauses: number[] = [];

    team.service.setAway(false);
    for (let tries = 1; tries <= 5; tries += 1) {
      const pause = await eventually(async () => {
        const { rows } = await sql<{ seconds: number }>`
          select extract(epoch from retry_at - clock_now())::float8 as seconds from messages
          where kind = 'answer' and refusals = ${tries} and leased_until is null`.execute(db);
        return rows[0]?.seconds;
      });
      pauses.push(Math.round(pause / 60));
      await leap(team, clock, pause * 1_000);
    }
    await eventually(async () => (await sql`select from messages where kind = 'answer'`.execute(db)).rows.length === 0);

    expect(pauses).toEqual([1, 2, 4, 8, 15]);
    expect(directPosts(team)).toHaveLength(6);
  });

  it('is sent once each if one of several is refused', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    await askedWhileAway(team, ['payments', 'search', 'ledger']);
    team.slack.faults.repeat('chat.postMessage', NO_DIRECT_MESSAGES, ALWAYS);
    const isShown = (service: string) =>
      team.slack.ephemerals('ana', 'incidents').filter(({ text }) => /You ack/.test(text) && text.includes(service));

    team.service.setAway(false);
    team.slack.faults.next('chat.postEphemeral', { kind: 'latency', ms: 1 });
    team.slack.faults.next('chat.postEphemeral', { kind: 'error', error: 'user_not_in_channel' });
    await passUntilTold(team, clock);

    expect(['payments', 'search', 'ledger'].map((service) => isShown(service).length)).toEqual([1, 1, 1]);
  });
});

describe('an outcome that comes while Slack delays what was said before', () => {
  it('follows, although the person was told late that the action is saved', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    const db = await team.database.open<Tables>(BOT_SCHEMA, migrations);
    team.service.setAway(true);
    team.slack.faults.repeat('response_url', { kind: 'error', error: 'expired_url' }, ALWAYS);
    team.slack.faults.repeat('chat.postEphemeral', { kind: 'rate_limited', retryAfterSeconds: 60 }, { seconds: 70 });
    team.slack.faults.repeat('chat.postMessage', { kind: 'rate_limited', retryAfterSeconds: 60 }, { seconds: 240 });
    await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);
    await eventually(() => team.slack.calls.some(({ method }) => method === 'chat.postEphemeral'));

    team.service.setAway(false);
    await eventually(async () => {
      await leap(team, clock, 5_000);
      return (await sql`select from actions where settled_at is not null`.execute(db)).rows.length > 0;
    });
    await eventually(async () => {
      await leap(team, clock, 5_000);
      return team.slack.ephemerals('ana', 'incidents').length > 0;
    });
    await passUntilTold(team, clock);

    expect(team.slack.ephemerals('ana', 'incidents')).toMatchObject([{ text: expect.stringContaining('is saved') }]);
    expect(directPosts(team).filter(({ verdict }) => verdict === 'ok')).toHaveLength(1);
  });

  it('is not told twice: what is stored does not wait for a long limit', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    team.slack.faults.repeat('response_url', { kind: 'error', error: 'expired_url' }, ALWAYS);
    team.slack.faults.repeat('chat.postEphemeral', { kind: 'rate_limited', retryAfterSeconds: 40 }, { seconds: 80 });

    await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);
    await eventually(() => team.slack.calls.some(({ method }) => method === 'chat.postEphemeral'));
    await passUntilTold(team, clock);
    await leap(team, clock, 80_000);
    await sendingEnds(team);
    await team.stopBot();

    expect(directPosts(team)).toHaveLength(1);
    expect(team.slack.ephemerals('ana', 'incidents')).toEqual([]);
  });
});
