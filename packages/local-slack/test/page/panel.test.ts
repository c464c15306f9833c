import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../src/local-slack.ts';
import { type Fixture, startFixture } from '../fixture.ts';
import { createPageOpener, hasFocus, sidebar, startAppWithHome } from './page-fixture.ts';

const PANEL = {
  title: 'Drill',
  buttons: [
    { id: 'break', label: 'Break it', group: 'The shop' },
    { id: 'heal', label: 'Heal it', group: 'The shop', active: true },
  ],
  metrics: [{ label: 'Lost', value: '0' }],
  log: ['It began'],
};

async function ask(
  { slack }: Fixture,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; answer: unknown }> {
  const response = await fetch(new URL(`/local/${path}`, slack.url), {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, answer: await response.json() };
}

describe('the panel of another program', () => {
  it('is the last one that the program sent, and reports each pressed button once', async () => {
    await using fixture = await startFixture();
    const first = await ask(fixture, 'PUT', 'panel', PANEL);
    await ask(fixture, 'POST', 'panel/presses', { button: 'break' });
    await ask(fixture, 'POST', 'panel/presses', { button: 'heal' });

    const second = await ask(fixture, 'PUT', 'panel', { ...PANEL, log: ['It broke', 'It began'] });
    const third = await ask(fixture, 'PUT', 'panel', { title: 'Drill' });

    expect(first).toEqual({ status: 200, answer: { pressed: [] } });
    expect(second.answer).toEqual({ pressed: ['break', 'heal'] });
    expect(third.answer).toEqual({ pressed: [] });
    expect((await ask(fixture, 'GET', 'panel')).answer).toEqual({
      panel: { title: 'Drill', buttons: [], metrics: [], log: [] },
    });
  });

  it('refuses a press of a button that does not exist', async () => {
    await using fixture = await startFixture();
    const early = await ask(fixture, 'POST', 'panel/presses', { button: 'break' });
    await ask(fixture, 'PUT', 'panel', PANEL);
    const wrong = await ask(fixture, 'POST', 'panel/presses', { button: 'mend' });

    expect([early.status, wrong.status]).toEqual([409, 409]);
  });

  it('disappears when the program removes it, and after ten seconds without an update', async () => {
    const clock = createVirtualClock(new Date('2026-01-01T00:00:00Z'));
    await using fixture = await startFixture({ clock });
    await ask(fixture, 'PUT', 'panel', PANEL);
    await clock.advance(9_000);
    await ask(fixture, 'PUT', 'panel', PANEL);
    await clock.advance(9_999);
    const still = await ask(fixture, 'GET', 'panel');
    await clock.advance(1);
    const silent = await ask(fixture, 'GET', 'panel');
    await ask(fixture, 'PUT', 'panel', PANEL);
    await ask(fixture, 'DELETE', 'panel');

    expect(still.answer).toMatchObject({ panel: { title: 'Drill' } });
    expect(silent.answer).toEqual({ panel: null });
    expect((await ask(fixture, 'GET', 'panel')).answer).toEqual({ panel: null });
  });

  it.each([
    [
      'two buttons with the same id',
      { ...PANEL, buttons: [PANEL.buttons[0], PANEL.buttons[0]] },
      /two buttons have the same id/,
    ],
    ['an unknown field', { ...PANEL, colour: 'red' }, /colour/],
  ])('explains the error of %s', async (_what, panel, message) => {
    await using fixture = await startFixture();

    const { status, answer } = await ask(fixture, 'PUT', 'panel', panel);

    expect(status).toBe(400);
    expect(JSON.stringify(answer)).toMatch(message);
  });
});

describe('on the page', () => {
  const openPage = createPageOpener();

  it('has a button in the sidebar while there is a panel, and updates without moving the focus', async () => {
    await using fixture = await startAppWithHome();
    await using page = await openPage(fixture);
    const opener = sidebar(page).getByRole('button', { name: 'Drill' });
    const before = await opener.count();
    await ask(fixture, 'PUT', 'panel', PANEL);
    await opener.click();
    const panel = page.getByRole('complementary', { name: 'Drill' });
    const button = panel.getByRole('group', { name: 'The shop' }).getByRole('button', { name: 'Break it' });

    await button.press('Enter');
    await expect.poll(async () => (await ask(fixture, 'PUT', 'panel', PANEL)).answer).toEqual({ pressed: ['break'] });
    await ask(fixture, 'PUT', 'panel', {
      ...PANEL,
      buttons: PANEL.buttons.map((each) => ({ ...each, active: each.id === 'break' })),
      metrics: [{ label: 'Lost', value: '1', alarming: true }],
    });
    await panel.getByText('⚠ 1').waitFor();
    const isPressed = await button.getAttribute('aria-pressed');
    const keepsKeyboard = await hasFocus(button);
    await ask(fixture, 'DELETE', 'panel');
    await panel.getByText('The program behind this panel has stopped.').waitFor();

    expect(before).toBe(0);
    expect([isPressed, keepsKeyboard]).toEqual(['true', true]);
  });
});
