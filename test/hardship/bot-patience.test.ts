import { describe, expect, it } from 'vitest';
import { STORM_RULES } from '../../src/bot/rooms/storm/storm.ts';
import { createLeapingClock } from '../chaos/leaping-clock.ts';
import { advance, type BotTeam, eventually, startBotTeam } from '../support/bot-team.ts';
import { createTestClock, type TestClock } from '../support/test-clock.ts';

const NO_STORMS = { ...STORM_RULES, incidents: 1_000 };
const SECOND_MS = 1_000;
/** Tokens of a channel. */
const BURST = 5;
const STEP_MS = 2 * SECOND_MS;
/** The clocks of Slack and the database differ by a step while a test moves them. */
const TOLERANCE = 1 + STEP_MS / SECOND_MS;

function calls(team: BotTeam, method: RegExp) {
  return team.slack.calls.filter((call) => method.test(call.method));
}

/** Calls of the message protocol, including those that did not reach Slack. */
async function triesOf(team: BotTeam): Promise<number> {
  const metrics = await team.metrics();
  const counts = metrics.matchAll(/^tocsin_bot_slack_calls_total\{method="(?:chat|conversations)\.[^}]*\} (\d+)$/gm);
  return [...counts].reduce((total, [, count]) => total + Number(count), 0);
}

/** Moves the time on in steps. In each of them the bot polls at least once, and looks for something to send. */
async function pass(team: BotTeam, clock: TestClock, seconds: number, stepSeconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += stepSeconds) {
    await advance(team, clock, stepSeconds * SECOND_MS);
    const before = team.service.requests.length;
    await eventually(() => team.service.requests.length >= before + 4); // two requests are a poll
  }
}

/** Moves the time on until it is so. */
function turnUntil(team: BotTeam, clock: TestClock, isSo: () => boolean): Promise<boolean> {
  return eventually(async () => {
    await advance(team, clock, STEP_MS);
    return isSo();
  });
}

function openMany(team: BotTeam, count: number): string[] {
  return Array.from({ length: count }, (_, index) => team.service.openIncident({ service: `service-${index}` }));
}

function cardIds(team: BotTeam): string[] {
  return team.cards().map(({ metadata }) => String(metadata?.event_payload.incident_id));
}

describe('a limit on opening Socket Mode connections', () => {
  /** Turns the clock until Slack has limited so many calls. @returns the seconds between them */
  async function gapsOf(team: BotTeam, clock: ReturnType<typeof createLeapingClock>, count: number) {
    const limited = () => calls(team, /^apps\.connections\.open$/).filter(({ verdict }) => verdict === 'ratelimited');
    await eventually(() => {
      clock.leap(SECOND_MS);
      return limited().length >= count;
    });
    const times = limited().map(({ at }) => at.getTime());
    return times.slice(1).map((at, index) => Math.round((at - (times[index] ?? 0)) / SECOND_MS));
  }

  it('is kept to by all connections together, which come back once it is over', async () => {
    const clock = createLeapingClock(new Date());
    await using team = await startBotTeam({ transport: 'socket', clock });
    await team.slack.waitFor(() => team.slack.connections === 2);
    const limit = { kind: 'rate_limited', retryAfterSeconds: 30 } as const;
    team.slack.faults.repeat('apps.connections.open', limit, { calls: 4 });

    team.slack.disconnectSockets();
    const gaps = await gapsOf(team, clock, 4);
    await eventually(() => {
      clock.leap(SECOND_MS);
      return team.slack.connections === 2;
    });

    expect(gaps).toHaveLength(3);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(30);
  });

  it('is kept to by a bot that starts', async () => {
    const clock = createLeapingClock(new Date());
    await using team = await startBotTeam({
      transport: 'socket',
      clock,
      before: ({ slack }) =>
        slack.faults.repeat('apps.connections.open', { kind: 'rate_limited', retryAfterSeconds: 30 }, { calls: 4 }),
    });

    const gaps = await gapsOf(team, clock, 4);
    await eventually(() => {
      clock.leap(SECOND_MS);
      return team.slack.connections === 2;
    });

    expect(gaps).toHaveLength(3);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(30);
  });
});

describe('while Slack is away for 30 s', () => {
  it('60 waiting cards cause at most 15 calls, and each is posted once afterwards', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock, storms: NO_STORMS, pollMs: 25 });
    const before = await triesOf(team);
    team.slack.setAway(true);
    const ids = openMany(team, 60);

    await pass(team, clock, 30, 1);
    const tries = (await triesOf(team)) - before;
    team.slack.setAway(false);
    await turnUntil(team, clock, () => cardIds(team).length >= ids.length);

    expect(tries).toBeGreaterThanOrEqual(3);
    expect(tries).toBeLessThanOrEqual(15);
    expect(cardIds(team).toSorted()).toEqual(ids.toSorted());
  });
});

describe('while Slack limits posts for three minutes', () => {
  it('cards and late answers to several people share one pause', async () => {
    const people = ['ana', 'ben'] as const;
    const clock = createTestClock();
    await using team = await startBotTeam({ clock, storms: NO_STORMS, pollMs: 25 });
    const asked = people.map((person) => team.service.openIncident({ service: `of-${person}` }));
    await eventually(() => team.cards().length === people.length);
    team.service.setAway(true);
    for (const [index, person] of people.entries()) {
      await team.slack.as(person).command('incidents', `/incidents ack ${asked[index]}`);
      await team.ephemeral(person, /is saved/);
    }
    team.slack.faults.repeat('chat.postMessage', { kind: 'rate_limited', retryAfterSeconds: 10 }, { seconds: 180 });
    const limited = () => calls(team, /^chat\.postMessage$/).filter(({ verdict }) => verdict === 'ratelimited').length;

    team.service.setAway(false);
    const ids = openMany(team, 20);
    await pass(team, clock, 180, 3);
    const during = limited();
    await turnUntil(team, clock, () => cardIds(team).length >= ids.length + people.length);
    const answers = await Promise.all(people.map((person) => team.directMessage(person, /You acknowledged/)));

    expect(during).toBeGreaterThanOrEqual(3);
    expect(during).toBeLessThanOrEqual(16);
    expect(answers).toEqual(people.map((person) => expect.stringContaining(`of-${person}`)));
    expect(cardIds(team).toSorted()).toEqual([...asked, ...ids].toSorted());
  });
});

describe('two bots over one database', () => {
  it('share the token bucket of a channel, so that Slack limits neither', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock, storms: NO_STORMS, pollMs: 25 });
    await team.startAnotherBot();

    const ids = openMany(team, 60);
    await turnUntil(team, clock, () => cardIds(team).length >= ids.length);
    for (const id of ids.slice(0, 15)) {
      team.service.closeIncident(id);
    }
    await turnUntil(team, clock, () => team.cards().filter(({ text }) => /Closed/.test(text)).length === 15);

    const times = calls(team, /^chat\.(postMessage|update)$/).map(({ at }) => at.getTime() / SECOND_MS);
    const tooMany = times.flatMap((from, first) =>
      times.slice(first).filter((to, more) => more + 1 > BURST + TOLERANCE + (to - from)),
    );
    expect(team.slack.calls.filter(({ status }) => status === 429)).toEqual([]);
    expect(tooMany).toEqual([]);
    expect(cardIds(team).toSorted()).toEqual(ids.toSorted());
  });
});
