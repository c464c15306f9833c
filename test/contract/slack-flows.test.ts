import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Incident } from '../../src/contract/resources.ts';
import { launchBrowser } from '../support/browser.ts';
import { type RealTeam, startRealTeam } from '../support/real-team.ts';
import { type Means, type SlackPerson, startSlackPerson } from '../support/slack-person.ts';

/** No storm, because the flows of one team open many incidents. */
const NO_STORMS = { incidents: 1_000, windowMs: 1, calmIncidents: 1, calmMs: 1, leftOpen: 1 };

/** That people can see, read and press all of it; what the bot does is tested without a browser. */
describe.each<[Means, number]>([
  ['mouse', 1_280],
  ['keyboard', 390],
])('by %s at %i pixels', (means, width) => {
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
});
