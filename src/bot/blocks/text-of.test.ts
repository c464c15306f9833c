import { expect, it } from 'vitest';
import { mrkdwn, plainText } from './mrkdwn.ts';
import { textOf } from './text-of.ts';

it('says what the blocks say from top to bottom, without bold type, symbols of a state and controls', () => {
  const text = textOf([
    { type: 'header', text: plainText('Yours <2>', 150) },
    {
      type: 'section',
      text: mrkdwn('*🚨 Critical* · *<https://x.example/5|#5 payments>*\n🔴 *Open*, not 2*3*4'),
      accessory: { type: 'button', text: plainText('Show', 75), action_id: 'show' },
    },
    { type: 'divider' },
    { type: 'section', fields: [mrkdwn('*Root* `a_b`'), plainText('as typed *', 75)] },
    {
      type: 'context',
      elements: [mrkdwn('3 signals'), { type: 'image', image_url: 'https://x.example', alt_text: 'map' }],
    },
    { type: 'actions', elements: [{ type: 'button', text: plainText('Acknowledge', 75), action_id: 'ack' }] },
  ]);

  expect(text.split('\n')).toEqual([
    'Yours &lt;2&gt;',
    'Critical · <https://x.example/5|#5 payments>',
    'Open, not 2*3*4',
    'Root `a_b`',
    'as typed *',
    '3 signals',
    'map',
  ]);
});
