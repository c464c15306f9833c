import { expect, it } from 'vitest';
import { PolicyPlan } from '../../../contract/waking.ts';
import { reminderPolicy, wantsReminder } from './reminder.ts';

const AT = new Date('2026-11-28T03:00:00Z');
const FAILING = { closing: null, acknowledgement: { by: 'Ana', at: AT }, activity: 'failing', mute: null } as const;

it('is for what somebody has and what still fails', () => {
  expect(wantsReminder(FAILING, AT)).toBe(true);
  expect(wantsReminder({ ...FAILING, acknowledgement: null }, AT)).toBe(false);
  expect(wantsReminder({ ...FAILING, activity: 'recovered' }, AT)).toBe(false);
  expect(wantsReminder({ ...FAILING, closing: { note: '', by: null, at: AT } }, AT)).toBe(false);
});

it('rings the owner quietly, then loudly, then everybody whom the policy rings', () => {
  const ben = [{ kind: 'person' as const, id: 'ben' }];
  const plan = PolicyPlan.parse({ name: 'Night', steps: [{ after_s: 60, to: ben }], hold_s: 900 });
  const { steps, hold_s } = reminderPolicy({ ...plan, id: 'p', createdAt: AT }, 'slack:U1');

  expect(hold_s).toBe(0);
  expect(steps.map(({ after_s, to, loud }) => [after_s, Object(to[0]).id, loud])).toEqual([
    [0, 'slack:U1', false],
    [300, 'slack:U1', true],
    [360, 'ben', true],
  ]);
});

it('rings by the policy where it is not known who has it', () => {
  const plan = PolicyPlan.parse({ name: 'Night', steps: [{ after_s: 0, to: [{ kind: 'person', id: 'ben' }] }] });

  expect(reminderPolicy({ ...plan, id: 'p', createdAt: AT }, null).steps).toEqual(plan.steps);
});
