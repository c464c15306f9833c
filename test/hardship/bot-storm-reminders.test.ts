import { describe, expect, it } from 'vitest';
import { type EscalationStep, EVERYTHING } from '../../src/bot/rooms/rules/rule.ts';
import { STORM_RULES } from '../../src/bot/rooms/storm/storm.ts';
import { createStore } from '../../src/bot/store.ts';
import { type BotTeam, eventually, leap, nothingToReport, startBotTeam, whileTimePasses } from '../support/bot-team.ts';
import { createTestClock, type TestClock } from '../support/test-clock.ts';

const CHANNEL = 'C0INCIDENT';
const MINUTE_MS = 60_000;
const SERVICES = ['payments', 'search', 'checkout', 'ledger', 'ads'];

interface Storm {
  readonly team: BotTeam;
  readonly clock: TestClock;
  readonly group: string;
  /** Of its incidents, by service. */
  readonly ids: ReadonlyMap<string, string>;
}

/** Five incidents at once, of which payments is critical, and a rule with these steps. */
async function startStorm(steps: (group: string) => readonly EscalationStep[]): Promise<Storm> {
  const clock = createTestClock();
  const storms = { ...STORM_RULES, incidents: 1, leftOpen: 0 };
  const team = await startBotTeam({ clock, storms });
  await nothingToReport(team);
  const group = team.slack.as('ana').setUserGroup('on-call', ['ana', 'ben']);
  const store = await createStore(team.database);
  const settings = { channelId: CHANNEL, filter: EVERYTHING, quietHours: null, handover: null };
  await store.rules.save(null, { ...settings, escalation: steps(group) }, 'U1');
  team.service.showMore(({ rootService, status }) => ({
    severity: rootService === 'payments' ? 'critical' : 'warning',
    activity: status === 'open' ? 'failing' : 'recovered',
  }));
  team.service.setAway(true);
  const all = SERVICES.map(
    (service) => [service, team.service.openIncident({ service, openedAt: clock.now() })] as const,
  );
  team.service.setAway(false);
  const members = await eventually(async () => {
    const stormId = stormMessage(team)?.metadata?.event_payload.storm_id;
    const open = typeof stormId === 'string' ? await store.storms.open(stormId) : [];
    return open.length === SERVICES.length ? open : null;
  });
  const gathered = new Set(members.map(({ incident }) => incident.id));
  return { team, clock, group, ids: new Map(all.filter(([, id]) => gathered.has(id))) };
}

function stormMessage({ slack }: BotTeam) {
  return slack.messages('incidents').find(({ metadata }) => metadata?.event_type === 'tocsin_storm');
}

const mentionAfter = (afterMinutes: number) => (group: string) =>
  [{ afterMinutes, target: { kind: 'group', id: group } }] as const;

/** The reminders in the thread of the storm message. */
function reminders(team: BotTeam): string[] {
  const storm = stormMessage(team);
  return team.slack
    .messages('incidents')
    .filter(({ metadata, threadTs }) => metadata?.event_type === 'tocsin_reminder' && threadTs === storm?.ts)
    .map(({ text }) => text);
}

function alertsTo(team: BotTeam, person: string): string[] {
  return directMessages(team, person).filter((text) => text.includes('in a storm'));
}

/** The reminders that the person received directly. */
function directMessages(team: BotTeam, person: string): string[] {
  const { id } = team.slack.as(person);
  return team.slack.calls
    .filter(({ method, args, verdict }) => method === 'chat.postMessage' && args.channel === id && verdict === 'ok')
    .filter(({ args }) => JSON.stringify(args.metadata).includes('tocsin_alert'))
    .map(({ args }) => String(args.text));
}

/** Waits until the bot has nothing to send, and has polled since. */
async function untilIdle({ team }: Storm): Promise<void> {
  const store = await createStore(team.database);
  await eventually(async () => {
    const { withheld: _withheld, ...waiting } = await store.cards.countWaiting();
    return Object.values(waiting).every((count) => count === 0);
  });
}

describe('a storm that nobody acknowledges', () => {
  it('notifies a group and a person once a step, also of the incidents whose cards were posted before it', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ clock });
    await nothingToReport(team);
    const group = team.slack.as('ana').setUserGroup('on-call', ['ana', 'ben']);
    const store = await createStore(team.database);
    const target = (kind: 'group' | 'members') => ({ afterMinutes: 1, target: { kind, id: group } });
    const escalation = [target('group'), target('members'), target('group')];
    const settings = { channelId: CHANNEL, filter: EVERYTHING, quietHours: null, handover: null };
    await store.rules.save(null, { ...settings, escalation }, 'U1');
    team.service.showMore(({ status }) => ({ activity: status === 'open' ? 'failing' : 'recovered' }));
    const open = (index: number) => team.service.openIncident({ service: `service-${index}`, openedAt: clock.now() });

    for (let index = 0; index < 9; index += 1) {
      open(index);
    }
    await eventually(() => team.cards().length === 9);
    for (let index = 9; index < 30; index += 1) {
      open(index);
    }
    await whileTimePasses(team, clock, () => /Storm: 30 incidents/.test(stormMessage(team)?.text ?? ''));
    for (const steps of [1, 2, 3]) {
      await leap(team, clock, MINUTE_MS);
      await whileTimePasses(team, clock, () => reminders(team).length === steps);
    }
    await whileTimePasses(team, clock, () => alertsTo(team, 'ben').length > 0);
    await leap(team, clock, 5 * MINUTE_MS);
    await eventually(async () => (await store.cards.countWaiting()).opened === 0);

    const mentions = team.slack.messages('incidents').filter(({ text }) => text.includes(`<!subteam^${group}>`));
    expect(mentions).toHaveLength(2);
    expect(directMessages(team, 'ana')).toHaveLength(1);
    expect(directMessages(team, 'ben')).toHaveLength(1);
    expect(stormMessage(team)?.text).toContain('30 still open, none acknowledged');
  });

  it('mentions the user group of the rule once in the thread of its message, then notifies the members', async () => {
    const storm = await startStorm((id) => [
      { afterMinutes: 10, target: { kind: 'group', id } },
      { afterMinutes: 5, target: { kind: 'members', id } },
    ]);
    const { team, clock, group, ids } = storm;
    await using _team = team;

    await leap(team, clock, 9 * MINUTE_MS);
    await untilIdle(storm);
    const tooEarly = reminders(team);
    await leap(team, clock, 2 * MINUTE_MS);
    await whileTimePasses(team, clock, () => reminders(team).length === 1);
    await leap(team, clock, 6 * MINUTE_MS);
    await whileTimePasses(team, clock, () => reminders(team).length === 2);
    await leap(team, clock, MINUTE_MS);
    await whileTimePasses(team, clock, () => ['ana', 'ben'].every((person) => alertsTo(team, person).length > 0));
    await leap(team, clock, 60 * MINUTE_MS);
    await untilIdle(storm);

    const counts = new RegExp(`^${ids.size} open incidents in a storm, none acknowledged\\.`);
    expect(tooEarly).toEqual([]);
    expect(reminders(team)).toEqual([
      expect.stringMatching(counts),
      expect.stringMatching(/2 members of the user group are told directly/),
    ]);
    expect(reminders(team)[0]).toContain(`<!subteam^${group}>`);
    expect(reminders(team)[0]).toMatch(ids.has('payments') ? /Worst: .*[Cc]ritical · .*payments/ : /Worst/);
    expect(alertsTo(team, 'ana')).toEqual([expect.stringMatching(/open incidents in a storm, none acknowledged/)]);
    expect(alertsTo(team, 'ben')).toHaveLength(1);
  });

  it('is left alone once all its incidents are acknowledged or closed', async () => {
    const storm = await startStorm(mentionAfter(10));
    const { team, clock, ids } = storm;
    await using _team = team;
    const [[, first] = ['', ''], ...others] = ids;

    team.service.closeIncident(first);
    for (const [, id] of others) {
      await team.slack.as('ana').command('incidents', `/incidents ack ${id}`);
    }
    const store = await createStore(team.database);
    await eventually(async () => {
      const message = stormMessage(team);
      return message?.text.includes('all acknowledged') === true && (await store.actions.countWaiting()) === 0;
    });
    await leap(team, clock, 60 * MINUTE_MS);
    await untilIdle(storm);

    expect(reminders(team)).toEqual([]);
  });

  it('is not reminded of before a poll has confirmed that it is still needed', async () => {
    const storm = await startStorm(mentionAfter(10));
    const { team, clock, ids } = storm;
    await using _team = team;

    team.service.setAway(true);
    for (const id of ids.values()) {
      team.service.closeIncident(id);
    }
    await leap(team, clock, 11 * MINUTE_MS);
    await leap(team, clock, 6 * MINUTE_MS);
    team.service.setAway(false);
    await leap(team, clock, MINUTE_MS);
    await eventually(() => team.slack.messages('incidents').some(({ text }) => /Storm over|All closed/.test(text)));
    await untilIdle(storm);

    expect(reminders(team)).toEqual([]);
  });
});
