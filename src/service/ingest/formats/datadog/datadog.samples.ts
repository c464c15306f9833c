/** Written by hand from the references that the decoder names, read on 2026-11-23 or when it says. Names and ids are made up. */

export const datadogEvent = (transition: string) => ({
  id: '7654321',
  title: `[P2] [${transition} on {service:payments}] High error rate`,
  body: 'errors are above 5 %',
  date: '1769846400000',
  event_type: 'query_alert_monitor',
  transition,
  alert_type: transition === 'Recovered' ? 'success' : 'error',
  alert_id: '1234',
  cycle_key: '998877',
  aggregation_key: '9bd4ac313a4d1e8fae2482df7b77628',
  priority: 'P2',
  tags: 'monitor, service:payments, env:prod, team:checkout',
  hostname: 'i-0abc',
  scope: 'service:payments',
  link: 'https://app.datadoghq.com/event/event?id=7654321',
});

/** Without a payload of one's own. */
export const datadogDefault = (title: string) => ({
  body: 'errors are above 5 %',
  last_updated: '1769846400000',
  event_type: 'query_alert_monitor',
  title,
  date: '1769846400000',
  org: { id: '1', name: 'shop' },
  id: '7654321',
});
