/** Written by hand from the references that the decoder names, read on 2026-11-23 or when it says. Names and ids are made up. */

const sentryActor = { id: 'sentry', name: 'Sentry', type: 'application' };

export const sentryIssue = (action: string) => ({
  action,
  actor: sentryActor,
  installation: { uuid: '24b3f0d2-8c3b-4a5e-9e2d-000000000000' },
  data: {
    issue: {
      id: '1170820242',
      shortId: 'PAYMENTS-1A',
      title: 'TimeoutError: the gateway did not answer',
      culprit: 'charge',
      level: 'error',
      status: 'unresolved',
      permalink: 'https://sentry.io/organizations/shop/issues/1170820242/',
      project: { id: '1', name: 'Payments', slug: 'payments', platform: 'node' },
      firstSeen: '2026-01-31T08:00:00.000000Z',
      lastSeen: '2026-01-31T08:00:00.000000Z',
      count: '1',
    },
  },
});

export const sentryEvent = {
  action: 'triggered',
  actor: sentryActor,
  data: {
    event: {
      event_id: 'e4874d664c3540c1a32eab185f12c5ab',
      issue_id: '1170820242',
      title: 'TimeoutError: the gateway did not answer',
      culprit: 'charge',
      level: 'fatal',
      datetime: '2026-01-31T08:00:00.000000Z',
      environment: 'production',
      tags: [
        ['service', 'payments'],
        ['server_name', 'payments-7d9'],
      ],
      project: 1,
      web_url: 'https://sentry.io/organizations/shop/issues/1170820242/events/e4874d664c3540c1a32eab185f12c5ab/',
    },
    triggered_rule: 'Errors of payments',
  },
};

/** getsentry/sentry, `plugins/sentry_webhooks/plugin.py`, read on 2026-11-26. */
export const sentryPlugin = {
  id: '1170820242',
  project: 'payments',
  project_name: 'Payments',
  project_slug: 'payments',
  logger: null,
  level: 'fatal',
  culprit: 'charge',
  message: '',
  url: 'https://sentry.io/organizations/shop/issues/1170820242/?referrer=webhooks_plugin',
  triggering_rules: ['Errors of payments'],
  event: {
    event_id: 'e4874d664c3540c1a32eab185f12c5ab',
    title: 'TimeoutError: the gateway did not answer',
    environment: 'production',
    tags: [
      ['environment', 'production'],
      ['level', 'fatal'],
    ],
  },
};

export const sentryMetricAlert = (action: 'critical' | 'warning' | 'resolved') => ({
  action,
  actor: sentryActor,
  data: {
    description_text: '1000 events in the last 10 minutes',
    description_title: `${action === 'resolved' ? 'Resolved' : 'Critical'}: Too many errors`,
    metric_alert: {
      id: '7',
      identifier: '1',
      alert_rule: { id: '4', name: 'Too many errors', environment: null, projects: ['payments'] },
      date_started: '2026-01-31T08:00:00Z',
      date_closed: null,
      projects: ['payments'],
      status: 20,
      title: 'Too many errors',
    },
    web_url: 'https://sentry.io/organizations/shop/alerts/rules/details/4/',
  },
});
