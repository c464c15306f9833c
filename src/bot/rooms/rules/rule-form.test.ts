import { expect, it } from 'vitest';
import { ruleForm } from './rule-form.ts';

/** The field of services, of a new rule for these. */
function servicesField(services: readonly string[]) {
  const { blocks } = ruleForm({
    context: { ruleId: null, channelId: 'C1', directId: null, timeZone: 'UTC' },
    settings: {
      channelId: 'C1',
      filter: { services, severities: [], integrations: [], labels: [] },
      escalation: [],
      quietHours: null,
      handover: null,
    },
    groups: [],
    integrations: [],
    hasLabels: null,
  });
  const field = blocks.find(({ block_id }) => block_id === 'rule_services');
  const { element, hint } = Object(field) as {
    element: { initial_options?: { value: string }[] };
    hint: { text: string };
  };
  return { values: element.initial_options?.map(({ value }) => value), hint: hint.text };
}

it('shows all services as long as they fit', () => {
  const services = Array.from({ length: 50 }, (_, index) => `${index}`.padEnd(75, 's'));

  const { values, hint } = servicesField(services);

  expect(values).toEqual(services);
  expect(hint).toMatch(/begins with “cart-”\.$/);
});

it('says how many services do not fit', () => {
  const { values, hint } = servicesField(Array.from({ length: 60 }, (_, index) => `service-${index}`));

  expect(values).toHaveLength(50);
  expect(hint).toContain('Only 50 of 60 services fit here; saving drops the others.');
});

it('shows a name that is too long for Slack as the names that begin with it', () => {
  expect(servicesField(['s'.repeat(76)]).values).toEqual([`${'s'.repeat(74)}*`]);
});
