import { expect, it } from 'vitest';
import { ruleForm } from './rule-form.ts';

/** The field of services, of a new rule for these. */
function servicesField(services: readonly string[]) {
  const { blocks } = ruleForm({
    context: { ruleId: null, channelId: 'C1', directId: null, timeZone: 'UTC' },
    settings: {
      channelId: 'C1',
      filter: { services, severities: [], integrations: [] },
      escalation: [],
      quietHours: null,
      handover: null,
    },
    groups: [],
    integrations: [],
  });
  const field = blocks.find(({ block_id }) => block_id === 'rule_services');
  const { element, hint } = Object(field) as { element: { initial_value?: string }; hint: { text: string } };
  return { value: element.initial_value, hint: hint.text };
}

it('shows all services as long as they fit', () => {
  const services = Array.from({ length: 50 }, (_, index) => `${index}`.padEnd(18, 's'));

  const { value, hint } = servicesField(services);

  expect(value).toBe(services.join(', '));
  expect(value).toHaveLength(998);
  expect(hint).toMatch(/Empty: all services\.$/);
});

it('shows whole names of services that do not all fit, and says so', () => {
  const services = Array.from({ length: 60 }, (_, index) => `${index}`.padEnd(200, 's'));

  const { value, hint } = servicesField(services);

  expect(value).toBe(services.slice(0, 4).join(', '));
  expect(hint).toContain('Only 4 of 60 services fit here; saving drops the others.');
});
