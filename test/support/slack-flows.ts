import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Incident } from '../../src/contract/resources.ts';
import { launchBrowser } from './browser.ts';
import { type RealTeam, startRealTeam } from './real-team.ts';
import { type Means, type SlackPerson, startSlackPerson } from './slack-person.ts';

/** No storm, because the flows of one team open many incidents. */
const NO_STORMS = { incidents: 1_000, windowMs: 1, calmIncidents: 1, calmMs: 1, leftOpen: 1 };

/** What people do with incidents in Slack, in one team, with Tocsin's own service. */
export function describeFlows(means: Means, width: number): void {
  describe(`by ${means} at ${width} pixels`, () => {
    let browser: Browser;
    let real: RealTeam;
    let ana: SlackPerson;
    beforeAll(async () => {
      browser = await launchBrowser();
      real = await startRealTeam({ storms: NO_STORMS });
      ana = await startSlackPerson(browser, real.team.slack.url, { means, width });
    });
    afterAll(async () => {
      await ana[Symbol.asyncDispose]();
      await real[Symbol.asyncDispose]();
      await browser.close();
    });

    afterEach(() => ana.closeWindows());

    const open = async (service: string): Promise<Incident> => {
      await real.service.failIn([service]);
      const incident = await real.service.openIncident();
      await ana.message(`#${incident.number} `).waitFor();
      return incident;
    };
    const card = ({ number }: Incident) =>
      ana.message(new RegExp(`^(?!.*Only visible to you).*#${number} .*(Still failing|Quiet|Recovered)`));
    const button = (words: RegExp | string, name: RegExp) => ana.message(words).getByRole('button', { name });

    it('acknowledges on the card, and takes it back in the receipt', async () => {
      const incident = await open('payments');

      await ana.press(card(incident).getByRole('button', { name: /^Acknowledge/ }));
      const receipt = ana.message(/You acknowledged #/);
      const faults = await ana.faults(receipt);
      await card(incident)
        .getByText(/Acknowledged by @ana/)
        .waitFor();
      await ana.press(receipt.getByRole('button', { name: /^Undo/ }));
      await ana.message(/You took back your acknowledgement/).waitFor();

      expect([...faults, ...(await ana.faults(card(incident)))]).toEqual([]);
      await card(incident)
        .getByRole('button', { name: /^Acknowledge/ })
        .waitFor();
    });

    it('closes in the form, and opens it again in the receipt', async () => {
      const incident = await open('orders');

      await ana.press(card(incident).getByRole('button', { name: /^Resolve/ }));
      await ana.fill(ana.dialog.getByLabel('Resolution note'), 'Rolled back orders 1.2.3, its pool was too small.');
      const faults = await ana.faults(ana.dialog);
      await ana.press(ana.dialog.getByRole('button', { name: /^Resolve/ }));
      const receipt = ana.message(/You closed #/);
      faults.push(...(await ana.faults(receipt)));
      await ana.press(receipt.getByRole('button', { name: /^Undo/ }));
      await ana.message(/You opened #\d+ .* again/).waitFor();

      expect(faults).toEqual([]);
    });

    it('asks before it closes what still fails', async () => {
      const incident = await open('ledger');

      await ana.say(`/incidents resolve #${incident.number} restarted the ledger`);
      const question = ana.message(/still failing.*Resolve anyway\?/);
      const faults = await ana.faults(question);
      await ana.press(question.getByRole('button', { name: /^Resolve anyway/ }));
      await ana.message(/You closed #/).waitFor();
      await ana.message(new RegExp(`#${incident.number} .*Closed by`)).waitFor();

      expect(faults).toEqual([]);
    });

    it('snoozes and ends the snooze', async () => {
      const incident = await open('bank');

      await ana.choose(card(incident).getByRole('button', { name: /choices/ }), /^Snooze$/);
      const question = ana.message(/For how long/);
      const faults = await ana.faults(question);
      await ana.press(question.getByRole('button', { name: /1 hour$/ }));
      await ana.message(/You snoozed #/).waitFor();
      await card(incident)
        .getByText(/Snoozed until/)
        .waitFor();
      faults.push(...(await ana.faults(card(incident))));
      await ana.choose(card(incident).getByRole('button', { name: /choices/ }), /^End snooze$/);
      await ana.message(/You ended the snooze/).waitFor();

      expect(faults).toEqual([]);
    });

    it('acts in the list of open incidents, one by one and on all after a question', async () => {
      const first = await open('search');
      const second = await open('ads');
      const third = await open('mail');
      const list = ana.message(/open incidents.* as of/);

      await ana.say('/incidents open');
      const faults = await ana.faults(list);
      const row = list.locator('.block').filter({ hasText: `#${first.number} ` });
      await ana.choose(row.getByRole('button', { name: /choices/ }), /^Acknowledge #/);
      await row.getByText(/acknowledged by @?ana/i).waitFor();
      await ana.choose(row.getByRole('button', { name: /choices/ }), /^Show #/);
      await ana.message(`#${first.number} `).waitFor();
      faults.push(...(await ana.faults(list)));
      await ana.press(list.getByRole('button', { name: /^Acknowledge all/ }));
      await ana.press(ana.dialog.getByRole('button', { name: 'Cancel' }));
      await ana.press(list.getByRole('button', { name: /^Acknowledge all/ }));
      faults.push(...(await ana.faults(ana.dialog)));
      await ana.press(ana.dialog.getByRole('button', { name: 'Acknowledge all' }));
      for (const { number } of [second, third]) {
        await list
          .locator('.block')
          .filter({ hasText: `#${number} ` })
          .getByText(/acknowledged by @?ana/i)
          .waitFor();
      }
      faults.push(...(await ana.faults(list)));

      expect(faults).toEqual([]);
    });

    it('narrows a list down, and lists what was closed', async () => {
      await open('stock');
      await ana.say('/incidents open service:stock unacked');
      const narrowed = ana.message(/1 open incident matching/);
      const faults = await ana.faults(narrowed);
      await ana.press(narrowed.getByRole('button', { name: /^Refresh/ }));
      faults.push(...(await ana.faults(narrowed)));
      await ana.say('/incidents closed 7d');
      faults.push(...(await ana.faults(ana.message(/closed in the last 7d/))));
      await ana.say('/incidents mine');
      faults.push(...(await ana.faults(ana.message(/that you acknowledged/))));

      expect(faults).toEqual([]);
    });

    it('acts on several incidents at once', async () => {
      const one = await open('web');
      const two = await open('cart');

      await ana.say(`/incidents ack #${one.number} ${two.number}`);
      for (const { number } of [one, two]) {
        await ana.message(`You acknowledged #${number} `).waitFor();
      }

      expect(await ana.faults(ana.message(/You acknowledged/))).toEqual([]);
    });

    it('asks by buttons which incident is meant, and says what a mistyped word may mean', async () => {
      const one = await open('queue');
      await open('cache');

      await ana.say('/incidents ack');
      const question = ana.message(/Which one\?/);
      const faults = await ana.faults(question);
      await ana.press(question.getByRole('button', { name: `Acknowledge incident #${one.number}` }));
      await ana.message(new RegExp(`You acknowledged #${one.number} `)).waitFor();
      await ana.say('/incidents opne');
      faults.push(...(await ana.faults(ana.message(/Did you mean/))));

      expect(faults).toEqual([]);
    });

    it('explores the signals, one of them, and why the root service was chosen', async () => {
      const incident = await open('users');

      await ana.choose(card(incident).getByRole('button', { name: /choices/ }), /^Signals$/);
      await ana.dialog
        .getByText(/\d+ signals?$/)
        .first()
        .waitFor();
      const faults = await ana.faults(ana.dialog);
      await ana.press(ana.dialog.getByRole('button', { name: /^Open the/ }).first());
      await ana.dialog.getByText('connection refused').first().waitFor();
      faults.push(...(await ana.faults(ana.dialog)));
      await ana.closeWindow();
      await ana.press(ana.dialog.getByRole('button', { name: /root/i }).first());
      await ana.dialog
        .getByText(/Possible root|Root service/)
        .first()
        .waitFor();
      faults.push(...(await ana.faults(ana.dialog)));
      await ana.closeWindow();
      await ana.closeWindow();

      expect(faults).toEqual([]);
      expect(await ana.dialog.count()).toBe(0);
    });

    it('subscribes after a check, edits and deletes the rule', async () => {
      await ana.say('/incidents subscribe');
      await ana.pick(ana.dialog.getByRole('combobox', { name: 'Services' }), 'pay', /^payments$/);
      await ana.pick(ana.dialog.getByRole('combobox', { name: 'Services' }), 'brand-new', /^brand-new No incident/);
      const faults = await ana.faults(ana.dialog);
      await ana.press(ana.dialog.getByRole('button', { name: 'Check' }));
      await ana.dialog.getByText('In the last 7 days this would have posted').waitFor();
      faults.push(...(await ana.faults(ana.dialog)));
      await ana.press(ana.dialog.getByRole('button', { name: 'Save' }));
      await ana.message(/Saved: all incidents of payments, brand-new/).waitFor();

      await ana.say('/incidents rules');
      const rules = ana.message(/2 rules here/);
      faults.push(...(await ana.faults(rules)));
      await ana.press(rules.getByRole('button', { name: /^Edit .*brand-new/ }));
      await ana.press(ana.dialog.getByRole('button', { name: 'Remove payments' }));
      faults.push(...(await ana.faults(ana.dialog)));
      await ana.press(ana.dialog.getByRole('button', { name: 'Check' }));
      await ana.press(ana.dialog.getByRole('button', { name: 'Save' }));
      await ana.message(/Saved: all incidents of brand-new come/).waitFor();
      await ana.press(button(/2 rules here/, /^Delete .*brand-new/));
      faults.push(...(await ana.faults(ana.dialog)));
      await ana.press(ana.dialog.getByRole('button', { name: 'Delete' }));
      await ana.message(/Deleted 1 rule/).waitFor();

      expect(faults).toEqual([]);
    });

    it('mutes a service for planned work, and ends the mute in the rules', async () => {
      await ana.say('/incidents snooze service:reports 2h planned work');
      await ana.message(/reports until/).waitFor();
      await ana.say('/incidents rules');
      const rules = ana.message(/Muted until.*reports/);
      const faults = await ana.faults(rules);
      await ana.press(rules.getByRole('button', { name: /^End the mute/ }));
      await ana.message(/The mute has ended/).waitFor();

      expect(faults).toEqual([]);
    });

    it.each([
      ['show #1', /#1 .*[\s\S]*Signals/],
      ['stats 7d', /Incidents opened in the last 7d/],
      ['handover 8h', /Handover/],
      ['export audit', /The audit log is in your direct messages/],
      ['dashboard', /Open the dashboard/],
      ['health', /Status.*Service: /],
      ['help', /Answer incidents from Slack/],
    ])('answers /incidents %s', async (command, words) => {
      await ana.say(`/incidents ${command}`);

      expect(await ana.faults(ana.message(words))).toEqual([]);
    });

    it('writes the timeline of an incident to its thread', async () => {
      await ana.say('/incidents export #1');
      const first = ana.page
        .getByRole('log')
        .first()
        .getByRole('article')
        .filter({ hasText: /#1 .*(Still failing|Quiet|Recovered)/ });
      await ana.press(
        first
          .first()
          .getByRole('button', { name: /repl(y|ies)/ })
          .last(),
      );
      const thread = ana.page.getByRole('complementary', { name: 'Thread' });
      await thread.getByRole('link', { name: 'Incident 1' }).waitFor();

      expect(await ana.faults(thread)).toEqual([]);
      await ana.press(thread.getByRole('button', { name: 'Close the thread' }));
    });

    it('stops the incidents of a channel', async () => {
      await ana.say('/incidents unsubscribe');

      const question = ana.message(/Stop incidents in this channel/);
      expect(await ana.faults(question)).toEqual([]);
      await ana.press(question.getByRole('button', { name: 'Stop incidents here' }));
      expect(await ana.faults(ana.message(/Deleted 1 rule/))).toEqual([]);
    });
  });
}
