import { expect, it } from 'vitest';
import { messageContent } from './message-content.ts';

const PAGE = 'https://mon.example.com/alerts/7';

it.each([
  [
    'what a person writes',
    { text: 'the pool is &lt;full&gt;, see <https://a.example>' },
    'the pool is <full>, see https://a.example',
  ],
  [
    'an attachment, as Alertmanager and Datadog post it',
    {
      text: '',
      attachments: [
        {
          title: '[FIRING:1] DiskFull web-7',
          title_link: PAGE,
          text: 'Disk of web-7 is 97 % full',
          fallback: '[FIRING:1] DiskFull web-7',
          fields: [{ title: 'Severity', value: 'critical' }, { title: '', value: 'web' }, 'odd'],
        },
      ],
    },
    `[FIRING:1] DiskFull web-7\n${PAGE}\nDisk of web-7 is 97 % full\nSeverity: critical\nweb`,
  ],
  ['an attachment that has only its fallback', { text: ' ', attachments: [{ fallback: 'DiskFull' }] }, 'DiskFull'],
  [
    'blocks, as Opsgenie and PagerDuty post them',
    {
      text: ' ',
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: 'DiskFull' } },
        { type: 'section', fields: [{ type: 'mrkdwn', text: `*Host* <${PAGE}|web-7>` }] },
        {
          type: 'context',
          elements: [
            { type: 'mrkdwn', text: 'prod' },
            { type: 'image', alt_text: 'x' },
          ],
        },
        { type: 'actions', elements: [{ type: 'button', text: { type: 'plain_text', text: 'Ack' }, url: PAGE }] },
      ],
    },
    `DiskFull\n*Host* web-7 (${PAGE})\nprod`,
  ],
  [
    'rich text',
    {
      blocks: [
        {
          type: 'rich_text',
          elements: [
            {
              type: 'rich_text_section',
              elements: [
                { type: 'text', text: 'full, see ' },
                { type: 'link', url: PAGE },
                { type: 'emoji', name: 'fire' },
              ],
            },
            {
              type: 'rich_text_list',
              elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'web-7' }] }],
            },
          ],
        },
      ],
    },
    `full, see ${PAGE}:fire:\nweb-7`,
  ],
  [
    'blocks in an attachment, once, beside a text that says the same',
    {
      text: 'DiskFull',
      attachments: [
        { blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'DiskFull' } }], fallback: 'no preview' },
      ],
    },
    'DiskFull',
  ],
  [
    'no preview of a link in it',
    { text: `see <${PAGE}>`, attachments: [{ from_url: PAGE, title: 'A page' }] },
    `see ${PAGE}`,
  ],
  ['nothing', { text: ' ', blocks: [{ type: 'image' }, null, 7], attachments: 'odd' }, ''],
  ['nothing of something else', null, ''],
])('reads %s', (_name, message, content) => {
  expect(messageContent(message)).toBe(content);
});

it('reads blocks that are nested without end', () => {
  const loop: { type: string; elements: unknown[] } = { type: 'section', elements: [] };
  loop.elements.push(loop);

  expect(messageContent({ blocks: [loop] })).toBe('');
});
