import { expect, it } from 'vitest';
import type { Mapping } from '../../../contract/integrations.ts';
import { readMappedEvent } from './mapped-event.ts';
import { compileMapping, describeExpressionFault } from './mapping.ts';
import { suggestMapping } from './suggest-mapping.ts';

const NOW = new Date('2026-01-31T09:00:00Z');

/** learn.microsoft.com, "Common alert schema for Azure Monitor alerts" (read on 2026-11-26). */
const azure = (monitorCondition: string) => ({
  schemaId: 'azureMonitorCommonAlertSchema',
  data: {
    essentials: {
      alertId: '/subscriptions/1/providers/Microsoft.AlertsManagement/alerts/2',
      alertRule: 'CPU of the shop is high',
      severity: 'Sev1',
      signalType: 'Metric',
      monitorCondition,
      monitoringService: 'Platform',
      alertTargetIDs: ['/subscriptions/1/resourcegroups/shop/providers/microsoft.compute/virtualmachines/web'],
      configurationItems: ['web'],
      firedDateTime: '2026-01-31T08:00:00.000Z',
      description: '',
      essentialsVersion: '1.0',
    },
    alertContext: { condition: { allOf: [{ metricName: 'Percentage CPU', threshold: '90', metricValue: 97.2 }] } },
  },
});

/** cloud.google.com, "Create and manage notification channels": the webhook's schema 1.2 (read on 2026-11-26). */
const google = (state: string) => ({
  version: '1.2',
  incident: {
    incident_id: '0.opqiw61fsv7p',
    scoping_project_id: 'shop',
    url: 'https://console.cloud.google.com/monitoring/alerting/incidents/0.opqiw61fsv7p',
    started_at: 1769846400,
    ended_at: null,
    state,
    resource: { type: 'gce_instance', labels: { instance_id: '11223344', zone: 'europe-west1-c' } },
    resource_name: 'gke-web-1',
    resource_display_name: 'web',
    condition_name: 'CPU above 90 %',
    policy_name: 'CPU of the shop',
    summary: 'CPU for web is above the threshold of 90 % with a value of 97 %.',
  },
});

/** pingdom.com, "Webhooks" (read on 2026-11-26). */
const pingdom = (current_state: string) => ({
  check_id: 12345,
  check_name: 'web',
  check_type: 'HTTP',
  check_params: { basic_auth: false, full_url: 'https://shop.example/path', hostname: 'shop.example', url: '/path' },
  tags: ['example_tag'],
  previous_state: 'UP',
  current_state,
  importance_level: 'HIGH',
  state_changed_timestamp: 1769846400,
  long_description: 'HTTP Server Error 500',
  description: 'HTTP Error 500',
  first_probe: { ip: '123.4.5.6', location: 'Stockholm, Sweden' },
});

/** betterstack.com, "Outgoing webhooks" (read on 2026-11-26). */
const betterStack = (status: string) => ({
  data: {
    id: '25',
    type: 'incident',
    attributes: {
      name: 'web',
      url: 'https://shop.example',
      http_method: 'get',
      cause: 'Status 404',
      incident_group_id: null,
      started_at: '2026-01-31T08:00:00.000Z',
      acknowledged_at: null,
      resolved_at: null,
      status,
    },
  },
});

/** healthchecks.io, "Webhook": a body with its placeholders, as its page shows it (read on 2026-11-26). */
const healthchecks = (status: string) => ({ name: 'web', code: 'f618072a', status, now: '2026-01-31T08:00:00Z' });

/** docs.dynatrace.com, "Webhook integration": the example of a payload (read on 2026-11-26). */
const dynatrace = (State: string) => ({
  ImpactedEntities: [{ type: 'HOST', name: 'web-1', entity: 'HOST-1' }],
  ImpactedEntity: 'Infrastructure problem on Host (web-1)',
  ImpactedEntityNames: 'web',
  PID: '99999',
  ProblemDetailsText: 'details of the problem',
  ProblemID: '999',
  ProblemImpact: 'INFRASTRUCTURE',
  ProblemTitle: 'High failure rate of the shop',
  ProblemURL: 'https://shop.live.dynatrace.example/#problems/problemdetails;pid=99999',
  State,
  Tags: 'shop',
});

/** Nagios sends what a command makes of its macros, such as `$SERVICEDESC$` (read on 2026-11-26). */
const nagios = (service_state: string) => ({
  notification_type: 'PROBLEM',
  host_name: 'web',
  service_description: 'free space of /var',
  service_state,
  service_output: 'DISK CRITICAL - free space: /var 1 %',
});

it('suggests the key, link and state of what has the title, not of a person, an event or a host', () => {
  const pagerDuty = {
    event: {
      id: '01CH754SM1',
      event_type: 'incident.triggered',
      agent: { html_url: 'https://shop.pagerduty.com/users/P1', id: 'P1', summary: 'Ana' },
      data: {
        id: 'PGR0VU2',
        html_url: 'https://shop.pagerduty.com/incidents/PGR0VU2',
        status: 'triggered',
        incident_key: 'd3640fbd',
        title: 'Charges fail',
        service: { html_url: 'https://shop.pagerduty.com/services/P2', id: 'P2', summary: 'payments' },
        priority: { id: 'P3', summary: 'P1' },
        urgency: 'high',
      },
    },
  };
  const netdata = { message: 'ram is used up', severity: 'critical', node: { hostname: 'db-1', id: 'n1' } };
  const rollbar = { da: { id: 1 }, data: { item: { id: 27, title: 'x is undefined', last: { uuid: 'u' } } } };

  expect(suggestMapping([pagerDuty]).mapping).toEqual({
    title: 'body.event.data.title',
    service: 'body.event.data.service.summary',
    severity: 'body.event.data.priority.summary',
    key: 'body.event.data.incident_key',
    state: 'body.event.data.status',
    link: 'body.event.data.html_url',
  });
  expect(suggestMapping([netdata]).mapping).toMatchObject({
    title: 'body.message',
    service: 'body.node.hostname',
    severity: 'body.severity',
    key: expect.stringContaining('body.node.hostname'),
  });
  expect(suggestMapping([rollbar]).mapping.key).toContain('body.data.item.id');
  expect(suggestMapping([rollbar]).mapping.key).not.toContain('uuid');
});

/** docs.splunk.com, "Use a webhook alert action" (read on 2026-11-26). It sends no end. */
it('suggests a title for what Splunk sends', () => {
  const splunk = {
    result: { sourcetype: 'mongod', count: '8' },
    sid: 'scheduler_admin_search_W2_at_14232356_132',
    results_link: 'http://web.example.local:8000/app/search/@go?sid=scheduler_admin_search_W2_at_14232356_132',
    search_name: 'errors of the shop',
    owner: 'admin',
    app: 'search',
  };

  expect(suggestMapping([splunk]).mapping).toMatchObject({
    title: 'body.search_name',
    key: expect.stringContaining('body.search_name'),
    link: 'body.results_link',
  });
});

/** VictorOps' REST endpoint, by the fields that its clients send. */
const victorOps = (message_type: string) => ({
  message_type,
  entity_id: 'web/disk',
  entity_display_name: 'disk of web is full',
  state_message: '/var 1 % free',
});

it.each([
  [
    'Azure Monitor',
    azure,
    'Fired',
    'Resolved',
    { service: 'web', summary: 'CPU of the shop is high', severity: 'error' },
  ],
  ['Google Cloud', google, 'open', 'closed', { service: 'web', summary: 'CPU of the shop' }],
  ['Pingdom', pingdom, 'DOWN', 'UP', { service: 'web', summary: 'web', severity: 'error' }],
  ['Better Stack', betterStack, 'Started', 'Resolved', { service: 'web', summary: 'web' }],
  ['Healthchecks.io', healthchecks, 'down', 'up', { service: 'web', summary: 'web' }],
  ['Dynatrace', dynatrace, 'OPEN', 'RESOLVED', { service: 'web', summary: 'High failure rate of the shop' }],
  ['VictorOps', victorOps, 'CRITICAL', 'RECOVERY', { summary: 'disk of web is full' }],
  ['Nagios', nagios, 'CRITICAL', 'OK', { service: 'web', summary: 'free space of /var' }],
])('reads what %s sends, and its end', (_sender, payload, fails, ends, expected) => {
  const mapping = { title: '', ...suggestMapping([payload(fails)]).mapping };
  const [fired, over] = [fails, ends].map((state) => readOnly(mapping, payload(state)));

  expect(fired).toMatchObject({ kind: 'fails', signal: expected });
  expect(over).toMatchObject({ kind: 'over', fingerprint: fired?.kind === 'fails' ? fired.signal.fingerprint : '' });
});

function readOnly(mapping: Mapping, body: unknown) {
  const [mapped] = compileMapping(mapping)(body);
  return mapped && readMappedEvent(mapped, body, { type: 'json', mapping, answers: {}, sender: 'int_1' }, NOW);
}

it('names the page and the key', () => {
  expect(suggestMapping([google('open')]).mapping).toMatchObject({
    link: 'body.incident.url',
    key: 'body.incident.incident_id',
  });
});

it('gives valid expressions for any name of a field', () => {
  const body = {
    'alert-details': { in: { title: 'a', package: { service: 'c' } }, 'a "quoted" name': { severity: 'b' } },
  };

  const expressions = Object.values(suggestMapping([body]).mapping);

  expect(expressions).toHaveLength(4);
  expect(expressions.flatMap((text = '') => describeExpressionFault(text) ?? [])).toEqual([]);
});

it.each([null, 'text', 5, [], {}, { a: { b: 1 } }, { title: '' }])('suggests nothing for %j', (body) => {
  expect(suggestMapping([body]).mapping).toEqual({});
});

it('looks at a bounded part of a payload', () => {
  const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`f${index}`, { x: index }]));

  expect(suggestMapping([{ ...wide, title: 'beyond' }]).mapping).toEqual({});
});
