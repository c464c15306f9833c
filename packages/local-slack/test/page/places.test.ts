import { describe, expect, it } from 'vitest';
import { client, connect } from '../fixture.ts';
import {
  composer,
  createPageOpener,
  plain,
  post,
  publishHome,
  section,
  sidebar,
  startAppWithHome,
  timeline,
} from './page-fixture.ts';

const openPage = createPageOpener();

describe('unread messages', () => {
  it('are bold in the sidebar, counted when they mention the person, and read once they are shown', async () => {
    await using fixture = await startAppWithHome();
    await using page = await openPage(fixture, '?as=ana&channel=general');
    const place = sidebar(page).getByRole('button', { name: /^playground/ });

    await post(fixture, [section('for all')]);
    await sidebar(page).getByRole('button', { name: 'playground unread' }).waitFor();
    await post(fixture, [section('for <@U0ANA00001>')]);
    await sidebar(page).getByRole('button', { name: 'playground 1 mention' }).waitFor();
    await place.click();
    await timeline(page).getByText('for all').waitFor();
    await sidebar(page)
      .getByRole('button', { name: /^general/ })
      .click();
    await page.getByRole('heading', { name: '#general' }).waitFor();

    expect(await place.textContent()).toBe('#playground');
  });
});

it('remembers what each person has read over a restart', async () => {
  await using fixture = await startAppWithHome();
  const statePath = `${fixture.dir}/workspace.json`;
  {
    await using before = await startAppWithHome({ statePath });
    await post(before, [section('one thing')]);
    await using ana = await openPage(before);
    await timeline(ana).getByText('one thing').waitFor();
    const isUnread = () =>
      ana.evaluate(
        "fetch('/page/state?as=ana').then((r) => r.json()).then(({ channels }) => channels.some((each) => each.isUnread))",
      );
    await expect.poll(isUnread).toBe(false);
  }

  await using after = await startAppWithHome({ statePath });
  await using ana = await openPage(after, '?as=ana&channel=general');
  await using ben = await openPage(after, '?as=ben&channel=general');

  await sidebar(ben).getByRole('button', { name: 'playground unread' }).waitFor();
  expect(await sidebar(ana).getByRole('button', { name: 'playground', exact: true }).count()).toBe(1);
});

describe('the app in the sidebar', () => {
  it('has messages and a Home tab, and gets an event when Home is opened', async () => {
    await using fixture = await startAppWithHome();
    await using connection = await connect(fixture.slack);
    await using page = await openPage(fixture);

    await sidebar(page)
      .getByRole('button', { name: /^Hello/ })
      .click();
    await page.getByText('Hello has published no Home yet').waitFor();
    await expect
      .poll(() => connection.received.at(-1)?.payload)
      .toMatchObject({
        event: { type: 'app_home_opened', user: 'U0ANA00001', tab: 'home' },
      });
    await publishHome(fixture, 'U0ANA00001', [section('*Nothing* is broken')]);
    await page.getByRole('tabpanel', { name: 'Home' }).getByText('Nothing is broken').waitFor();
    await page.getByRole('tab', { name: 'Messages' }).click();
    await page.getByRole('textbox', { name: 'Message Hello' }).fill('are you there?');
    await page.keyboard.press('Enter');
    await page.getByRole('log', { name: 'Hello' }).getByText('are you there?').waitFor();

    expect(fixture.slack.messages('D0ANA00001').map(({ text }) => text)).toEqual(['are you there?']);
  });

  it('gets clicks and typed values of its Home tab, and shows an update', async () => {
    await using fixture = await startAppWithHome();
    await using connection = await connect(fixture.slack);
    await using page = await openPage(fixture, '?as=ana&channel=app&tab=home');
    await publishHome(fixture, 'U0ANA00001', [
      {
        type: 'input',
        block_id: 'filter',
        label: plain('Filter'),
        element: { type: 'plain_text_input', action_id: 'typed' },
      },
      { type: 'actions', elements: [{ type: 'button', action_id: 'look', text: plain('Look') }] },
    ]);

    await page.getByLabel('Filter').fill('payments');
    await page.getByRole('button', { name: 'Look' }).click();

    await expect
      .poll(() => connection.received.at(-1)?.payload)
      .toMatchObject({
        type: 'block_actions',
        container: { type: 'view' },
        view: { type: 'home', state: { values: { filter: { typed: { value: 'payments' } } } } },
        actions: [{ action_id: 'look' }],
      });
  });

  it('counts its unread direct messages', async () => {
    await using fixture = await startAppWithHome();
    await using page = await openPage(fixture);

    await client(fixture.slack).chat.postMessage({ channel: 'U0ANA00001', text: 'psst' });

    await expect
      .poll(() =>
        sidebar(page)
          .getByRole('button', { name: /^Hello/ })
          .textContent(),
      )
      .toBe('Hellonot connected1 mention');
  });
});

describe('a channel that a person opens', () => {
  it('is shown even when the response for the previous one arrives late', async () => {
    await using fixture = await startAppWithHome();
    await using page = await openPage(fixture);
    const asked = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<void>();
    await page.route('**/page/state?*', async (route) => {
      asked.resolve();
      await answered.promise;
      await route.continue();
    });
    await post(fixture, [section('news')]);
    await asked.promise;

    await sidebar(page)
      .getByRole('button', { name: /^general/ })
      .click();
    answered.resolve();

    await page.getByRole('heading', { name: '#general' }).waitFor();
    expect(new URL(page.url()).searchParams.get('channel')).toBe('general');
  });
});

describe('the person to act as', () => {
  it('can be a member, a guest or a person of another workspace, as the app can see', async () => {
    await using fixture = await startAppWithHome();
    await using page = await openPage(fixture);

    expect(await page.getByLabel('Act as').getByRole('option').allTextContents()).toEqual([
      'Ana Duarte',
      'Ben Okafor',
      'Chloé Martin (guest)',
      'Elif Kaya (another workspace)',
    ]);
    await page.getByLabel('Act as').selectOption('elif');
    await composer(page).fill('hi from next door');
    await composer(page).press('Enter');
    await timeline(page).getByText('ANOTHER WORKSPACE').waitFor();

    const { user } = await client(fixture.slack).users.info({ user: 'U0ELIF0001' });
    expect(user).toMatchObject({ team_id: 'T0PARTNER1', is_stranger: true });
    expect(fixture.slack.messages('playground').at(-1)?.user).toBe('U0ELIF0001');
  });
});

describe('an archived channel', () => {
  it('is marked, and nobody can write there', async () => {
    await using fixture = await startAppWithHome();
    await using page = await openPage(fixture);
    await composer(page).waitFor();

    fixture.slack.changeChannel('playground', { isArchived: true });
    await page.getByText('#playground is archived: nobody can write here.').waitFor();

    expect(await composer(page).count()).toBe(0);
    expect(await sidebar(page).getByRole('button', { name: 'playground archived' }).count()).toBe(1);
  });
});
