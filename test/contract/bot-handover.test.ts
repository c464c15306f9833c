import { addDays } from 'date-fns/addDays';
import { isWeekend } from 'date-fns/isWeekend';
import { expect, it } from 'vitest';
import { EVERYTHING } from '../../src/bot/rooms/rules/rule.ts';
import { createStore } from '../../src/bot/store.ts';
import { type BotTeam, eventually, leap, nothingToReport, startBotTeam } from '../support/bot-team.ts';
import { createTestClock, type TestClock } from '../support/test-clock.ts';

const HOUR_MS = 60 * 60_000;

const handovers = (team: BotTeam): string[] =>
  team.slack
    .messages('incidents')
    .filter(({ metadata }) => metadata?.event_type === 'tocsin_handover')
    .map(({ text }) => text);

/** Leaps to an hour of the next weekday, in UTC. */
async function leapToWeekday(team: BotTeam, clock: TestClock, hour: number): Promise<void> {
  const now = clock.now();
  let then = new Date(now);
  then.setUTCHours(hour, 0, 0, 0);
  while (then <= now || isWeekend(then)) {
    then = addDays(then, 1);
  }
  await leap(team, clock, then.getTime() - now.getTime() + 60_000);
}

it('posts the handover of a channel once on each weekday, also with two bots', async () => {
  const clock = createTestClock();
  await using team = await startBotTeam({ clock });
  await nothingToReport(team);
  await team.startAnotherBot();
  await leapToWeekday(team, clock, 8);
  const { rules } = await createStore(team.database);
  const handover = { at: '09:00', timeZone: 'UTC' };
  await rules.save(
    null,
    { channelId: 'C0INCIDENT', filter: EVERYTHING, escalation: [], quietHours: null, handover },
    'U1',
  );
  team.service.openIncident({ service: 'payments', openedAt: clock.now() });
  const closing = team.service.openIncident({ service: 'search', openedAt: clock.now() });
  const card = await team.card(/payments/);
  await team.card(/search/);
  await team.slack.as('ana').click(card, 'Acknowledge');
  await team.card(/payments\nAcknowledged/);
  team.service.closeIncident(closing);
  await team.card(/search\nClosed/);

  const before = handovers(team);
  await leap(team, clock, HOUR_MS);
  await eventually(() => handovers(team).length === 1);
  await leap(team, clock, HOUR_MS);
  const [first] = handovers(team);
  await leapToWeekday(team, clock, 9);
  await eventually(() => handovers(team).length === 2);

  expect(before).toEqual([]);
  expect(first).toMatch(/^Handover /);
  expect(first).toMatch(/2 incidents opened, 1 closed, 1 open now/);
  expect(first).toContain('payments');
  expect(handovers(team)[1]).toMatch(/0 incidents opened, 0 closed, 1 open now/);
});
