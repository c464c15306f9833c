import { describe, expect, it } from 'vitest';
import { TOOL_SAMPLES } from '../../../../test/support/tool-messages.ts';
import { alertsIn } from './alerts-in.ts';

const sampleOf = (tool: string) => TOOL_SAMPLES.find((each) => each.tool === tool)?.failure;

describe('the alerts of a message', () => {
  it('are read from an attachment with its color, its link and the pairs in its text', () => {
    expect(alertsIn(sampleOf('Grafana'))).toEqual([
      {
        title: '[FIRING:1] DiskFull Infra (web-7 critical)',
        text: expect.stringContaining('- instance = web-7'),
        color: 'red',
        link: 'https://grafana.example.com/alerting/grafana/1/view',
        fields: expect.arrayContaining([
          { key: 'instance', value: 'web-7' },
          { key: 'severity', value: 'critical' },
        ]),
      },
    ]);
  });

  it('are read from blocks, whose sign says the color', () => {
    expect(alertsIn(sampleOf('Opsgenie'))).toMatchObject([
      {
        title: 'disk of web-7 is full',
        color: 'red',
        link: 'https://app.opsgenie.com/alert/1',
        fields: [
          { key: 'priority', value: 'P1' },
          { key: 'status', value: 'Open' },
        ],
      },
    ]);
  });

  it('are one for each attachment with a title, if there are several', () => {
    const message = {
      text: '2 alerts',
      attachments: [
        { title: 'disk full', color: '#daa038' },
        { text: 'only a button' },
        { title: 'queue full', color: 'odd' },
      ],
    };

    expect(alertsIn(message).map(({ title, color }) => [title, color])).toEqual([
      ['disk full', 'amber'],
      ['queue full', 'none'],
    ]);
  });

  it('are as long as the limits allow', () => {
    const fields = Array.from({ length: 30 }, (_, at) => ({ title: `field ${at}`, value: 'x'.repeat(500) }));
    const message = { text: `${'t'.repeat(500)}\n${'y'.repeat(5_000)}`, attachments: [{ fields }] };

    const [alert] = alertsIn(message);

    expect(alert?.title).toHaveLength(300);
    expect(alert?.text).toHaveLength(1_500);
    expect(alert?.fields.map(({ value }) => value.length)).toEqual(Array(20).fill(200));
  });

  it('has no character that cannot be stored, and takes a moment, whatever the message is', () => {
    const odd = [
      'https:'.repeat(6_000),
      ` ${'*'.repeat(40_000)}`,
      `a${' '.repeat(40_000)}b`,
      'disk \u0000 \ud800 full',
    ];

    for (const text of odd) {
      const message = {
        text: `title\n${text} x`,
        attachments: [{ title: text, fields: [{ title: 'k', value: text }] }],
      };

      expect(JSON.stringify(alertsIn(message))).not.toMatch(/\\u0000|\\ud800/);
    }
  });

  it.each([
    ['nothing', null],
    ['a mention', { text: '<!subteam^S1> <@U1>' }],
    ['a preview of a link', { text: ' ', attachments: [{ from_url: 'https://a.example', title: 'A page' }] }],
  ])('are none of %s', (_name, message) => {
    expect(alertsIn(message)).toEqual([]);
  });
});
