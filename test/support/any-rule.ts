import fc from 'fast-check';
import type { Mute } from '../../src/contract/mute.ts';
import { Severity } from '../../src/contract/resources.ts';
import type { RuleFilter } from '../../src/incident/rule-filter.ts';
import { NOW, STORM_ID } from './any-fields.ts';
import { hostile } from './any-incident.ts';

export const ruleFilter = fc.record({
  services: fc.oneof(
    fc.array(
      hostile.map((name) => name.slice(0, 80)),
      { maxLength: 11 },
    ),
    fc.constant(Array.from({ length: 50 }, (_, index) => `${index}`.padEnd(18, 's'))), // exactly 998 characters
    fc.constant(Array.from({ length: 60 }, (_, index) => `${index}`.padEnd(200, 's'))),
    fc.constant<string[]>(['s'.repeat(4_000)]),
  ),
  severities: fc.subarray([...Severity.options]),
  integrations: fc.array(fc.constant('int_1'), { maxLength: 3 }),
  labels: fc.array(
    hostile.map((name) => `team:${name.slice(0, 80)}`),
    { maxLength: 8 },
  ),
}) satisfies fc.Arbitrary<RuleFilter>;
const target = (kind: 'group' | 'channel' | 'members', id: string) => ({
  afterMinutes: 5,
  target: { kind, id },
});
export const ruleSettings = fc.record({
  channelId: fc.constant('C1'),
  filter: ruleFilter,
  escalation: fc.subarray([target('group', 'S1'), target('channel', 'C2'), target('members', 'S1')]),
  quietHours: fc.option(fc.constant({ from: '22:00', to: '07:00', timeZone: 'Europe/Berlin' })),
  handover: fc.option(fc.constant({ at: '09:00', timeZone: 'Europe/Berlin' })),
});
export const rule = ruleSettings.map((settings) => ({ ...settings, id: STORM_ID, createdBy: 'U1', changedAt: NOW }));
export const mute: fc.Arbitrary<Mute> = fc.record({
  id: fc.constant('mute_1'),
  target: fc.constantFrom('service', 'integration'),
  value: hostile,
  until: fc.constant(NOW.toISOString()),
  reason: fc.option(hostile),
  created_by: hostile,
  created_at: fc.constant(NOW.toISOString()),
});
export const ruleContext = fc.constantFrom(
  { ruleId: null, channelId: 'C1', directId: null, timeZone: 'UTC' },
  { ruleId: STORM_ID, channelId: 'D1', directId: 'D1', timeZone: 'UTC' },
);
export const choices = (id: string) =>
  fc
    .array(hostile, { maxLength: 120 })
    .map((names) => names.map((name, index) => ({ id: `${id}${index}`, name: name || 'x' })));
export const noise = fc.constantFrom({ cards: 0, actedOn: 0 }, { cards: 212, actedOn: 9 });
