/**
 * Messages of other tools as Slack's events have them, written by hand. Alertmanager's and Grafana's were compared with their
 * sources (`template/default.tmpl`, `receivers/slack/slack.go`). Datadog's titles are those of the samples of its
 * webhooks here; PagerDuty's and Opsgenie's are written from knowledge.
 */
export interface ToolSample {
  readonly tool: string;
  readonly failure: object;
  readonly another: object;
  readonly end: object;
  /** The tool edits its message; else it posts another one. */
  readonly isEdited: boolean;
}

const attached = (attachment: object) => ({ text: '', attachments: [attachment] });

function alertmanager(mark: string, host: string, color: string) {
  const title = `[${mark}] DiskFull ${host} (critical)`;
  const link = 'https://alertmanager.example.com/#/alerts?receiver=slack';
  return attached({ color, title, title_link: link, fallback: `${title} | ${link}` });
}

function grafana(mark: string, host: string, color: string, value: number) {
  const title = `[${mark}] DiskFull Infra (${host} critical)`;
  const text = `**Firing**\n\nValue: A=${value}\nLabels:\n - alertname = DiskFull\n - instance = ${host}\n - severity = critical\nAnnotations:\n - summary = The disk is full\nSource: <https://grafana.example.com/alerting/grafana/1/view>\n`;
  return attached({ color, title, text, fallback: title, footer: 'Grafana v11.2.0', pretext: '<!subteam^S0ONCALL>' });
}

function datadog(mark: string, host: string, color: string) {
  return attached({
    color,
    title: `[${mark} on {host:${host}}] CPU is high`,
    title_link: 'https://app.datadoghq.com/monitors/1',
    text: 'avg(last_5m):avg:system.cpu.user{*} by {host} > 90',
    fields: [{ title: 'Tags', value: 'env:prod, service:web' }],
  });
}

function pagerduty(mark: string, number: number, color: string) {
  const text = `*${mark} <https://acme.pagerduty.com/incidents/P${number}|#${number}: disk of web-7 is full>*`;
  const fields = [
    { title: 'Service', value: '<https://acme.pagerduty.com/services/PWEB|web>' },
    { title: 'Urgency', value: 'High' },
  ];
  return attached({ color, text, fallback: `${mark} #${number}`, fields });
}

function opsgenie(sign: string, status: string, host: string) {
  return {
    text: '',
    blocks: [
      {
        type: 'section',
        text: { type: 'mrkdwn', text: `${sign} *<https://app.opsgenie.com/alert/1|disk of ${host} is full>*` },
      },
      {
        type: 'section',
        fields: [
          { type: 'mrkdwn', text: '*Priority*\nP1' },
          { type: 'mrkdwn', text: `*Status:*\n${status}` },
        ],
      },
    ],
  };
}

export const TOOL_SAMPLES: readonly ToolSample[] = [
  {
    tool: 'Alertmanager',
    failure: alertmanager('FIRING:1', 'web-7', 'a30200'),
    another: alertmanager('FIRING:1', 'web-8', 'a30200'),
    end: alertmanager('RESOLVED', 'web-7', '2eb886'),
    isEdited: false,
  },
  {
    tool: 'Grafana',
    failure: grafana('FIRING:1', 'web-7', 'd63232', 97),
    another: grafana('FIRING:1', 'web-8', 'd63232', 98),
    end: grafana('RESOLVED', 'web-7', '36a64f', 40),
    isEdited: false,
  },
  {
    tool: 'Datadog',
    failure: datadog('Triggered', 'web-7', 'd83d3d'),
    another: datadog('Triggered', 'web-8', 'd83d3d'),
    end: datadog('Recovered', 'web-7', '41c464'),
    isEdited: false,
  },
  {
    tool: 'PagerDuty',
    failure: pagerduty('Triggered', 17, 'd83d3d'),
    another: pagerduty('Triggered', 18, 'd83d3d'),
    end: pagerduty('Resolved', 17, '2eb886'),
    isEdited: true,
  },
  {
    tool: 'Opsgenie',
    failure: opsgenie(':red_circle:', 'Open', 'web-7'),
    another: opsgenie(':red_circle:', 'Open', 'web-8'),
    end: opsgenie(':large_green_circle:', 'Closed', 'web-7'),
    isEdited: true,
  },
];
