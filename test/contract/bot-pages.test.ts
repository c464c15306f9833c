import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFaults } from '../support/axe.ts';
import { type BotTeam, startBotTeam } from '../support/bot-team.ts';
import { launchBrowser } from '../support/browser.ts';
import { layoutFaults } from '../support/layout.ts';
import { openSlackPage, timeline } from '../support/slack-page.ts';

const PUBLIC_URL = 'https://tocsin.example.com';

/** By mouse or by keyboard. */
type Press = (control: Locator) => Promise<void>;
const PRESSES: Readonly<Record<'mouse' | 'keyboard', Press>> = {
  mouse: (control) => control.click(),
  async keyboard(control) {
    await control.focus();
    await control.press('Enter');
  },
};

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser.close();
});

const open = (team: BotTeam, width: number): Promise<Page & AsyncDisposable> =>
  openSlackPage(browser, team.slack.url, { viewport: { width, height: 900 } });

const faultsOf = async (page: Page, what: Locator): Promise<string[]> => [
  ...(await accessibilityFaults(page)),
  ...(await layoutFaults(what)),
];

/** Chooses the last option. */
const CHOOSE_LAST: Readonly<Record<'mouse' | 'keyboard', (select: Locator) => Promise<unknown>>> = {
  mouse: async (select) => select.selectOption({ index: (await select.getByRole('option').count()) - 1 }),
  keyboard: (select) => select.press('End'),
};

describe.each([
  ['mouse', 1280],
  ['keyboard', 1280],
  ['mouse', 390],
  ['keyboard', 390],
] as const)('by %s at %i pixels', (how, width) => {
  const press = PRESSES[how];

  it('explores the signals of an incident', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({
      service: 'payments',
      signals: [...Array.from({ length: 12 }, () => ({ type: 'trace' as const })), { type: 'log', service: 'ledger' }],
    });
    await team.card(/payments/);
    await using page = await open(team, width);
    const dialog = page.getByRole('dialog');

    await press(
      timeline(page)
        .getByRole('button', { name: /^Signals/ })
        .last(),
    );
    await dialog.getByText('1 to 10 of 13 signals').waitFor();
    await press(dialog.getByRole('button', { name: 'Next' }));
    await dialog.getByText('11 to 13 of 13 signals').waitFor();
    await CHOOSE_LAST[how](dialog.getByRole('combobox', { name: 'Kind of signal' }));
    await dialog.getByText('1 signal', { exact: true }).waitFor();
    const faults = await faultsOf(page, dialog);
    await press(dialog.getByRole('button', { name: /^Open the log signal/ }));
    await dialog
      .getByText(/^Signal/)
      .first()
      .waitFor();
    await dialog.getByText('ledger').first().waitFor();

    expect([...faults, ...(await faultsOf(page, dialog))]).toEqual([]);
    expect(team.slack.openViews('ana')).toHaveLength(2);
  });

  it('adds a message to an incident as a note', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    const card = await team.card(/payments/);
    await team.slack.as('ben').message('incidents', 'the pool is full');
    await using page = await open(team, width);
    const dialog = page.getByRole('dialog');
    const message = timeline(page).getByRole('article').filter({ hasText: 'the pool is full' });

    await message.hover();
    await press(message.getByRole('button', { name: 'More' }));
    await press(page.getByRole('menuitem', { name: /Add to incident as note/ }));
    await dialog.getByLabel('Note').fill('the pool is full: 50 of 50');
    const faults = await faultsOf(page, dialog);
    await press(dialog.getByRole('button', { name: 'Add note' }));

    await team.slack.waitFor(() => team.replies(card).some((text) => text.includes('50 of 50')));
    expect(faults).toEqual([]);
  });

  it('lists the open incidents by a shortcut', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    await using page = await open(team, width);
    const dialog = page.getByRole('dialog');

    await press(page.getByRole('button', { name: 'Shortcuts' }));
    await press(page.getByRole('menuitem', { name: /Open incidents/ }));
    await dialog.getByText('payments').first().waitFor();

    expect(await faultsOf(page, dialog)).toEqual([]);
  });

  it('acknowledges from the Home tab', async () => {
    await using team = await startBotTeam();
    team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    await using page = await open(team, width);
    await press(page.getByRole('navigation').getByRole('button', { name: 'Tocsin' }));
    const home = page.getByRole('tabpanel', { name: 'Home' });
    await home.getByText('Nobody has taken (1)').waitFor();
    const faults = await faultsOf(page, home);

    await press(home.getByRole('button', { name: /^Acknowledge/ }));

    expect((await team.card(/Acknowledged by ana/)).text).toContain('payments');
    expect(faults).toEqual([]);
  });

  it('acts on an unfurled link', async () => {
    await using team = await startBotTeam({ publicUrl: PUBLIC_URL });
    const id = team.service.openIncident({ service: 'payments' });
    await team.card(/payments/);
    await team.slack.as('ben').message('incidents', `see ${PUBLIC_URL}/dashboard/incidents/${id}`);
    await using page = await open(team, width);
    const message = timeline(page).getByRole('article').filter({ hasText: 'As of' });
    await message.waitFor();
    const faults = await faultsOf(page, message);

    await press(message.getByRole('button', { name: /^Acknowledge/ }));

    expect((await team.card(/Acknowledged by ana/)).text).toContain('payments');
    expect(faults).toEqual([]);
  });
});
