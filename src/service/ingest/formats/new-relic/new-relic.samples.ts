/** Written by hand from the references that the preset names. Names and ids are made up. */

export const newRelicIssue = (state: string) => ({
  id: 'd1b1f3fd-995a-4066-88ab-8ce4f6960654',
  issueUrl: 'https://radar-api.service.newrelic.com/accounts/1/issues/0ea2df1c',
  title: 'payments query result is > 5.0 for 5 minutes on "High error rate"',
  priority: 'CRITICAL',
  impactedEntities: ['payments', 'orders'],
  totalIncidents: '1',
  state,
  trigger: 'STATE_CHANGE',
  isCorrelated: 'false',
  createdAt: 1769846400000,
  updatedAt: 1769846460000,
  sources: ['newrelic'],
  alertPolicyNames: ['Checkout'],
  alertConditionNames: ['High error rate'],
  workflowName: 'To Tocsin',
});
