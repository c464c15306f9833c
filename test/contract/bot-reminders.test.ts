import { describe, expect, it } from 'vitest';
import { type EscalationStep, EVERYTHING, type RuleSettings } from '../../src/bot/rooms/rules/rule.ts';
import { createStore } from '../../src/bot/store.ts';
import {
  type BotTeam,
  eventually,
  leap,
  nothingToReport,
  sendingEnds,
  startBotTeam,
  whileTimePasses,
} from '../support/bot-team.ts';
import { createTestClock, type TestClock } from '../support/test-clock.ts';

const CHANNEL = 'C0INCIDENT';
const MINUTE_MS = 60_000;

/** A bot whose clock the test turns, a user group of Ana and Ben, and a rule with these steps. */
async function startWith(
  steps: (group: string) => readonly EscalationStep[],
  fields: Partial<RuleSettings> = {},
): Promise<{ team: BotTeam; clock: TestClock; group: string }> {
  const clock = createTestClock();
  const team = await startBotTeam({ clock });
  await nothingToReport(team);
  const group = team.slack.as('ana').setUserGroup('on-call', ['ana', 'ben']);
  const store = await createStore(team.database);
  const settings = { channelId: CHANNEL, filter: EVERYTHING, quietHours: null, handover: null, ...fields };
  await store.rules.save(null, { ...settings, escalation: steps(group) }, 'U1');
  return { team, clock, group };
}

const mentionAfter = (afterMinutes: number) => (group: string) =>
  [{ afterMinutes, target: { kind: 'group', id: group } }] as const;

function reminders(team: BotTeam): string[] {
  return team.slack
    .messages('incidents')
    .filter(({ metadata }) => metadata?.event_type === 'tocsin_reminder')
    .map(({ text }) => text);
}

function alertsTo(team: BotTeam, channel: string): string[] {
  return team.slack.calls
    .filter(
      ({ method, args, verdict }) => method === 'chat.postMessage' && args.channel === channel && verdict === 'ok',
    )
    .filter(({ args }) => JSON.stringify(args.metadata).includes('tocsin_alert'))
    .map(({ args }) => String(args.text));
}

/** Waits until the bot has nothing to send. */
async function untilIdle(team: BotTeam, clock: TestClock): Promise<void> {
  const store = await createStore(team.database);
  await whileTimePasses(team, clock, async () => {
    const waiting = await store.cards.countWaiting();
    return Object.values(waiting).every((count) => count === 0);
  });
}

describe('an incident that nobody acknowledges', () => {
  it('mentions the user group of the rule once, in the thread of its card', async () => {
    const { team, clock, group } = await startWith(mentionAfter(10));
    await using _team = team;
    team.service.openIncident({ service: 'payments', openedAt: clock.now() });
    const card = await team.card(/payments/);

    await leap(team, clock, 9 * MINUTE_MS);
    const tooEarly = reminders(team);
    await leap(team, clock, 2.5 * MINUTE_MS);
    await whileTimePasses(team, clock, () => reminders(team).length > 0);
    await leap(team, clock, 60 * MINUTE_MS);
    await untilIdle(team, clock);

    expect(tooEarly).toEqual([]);
    expect(reminders(team)).toEqual([`Nobody has acknowledged this for 11 min. <!subteam^${group}>`]);
    expect(team.replies(card)).toEqual(reminders(team));
  });

  it('then notifies another channel and each member of the group', async () => {
    const { team, clock } = await startWith((id) => [
      { afterMinutes: 5, target: { kind: 'group', id } },
      { afterMinutes: 5, target: { kind: 'channel', id: 'C0GENERAL1' } },
      { afterMinutes: 5, target: { kind: 'members', id } },
    ]);
    await using _team = team;
    team.service.openIncident({ service: 'payments', openedAt: clock.now() });
    await team.card(/payments/);

    for (const count of [1, 2, 3]) {
      await leap(team, clock, 6 * MINUTE_MS);
      await whileTimePasses(team, clock, () => reminders(team).length === count);
    }
    const places = ['C0GENERAL1', team.slack.as('ana').id, team.slack.as('ben').id];
    await whileTimePasses(team, clock, () => places.every((place) => alertsTo(team, place).length > 0));
    await leap(team, clock, MINUTE_MS);
    await untilIdle(team, clock);

    expect(reminders(team)[2]).toMatch(/2 members of the user group are told directly/);
    for (const place of places) {
      expect(alertsTo(team, place)).toEqual([
        expect.stringMatching(/payments\nNobody has acknowledged this for \d+ min/),
      ]);
    }
  });

  it('is told to each member of the group where the thread of its card takes no replies', async () => {
    const { team, clock } = await startWith(mentionAfter(10));
    await using _team = team;
    team.service.openIncident({ service: 'payments', openedAt: clock.now() });
    await team.card(/payments/);
    await untilIdle(team, clock);
    const error = 'restricted_action_non_threadable_channel';
    team.slack.faults.next('chat.postMessage', { kind: 'error', error });
    team.slack.faults.next('usergroups.users.list', { kind: 'rate_limited', retryAfterSeconds: 1 });

    await leap(team, clock, 11 * MINUTE_MS);
    await whileTimePasses(team, clock, () => team.slack.calls.some(({ verdict }) => verdict === error));
    team.slack.faults.repeat('chat.postMessage', { kind: 'error', error }, { calls: 1 });
    const places = ['ana', 'ben'].map((person) => team.slack.as(person).id);
    await whileTimePasses(team, clock, () => places.every((place) => alertsTo(team, place).length > 0));
    await leap(team, clock, 5 * MINUTE_MS);
    await untilIdle(team, clock);

    expect(reminders(team)).toEqual([]);
    for (const place of places) {
      expect(alertsTo(team, place)).toEqual([expect.stringMatching(/payments\nNobody has/)]);
    }
  });

  it('is left alone once somebody acknowledges it, and while it is closed', async () => {
    const { team, clock } = await startWith(mentionAfter(10));
    await using _team = team;
    team.service.openIncident({ service: 'payments', openedAt: clock.now() });
    const closing = team.service.openIncident({ service: 'search', openedAt: clock.now() });
    const card = await team.card(/payments/);
    await team.card(/search/);

    await team.slack.as('ana').click(card, 'Acknowledge');
    await team.card(/payments\nAcknowledged/);
    team.service.closeIncident(closing);
    await team.card(/search\nClosed/);
    await leap(team, clock, 60 * MINUTE_MS);
    team.service.openIncident({ service: 'later', openedAt: clock.now() });
    await team.card(/later/);
    await untilIdle(team, clock);

    expect(reminders(team)).toEqual([]);
  });

  it('mentions nobody before a poll has confirmed that it is still needed', async () => {
    const { team, clock } = await startWith(mentionAfter(10));
    await using _team = team;
    const id = team.service.openIncident({ service: 'payments', openedAt: clock.now() });
    await team.card(/payments/);

    team.service.setAway(true);
    team.service.closeIncident(id);
    await leap(team, clock, 11 * MINUTE_MS);
    await leap(team, clock, 6 * MINUTE_MS);
    team.service.setAway(false);
    await leap(team, clock, MINUTE_MS);
    await team.card(/payments\nClosed/);
    await untilIdle(team, clock);

    expect(reminders(team)).toEqual([]);
  });

  it('mentions nobody while the service no longer lists it, and fails to return it', async () => {
    const { team, clock } = await startWith(mentionAfter(10));
    await using _team = team;
    const id = team.service.openIncident({ service: 'payments', openedAt: clock.now() });
    await team.card(/payments/);
    const path = new RegExp(`/incidents/${id}$`);
    const reads = () => team.service.requests.filter((request) => path.test(request.path)).length;

    team.service.hideIncident(id, true);
    for (let count = 0; count < 500; count += 1) {
      team.service.failNext({ status: 500, contentType: 'text/plain', body: 'broken' }, { path });
    }
    await eventually(() => reads() > 0);
    await leap(team, clock, 11 * MINUTE_MS);
    const before = reads();
    await eventually(() => reads() > before + 3);
    await leap(team, clock, MINUTE_MS);
    await untilIdle(team, clock);

    expect(reminders(team)).toEqual([]);
  });

  it('is reminded of once by two bots, also after a restart', async () => {
    const { team, clock } = await startWith(mentionAfter(10));
    await using _team = team;
    await team.startAnotherBot();
    team.service.openIncident({ service: 'payments', openedAt: clock.now() });
    await team.card(/payments/);

    await leap(team, clock, 11 * MINUTE_MS);
    await whileTimePasses(team, clock, () => reminders(team).length > 0);
    await team.restartBot();
    await leap(team, clock, 60 * MINUTE_MS);
    await untilIdle(team, clock);

    expect(reminders(team)).toHaveLength(1);
  });
});

describe('a reminder whose card is deleted before it is clear whether Slack posted the reminder', () => {
  /** Lets the post of the reminder fail, deletes the card, and lets an hour pass after the next card. */
  async function remindThenDelete(fault: 'stored-then-502' | 'internal_error') {
    const { team, clock } = await startWith((id) => [{ afterMinutes: 10, target: { kind: 'members', id } }]);
    await using scope = new AsyncDisposableStack();
    scope.use(team);
    team.service.openIncident({ service: 'payments', openedAt: clock.now() });
    const card = await team.card(/payments/);
    await untilIdle(team, clock);
    team.slack.faults.next(
      'chat.postMessage',
      fault === 'stored-then-502' ? { kind: fault } : { kind: 'error', error: fault },
    );

    await leap(team, clock, 10 * MINUTE_MS);
    await whileTimePasses(team, clock, () => failedPosts(team, fault) > 0);
    await sendingEnds(team);
    team.slack.faults.repeat('conversations.replies', { kind: 'error', error: 'internal_error' }, { calls: 1_000 });
    team.slack.as('ben').delete(card);
    await whileTimePasses(team, clock, () => team.cards().some(({ ts }) => ts !== card.ts));
    await sendingEnds(team);
    team.slack.faults.clear();
    const places = [team.slack.as('ana').id, team.slack.as('ben').id];
    await whileTimePasses(team, clock, () => places.every((place) => alertsTo(team, place).length > 0));
    await leap(team, clock, 60 * MINUTE_MS);
    await untilIdle(team, clock);
    const [next] = team.cards();
    return {
      reminders: reminders(team),
      inNextThread: next === undefined ? [] : team.replies(next),
      alerts: places.map((place) => alertsTo(team, place).length),
    };
  }

  const failedPosts = (team: BotTeam, verdict: string) =>
    team.slack.calls.filter((call) => call.method === 'chat.postMessage' && call.verdict === verdict).length;

  it('is not repeated in the thread of the next card if it was posted', async () => {
    const told = await remindThenDelete('stored-then-502');

    expect(told.reminders).toHaveLength(1);
    expect(told.inNextThread).toEqual([]);
    expect(told.alerts).toEqual([1, 1]);
  });

  it('follows once in the thread of the next card if it was not posted', async () => {
    const told = await remindThenDelete('internal_error');

    expect(told.inNextThread).toHaveLength(1);
    expect(told.reminders).toEqual(told.inNextThread);
    expect(told.alerts).toEqual([1, 1]);
  });
});

describe('a service that reports the activity of incidents', () => {
  it('leads to a reminder for the one who acknowledged, while it still fails', async () => {
    const { team, clock } = await startWith(() => []);
    await using _team = team;
    const id = team.service.openIncident({ service: 'payments', openedAt: clock.now() });
    team.service.showMore(() => ({ activity: 'failing' }));
    await team.slack.as('ana').click(await team.card(/payments/), 'Acknowledge');
    await team.card(/payments\nAcknowledged/);

    team.service.addSignals(id, [{ type: 'log' }, { type: 'log' }]);
    await team.card(/3 signals/);
    await leap(team, clock, 46 * MINUTE_MS);

    await whileTimePasses(team, clock, () => reminders(team).length > 0);
    expect(reminders(team)).toEqual([
      `<@${team.slack.as('ana').id}> Acknowledged 46 min ago, at least 2 new failures since.`,
    ]);
  });

  it('leads to a proposal to resolve what has recovered, with the form one click away', async () => {
    const { team, clock } = await startWith(() => []);
    await using _team = team;
    const since = clock.now().toISOString();
    team.service.showMore(() => ({ activity: 'recovered', activity_since: since }));
    team.service.openIncident({ service: 'payments', openedAt: clock.now() });
    await team.card(/payments/);

    await leap(team, clock, 31 * MINUTE_MS);
    await whileTimePasses(team, clock, () => reminders(team).length > 0);
    const [reminder] = team.slack.messages('incidents').filter(({ text }) => text.includes('Resolve it?'));
    if (reminder !== undefined) {
      await team.slack.as('ana').click(reminder, 'Resolve');
    }

    expect(reminders(team)).toEqual(['Recovered 31 min ago and still open. Resolve it?']);
    expect(JSON.stringify((await team.modal('ana')).content)).toContain('payments');
  });
});
