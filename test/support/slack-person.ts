import type { Browser, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { accessibilityFaults } from './axe.ts';
import { layoutFaults } from './layout.ts';

export type Means = 'mouse' | 'keyboard';

/** Tab stops between two controls of one message, form or list. */
const MOST_TABS = 60;

/** Somebody at the page of local Slack who uses only the mouse or only the keyboard. */
export interface SlackPerson extends AsyncDisposable {
  readonly page: Page;
  readonly dialog: Locator;
  /** Sends a command or a message in the place that is shown. */
  say(text: string): Promise<void>;
  /** The newest message that matches. */
  message(words: RegExp | string): Locator;
  press(control: Locator): Promise<void>;
  /** Opens a menu and chooses an item. */
  choose(menu: Locator, item: RegExp): Promise<void>;
  fill(field: Locator, text: string): Promise<void>;
  /** Closes all windows that a failed test left open. */
  closeWindows(): Promise<void>;
  /** Closes the window on top, and waits until it is gone. */
  closeWindow(): Promise<void>;
  /** Types into a field that offers options, and takes the one with this label and description. */
  pick(combobox: Locator, typed: string, option: RegExp): Promise<void>;
  /** What a person could not see, read or press on the page and in one part of it, in light and dark. */
  faults(part: Locator): Promise<string[]>;
}

export async function startSlackPerson(
  browser: Browser,
  slackUrl: string,
  { means, width }: { means: Means; width: number },
): Promise<SlackPerson> {
  const page = await browser.newPage({
    viewport: { width, height: 900 },
    timezoneId: 'UTC',
    locale: 'en-US',
    reducedMotion: 'reduce',
  });
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') {
      errors.push(`${message.text()} ${message.location().url}`);
    }
  });
  page.setDefaultTimeout(30_000);
  await page.goto(slackUrl);
  await page.getByRole('heading', { level: 2, name: /^#/ }).waitFor();
  const dialog = page.getByRole('dialog');
  /** Only then can the focus be lost. */
  let hasFocused = false;

  /** Moves the focus with the Tab key, first to the message that holds the control. */
  async function tabTo(control: Locator): Promise<void> {
    await control.waitFor();
    const message = control.locator('xpath=ancestor::article');
    if ((await message.count()) > 0) {
      await message.focus(); // its own arrow keys are tested with the page
    } else if ((await control.locator('xpath=ancestor::dialog').count()) === 0) {
      await control.focus();
    }
    for (let tabs = 0; !(await isFocused(control)); tabs += 1) {
      if (tabs === MOST_TABS) {
        throw new Error(`${await control.evaluate((node) => node.outerHTML.slice(0, 200))} cannot be reached by Tab`);
      }
      await page.keyboard.press('Tab');
    }
    expect(await showsFocus(control), 'the focus is visible').toBe(true);
  }

  async function press(control: Locator): Promise<void> {
    if (means === 'mouse') {
      return control.click();
    }
    await tabTo(control);
    hasFocused = true;
    await page.keyboard.press('Enter');
  }

  async function closeWindow(): Promise<void> {
    const title = await dialog.getByRole('heading').first().innerText();
    await (means === 'mouse'
      ? dialog.getByRole('button', { name: 'Close this window' }).click()
      : page.keyboard.press('Escape'));
    await dialog.getByRole('heading', { name: title, exact: true }).waitFor({ state: 'detached' });
  }

  return {
    page,
    dialog,
    async say(text) {
      const composer = page.getByRole('textbox', { name: /^Message/ });
      await composer.fill(text);
      await (means === 'mouse' ? page.getByRole('button', { name: 'Send' }).click() : composer.press('Enter'));
    },
    message: (words) => page.getByRole('log').first().getByRole('article').filter({ hasText: words }).last(),
    press,
    async choose(menu, item) {
      await press(menu);
      const choice = page.getByRole('menuitem', { name: item });
      await choice.waitFor();
      if (means === 'mouse') {
        return choice.click();
      }
      for (let moves = 0; moves < MOST_TABS && !(await isFocused(choice)); moves += 1) {
        await page.keyboard.press('ArrowDown');
      }
      await page.keyboard.press('Enter');
    },
    async fill(field, text) {
      await (means === 'mouse' ? field.click() : tabTo(field));
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.insertText(text);
    },
    async closeWindows() {
      while ((await dialog.count()) > 0) {
        await closeWindow();
      }
    },
    closeWindow,
    async pick(combobox, typed, option) {
      await (means === 'mouse' ? combobox.click() : tabTo(combobox));
      await page.keyboard.insertText(typed);
      // The browser draws the list itself, where a test cannot click.
      const offered = combobox.locator('xpath=..').locator('option');
      const labels = () =>
        offered.evaluateAll((options) => options.map((each) => [each.getAttribute('value') ?? '', each.textContent]));
      const find = async () => (await labels()).find((words) => option.test(words.join(' ').trim()));
      await expect.poll(find).toBeDefined();
      await page.keyboard.press('ControlOrMeta+A');
      const [label = ''] = (await find()) ?? [];
      await page.keyboard.insertText(label);
      await page.keyboard.press('Enter');
      await dialog.getByRole('button', { name: `Remove ${label}` }).waitFor();
    },
    async faults(part) {
      await part.waitFor();
      const focusLost = await page.evaluate('document.activeElement === document.body');
      return [
        ...(focusLost && hasFocused ? ['the focus is lost'] : []),
        ...(await accessibilityFaults(page, part)),
        ...(await layoutFaults(part)),
      ];
    },
    async [Symbol.asyncDispose]() {
      await page.close();
      expect(errors).toEqual([]);
    },
  };
}

function isFocused(control: Locator): Promise<boolean> {
  return control.evaluate((node) => node === node.ownerDocument.activeElement);
}

/** Whether a person sees that the element has the focus: it or the box around it has an outline or a shadow. */
function showsFocus(control: Locator): Promise<boolean> {
  return control.evaluate((node) =>
    [node, node.parentElement].some((element) => {
      const style = element && node.ownerDocument.defaultView?.getComputedStyle(element);
      return style && ((style.outlineStyle !== 'none' && style.outlineWidth !== '0px') || style.boxShadow !== 'none');
    }),
  );
}
