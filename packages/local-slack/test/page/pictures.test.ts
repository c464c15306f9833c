import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'vitest';
import { createVirtualClock } from '../../src/local-slack.ts';
import { client, connect, startFixture } from '../fixture.ts';
import { createPageOpener } from './page-fixture.ts';

const FOLDER = join(import.meta.dirname, '../../docs');
const NOW = new Date('2026-11-20T09:30:00Z');
const VIEWPORTS = { page: { width: 1000, height: 560 }, 'page-narrow': { width: 390, height: 640 } };

const text = (content: string) => ({ type: 'mrkdwn', text: content }) as const;
const button = (label: string, style?: 'primary') =>
  ({ type: 'button', text: { type: 'plain_text', text: label }, ...(style && { style }) }) as const;

const openPage = createPageOpener();

/** Not a test: `npm run screenshots` draws the pictures of the README. */
it.skipIf(process.env.SCREENSHOTS !== '1')('draws the pictures of the README', async ({ expect }) => {
  await using fixture = await startFixture({ clock: createVirtualClock(NOW) });
  await using _app = await connect(fixture.slack);
  const web = client(fixture.slack);
  const { ts = '' } = await web.chat.postMessage({
    channel: '#playground',
    text: 'Deployment 7f3c2',
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: '🚀 Deployment 7f3c2' } },
      { type: 'section', fields: [text('*Service*\n`checkout`'), text('*By*\n<@U0BEN00001>')] },
      {
        type: 'section',
        text: text('12 changes since *yesterday*, all checks passed'),
        accessory: button('Show changes'),
      },
      { type: 'actions', elements: [button('Approve', 'primary'), button('Reject')] },
    ],
  });
  await fixture.slack.as('ben').message('playground', 'ready when you are 👀', ts);
  await fixture.slack.as('ben').message('playground', 'does anybody object?');
  await web.chat.postEphemeral({
    channel: 'C0PLAYGRND',
    user: 'U0ANA00001',
    text: 'You can approve it, <@U0ANA00001>.',
  });

  await mkdir(FOLDER, { recursive: true });
  for (const [name, viewport] of Object.entries(VIEWPORTS)) {
    await using page = await openPage(fixture, '', {
      viewport,
      timezoneId: 'UTC',
      reducedMotion: 'reduce',
      now: NOW,
    });
    await page.getByText('You can approve it').waitFor();
    const picture = await page.screenshot({ animations: 'disabled', caret: 'hide' });
    await writeFile(join(FOLDER, `${name}.png`), picture);
    expect(picture.length).toBeLessThan(100_000);
  }
});
