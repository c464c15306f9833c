import { describe, expect, it } from 'vitest';
import { STORM_RULES } from '../../src/bot/rooms/storm/storm.ts';
import { BOT_SCHEMA } from '../../src/bot/tables.ts';
import { createRealClock } from '../../src/runtime/clock.ts';
import { type BotTeam, eventually, leap, problemOf, sendingEnds, startBotTeam } from '../support/bot-team.ts';
import { advanceDatabaseClock } from '../support/database-clock.ts';
import { createTestClock, type TestClock } from '../support/test-clock.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 60 * 60 * SECOND_MS;
const NO_STORMS = { ...STORM_RULES, incidents: 1_000 };

/** The machine's clock with an offset. */
function clockOff(ms: number) {
  return createRealClock(() => new Date(Date.now() + ms));
}

function cardIds(team: BotTeam): string[] {
  return team.cards().map(({ metadata }) => String(metadata?.event_payload.incident_id));
}

function calls(team: BotTeam, method: string, verdict = 'ok') {
  return team.slack.calls.filter((call) => call.method === method && call.verdict === verdict);
}

describe.each([
  { off: '45 s', offMs: 45 * SECOND_MS, slowPosts: 30, latencyMs: 300 },
  { off: '1 h', offMs: HOUR_MS, slowPosts: 4, latencyMs: 2_500 },
])('two bots whose clocks are $off apart', ({ offMs, slowPosts, latencyMs }) => {
  it('post one card for each of 30 incidents, even if Slack is slow', async () => {
    await using team = await startBotTeam({ storms: NO_STORMS });
    await team.startAnotherBot(clockOff(offMs));
    team.slack.faults.repeat('chat.postMessage', { kind: 'latency', ms: latencyMs }, { calls: slowPosts });

    const ids = Array.from({ length: 30 }, (_, index) => team.service.openIncident({ service: `service-${index}` }));
    await eventually(async () => {
      await sendingEnds(team); // leases are renewed by the machine's clock
      await advanceDatabaseClock(team.database, BOT_SCHEMA, SECOND_MS); // the pace of posts
      return new Set(cardIds(team)).size === ids.length;
    });
    for (const id of ids.slice(0, 3)) {
      team.service.closeIncident(id);
    }
    await eventually(() => team.cards().filter(({ text }) => /Closed/.test(text)).length === 3);

    expect(cardIds(team).toSorted()).toEqual(ids.toSorted());
    expect(calls(team, 'chat.postMessage')).toHaveLength(30);
    expect(calls(team, 'chat.delete')).toEqual([]);
  });

  it('send each action to the service once', async () => {
    await using team = await startBotTeam();
    await team.startAnotherBot(clockOff(offMs));
    const ids = ['payments', 'search', 'ledger'].map((service) => team.service.openIncident({ service }));
    await eventually(() => team.cards().length === ids.length);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    for (const _ of ids) {
      team.service.failNext({ until: released }, { method: 'POST', path: /resolve$/ });
    }
    const writes = () => team.service.requests.filter(({ path }) => path.endsWith('/resolve')).map(({ path }) => path);

    for (const id of ids) {
      await team.slack.as('ana').command('incidents', `/incidents resolve ${id} rolled back ${id}`);
    }
    await eventually(() => writes().length === ids.length);
    const polls = team.service.requests.length;
    await eventually(() => team.service.requests.length > polls + 20); // both look for work again and again
    release();
    await eventually(() => team.slack.ephemerals('ana', 'incidents').length === ids.length);

    expect(writes().toSorted()).toEqual(ids.map((id) => `/incidents/${id}/resolve`).toSorted());
    expect(team.slack.ephemerals('ana', 'incidents').map(({ text }) => text)).toEqual(
      ids.map(() => expect.stringContaining('You closed')),
    );
  });
});

describe.each([
  ['behind', -HOUR_MS],
  ['ahead', HOUR_MS],
])('a bot whose clock is 1 h %s', (_side, offMs) => {
  it('finds a post that Slack stored but answered with 502, and does not repeat it', async () => {
    await using team = await startBotTeam({ transport: 'socket', botClock: clockOff(offMs) });
    team.slack.faults.next('chat.postMessage', { kind: 'stored-then-502' });

    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    team.service.closeIncident(id);
    await team.card(/Closed/);

    expect(team.cards()).toHaveLength(1);
    expect(calls(team, 'chat.postMessage')).toEqual([]);
    expect(calls(team, 'conversations.history')).toHaveLength(1);
  });

  it('reports the skew in /readyz and stays ready', async () => {
    await using team = await startBotTeam({ transport: 'socket', botClock: clockOff(offMs) });

    const problem = await problemOf(team, 'clock');

    expect(problem).toMatch(/The clock of this machine is 3\d\d\d s (behind|ahead of) Slack’s/);
    expect(problem).toContain(offMs < 0 ? 'behind' : 'ahead of');
    expect((await team.bot.readiness()).filter(({ ready }) => !ready)).toEqual([]);
  });
});

it('does not warn about a clock that is right to a few seconds', async () => {
  await using team = await startBotTeam({ botClock: clockOff(3 * SECOND_MS) });

  expect(await problemOf(team, 'clock')).toBeNull();
});

describe('the clock of the database, set back by an hour during a rate limit of ten minutes', () => {
  it.each([
    ['once the limit is known', false],
    ['and the limit met again', true],
  ])('does not stop messages to the channel for that hour, %s', async (_when, isMetAgain) => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    const limit = { kind: 'rate_limited', retryAfterSeconds: 600 } as const;
    team.slack.faults.repeat('chat.postMessage', limit, isMetAgain ? { calls: 2 } : { calls: 1 });
    team.service.openIncident({ service: 'payments' });
    await eventually(() => calls(team, 'chat.postMessage', 'ratelimited').length === 1);

    await sendingEnds(team);
    await advanceDatabaseClock(team.database, BOT_SCHEMA, -HOUR_MS);
    if (isMetAgain) {
      await eventually(() => calls(team, 'chat.postMessage', 'ratelimited').length === 2);
    }
    await leap(team, clock, 601 * SECOND_MS);

    await team.card(/payments/);
    expect(team.cards()).toHaveLength(1);
  });
});

describe('a clock that steps ahead by an hour', () => {
  it.each([
    ['of the bot', async (_team: BotTeam, clock: TestClock) => clock.advance(HOUR_MS)],
    ['of the database', (team: BotTeam) => advanceDatabaseClock(team.database, BOT_SCHEMA, HOUR_MS)],
  ])('marks no card stale after a short outage of the service (the clock %s)', async (_of, step) => {
    const clock = createTestClock();
    await using team = await startBotTeam({ botClock: createRealClock(clock.now) });
    team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);

    await step(team, clock);
    team.service.setAway(true);
    await eventually(() => problemOf(team, 'incident service'));
    team.service.setAway(false);
    await eventually(async () => (await problemOf(team, 'incident service')) === null);
    team.service.openIncident({ service: 'search' });
    await team.card(/search/);

    const texts = team.slack.calls.map(({ args }) => String(args.text));
    expect(texts.filter((text) => /has not responded since/.test(text))).toEqual([]);
  });

  it('marks none either when the bot’s clock steps while the service is away', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ botClock: createRealClock(clock.now) });
    team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);

    team.service.setAway(true);
    await eventually(() => problemOf(team, 'incident service'));
    clock.advance(HOUR_MS);
    const before = team.service.requests.length;
    team.service.setAway(false);
    await eventually(() => team.service.requests.length > before + 3);
    team.service.openIncident({ service: 'search' });
    await team.card(/search/);

    const texts = team.slack.calls.map(({ args }) => String(args.text));
    expect(texts.filter((text) => /has not responded since/.test(text))).toEqual([]);
  });
});
