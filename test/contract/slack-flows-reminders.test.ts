import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EscalationStep, EVERYTHING } from '../../src/bot/domain/rule.ts';
import { createStore } from '../../src/bot/store/store.ts';
import { type BotTeam, eventually, leap, startBotTeam } from '../support/bot-team.ts';
import { launchBrowser } from '../support/browser.ts';
import { type Means, startSlackPerson } from '../support/slack-person.ts';
import { createTestClock, type TestClock } from '../support/test-clock.ts';

const CHANNEL = 'C0INCIDENT';
const MINUTE_MS = 60_000;

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
});

const mentionAfterTen = (id: string): EscalationStep[] => [{ afterMinutes: 10, target: { kind: 'group', id } }];

/** A team with a rule of these steps for the user group of Ana and Ben. */
async function startTeam(clock: TestClock, steps = mentionAfterTen): Promise<BotTeam> {
  const team = await startBotTeam({ now: clock.now });
  await eventually(async () => (await team.bot.readiness()).every(({ ready }) => ready));
  const id = team.slack.as('ana').setUserGroup('on-call', ['ana', 'ben']);
  const { rules } = await createStore(team.database);
  const escalation = steps(id);
  const settings = { channelId: CHANNEL, filter: EVERYTHING, escalation, quietHours: null, handover: null };
  await rules.save(null, settings, 'U1');
  return team;
}

describe.each<[Means, number]>([
  ['mouse', 1_280],
  ['keyboard', 390],
])('by %s at %i pixels', (means, width) => {
  it('acknowledges in a reminder, and closes when asked whether to', async () => {
    const clock = createTestClock();
    await using team = await startTeam(clock);
    let fields: object = {};
    team.service.showMore(() => fields);
    team.service.openIncident({ service: 'payments', openedAt: clock.now() });
    const card = await team.card(/payments/);
    await leap(team, clock, 11 * MINUTE_MS);
    await eventually(() => team.replies(card).length > 0);
    await using ana = await startSlackPerson(browser, team.slack.url, { means, width });
    const thread = ana.page.getByRole('complementary', { name: 'Thread' });
    const reply = (words: RegExp) => thread.getByRole('article').filter({ hasText: words }).last();

    await ana.press(
      ana
        .message(/payments/)
        .getByRole('button', { name: /repl(y|ies)/ })
        .last(),
    );
    const reminder = reply(/Nobody has acknowledged this for 11 min\. @on-call/);
    const faults = await ana.faults(reminder);
    await ana.press(reminder.getByRole('button', { name: /^Acknowledge/ }));
    await team.card(/payments\nAcknowledged/);

    fields = { activity: 'recovered', activity_since: clock.now().toISOString() };
    await team.card(/Recovered/);
    await leap(team, clock, 31 * MINUTE_MS);
    const question = reply(/Recovered 31 min ago and still open\. Resolve it\?/);
    faults.push(...(await ana.faults(question)));
    await ana.press(question.getByRole('button', { name: /^Resolve/ }));
    await ana.fill(ana.dialog.getByLabel('Resolution note'), 'The pool of connections was too small.');
    await ana.press(ana.dialog.getByRole('button', { name: /^Resolve/ }));
    await team.card(/payments\nClosed/);

    expect(faults).toEqual([]);
  });

  it('acknowledges what another channel is notified of, and is reminded while it lasts', async () => {
    const clock = createTestClock();
    await using team = await startTeam(clock, (id) => [
      { afterMinutes: 5, target: { kind: 'channel', id: 'C0GENERAL1' } },
      { afterMinutes: 5, target: { kind: 'members', id } },
    ]);
    team.service.showMore(() => ({ activity: 'failing' }));
    const id = team.service.openIncident({ service: 'payments', openedAt: clock.now() });
    const card = await team.card(/payments/);
    for (const count of [1, 2]) {
      await leap(team, clock, 6 * MINUTE_MS);
      await eventually(() => team.replies(card).length === count);
    }
    await team.directMessage('ana', /payments\nNobody has acknowledged this/);
    await using ana = await startSlackPerson(browser, team.slack.url, { means, width });
    const places = ana.page.getByRole('navigation');

    await ana.press(places.getByRole('button', { name: 'Tocsin' }));
    await ana.press(ana.page.getByRole('tab', { name: 'Messages' }));
    const faults = await ana.faults(ana.message(/Nobody has acknowledged this/));
    await ana.press(places.getByRole('button', { name: /^general/ }));
    const told = ana.message(/payments.*Nobody has acknowledged this/s);
    faults.push(...(await ana.faults(told)));
    await ana.press(told.getByRole('button', { name: /^Acknowledge/ }));
    await team.card(/payments\nAcknowledged/);
    team.service.addSignals(id, [{ type: 'log' }, { type: 'log' }]);
    await team.card(/3 signals/);
    await leap(team, clock, 46 * MINUTE_MS);
    await eventually(() => team.replies(card).some((text) => text.includes('new failures since')));
    await ana.press(places.getByRole('button', { name: /^incidents/ }));
    const replies = ana.message(/payments/).getByRole('button', { name: /repl(y|ies)/ });
    await ana.press(replies.last());
    const thread = ana.page.getByRole('complementary', { name: 'Thread' });
    faults.push(...(await ana.faults(thread.getByRole('article').filter({ hasText: 'new failures since' }).last())));

    expect(faults).toEqual([]);
  });

  it('takes over the narrower rule that is proposed for a noisy channel', async () => {
    const clock = createTestClock();
    await using team = await startTeam(clock);
    team.service.showMore(({ rootService }) =>
      rootService === 'payments' ? { acknowledged_by: 'ben', acknowledged_at: clock.now().toISOString() } : {},
    );
    for (let index = 0; index < 24; index += 1) {
      team.service.openIncident({ service: index < 3 ? 'payments' : 'search', openedAt: clock.now() });
    }
    const { rules } = await createStore(team.database);
    await eventually(async () => {
      const cards = await rules.pastCards(CHANNEL, new Date(0));
      return cards.length === 24 && cards.filter(({ isActedOn }) => isActedOn).length === 3;
    });
    await using ana = await startSlackPerson(browser, team.slack.url, { means, width });

    await ana.say('/incidents rules');
    const report = ana.message(/24 cards, 3 acted on/);
    const faults = await ana.faults(report);
    await ana.press(report.getByRole('button', { name: 'Use the narrower rule' }));
    faults.push(...(await ana.faults(ana.dialog)));
    await ana.press(ana.dialog.getByRole('button', { name: 'Check' }));
    await ana.dialog.getByText('In the last 7 days this would have posted').waitFor();
    await ana.press(ana.dialog.getByRole('button', { name: 'Save' }));
    await ana.message(/Saved: all incidents of payments/).waitFor();

    expect(faults).toEqual([]);
  });

  it('acknowledges the incidents of a service in a storm, and one in its list', async () => {
    const clock = createTestClock();
    await using team = await startBotTeam({ now: clock.now });
    for (let index = 0; index < 36; index += 1) {
      const openedAt = new Date(clock.now().getTime() - MINUTE_MS + index * 1_000);
      team.service.openIncident({ service: index % 3 === 0 ? 'search' : 'checkout', openedAt });
    }
    await using ana = await startSlackPerson(browser, team.slack.url, { means, width });
    const storm = ana.message(/Storm: \d+ incidents/);

    const all = storm.getByRole('button', { name: /^Acknowledge all of search/ });
    await all.waitFor({ timeout: 60_000 });
    const faults = await ana.faults(storm);
    await ana.press(storm.getByRole('button', { name: /^Show list/ }));
    await ana.dialog
      .getByText(/^#|incident-/)
      .first()
      .waitFor();
    faults.push(...(await ana.faults(ana.dialog)));
    await ana.choose(ana.dialog.getByRole('button', { name: /choices/ }).first(), /^Acknowledge/);
    await ana.dialog
      .getByText(/You acknowledged/)
      .first()
      .waitFor();
    await ana.press(ana.dialog.getByRole('button', { name: /^Next/ }));
    await ana.dialog
      .getByRole('button', { name: /^Previous|^Back/ })
      .first()
      .waitFor();
    await ana.closeWindow();
    await storm
      .getByText(/\d not acknowledged/)
      .first()
      .waitFor();
    await ana.press(all);
    faults.push(...(await ana.faults(ana.dialog)));
    await ana.press(ana.dialog.getByRole('button', { name: /^Acknowledge/ }));
    await ana.message(/You acknowledged \d+ of \d+ incidents of search/).waitFor();

    expect(faults).toEqual([]);
  });
});
