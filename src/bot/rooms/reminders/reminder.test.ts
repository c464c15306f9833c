import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addMinutes } from '../../../runtime/dates.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import { type EscalationStep, EVERYTHING, type Rule } from '../rules/rule.ts';
import { nextReminder, type ReminderCase, type SentReminder } from './reminder.ts';

const OPENED = new Date('2026-01-30T10:00:00Z');
const at = (minutes: number) => addMinutes(OPENED, minutes);
const iso = (minutes: number) => at(minutes).toISOString();

const FIRST: EscalationStep = { afterMinutes: 10, target: { kind: 'group', id: 'S1' } };
const SECOND: EscalationStep = { afterMinutes: 15, target: { kind: 'members', id: 'S1' } };

function rule(fields: Partial<Rule> = {}): Rule {
  return {
    id: 'r',
    channelId: 'C1',
    filter: EVERYTHING,
    escalation: [FIRST, SECOND],
    quietHours: null,
    handover: null,
    createdBy: 'U1',
    changedAt: at(-1_000),
    ...fields,
  };
}

function given(fields: Partial<Snapshot> = {}, more: Partial<ReminderCase> = {}): ReminderCase {
  return {
    incident: { id: 'i', status: 'open', signal_count: 3, root_service: 'payments', opened_at: iso(0), ...fields },
    isGone: false,
    waiting: [],
    rules: [rule()],
    sent: [],
    acknowledgedWith: null,
    now: at(1),
    ...more,
  };
}

const sentStep = (step: number, minutes: number): SentReminder => ({ name: `step ${step}`, at: iso(minutes) });
const taken = { acknowledged: true, acknowledged_by: 'ana', acknowledged_at: iso(5) };

describe('an incident that nobody has acknowledged', () => {
  it('is escalated step by step', () => {
    expect(nextReminder(given())).toMatchObject({ name: 'step 0', dueAt: at(10), step: FIRST });
    expect(nextReminder(given({}, { sent: [sentStep(0, 12)] }))).toMatchObject({ name: 'step 1', dueAt: at(27) });
    expect(nextReminder(given({}, { sent: [sentStep(0, 12), sentStep(1, 27)] }))).toBeNull();
  });

  it('is not escalated alone while it is in a storm', () => {
    expect(nextReminder(given({}, { isInStorm: true }))).toBeNull();
  });

  it('is escalated by the matching rule that reminds first', () => {
    const urgent = rule({
      filter: { ...EVERYTHING, severities: ['critical'] },
      escalation: [{ ...FIRST, afterMinutes: 2 }],
    });
    const rules = [rule(), urgent];

    expect(nextReminder(given({ severity: 'critical' }, { rules }))?.dueAt).toEqual(at(2));
    expect(nextReminder(given({ severity: 'warning' }, { rules }))?.dueAt).toEqual(at(10));
  });

  it('is not escalated for the time before the rule was made', () => {
    expect(nextReminder(given({}, { rules: [rule({ changedAt: at(60) })] }))?.dueAt).toEqual(at(70));
  });

  it('is not escalated while it has recovered', () => {
    expect(nextReminder(given({ activity: 'recovered' }))).toBeNull();
    expect(nextReminder(given({ activity: 'quiet' }))).toMatchObject({ name: 'step 0' });
  });

  it('waits for the end of a mute and of quiet hours', () => {
    const mute = { id: 'm', target: 'incident', value: 'i', created_by: 'ana', created_at: iso(0) } as const;
    const quiet = [rule({ quietHours: { from: '09:00', to: '12:00', timeZone: 'UTC' } })];

    expect(nextReminder(given({ mute: { ...mute, until: iso(60) } }))?.dueAt).toEqual(at(60));
    expect(nextReminder(given({}, { rules: quiet }))?.dueAt).toEqual(at(120));
    expect(nextReminder(given({ severity: 'critical' }, { rules: quiet }))?.dueAt).toEqual(at(10));
  });
});

describe('an incident that somebody acknowledged', () => {
  it('is brought up again while it fails more and more', () => {
    const failing = given({ ...taken, activity: 'failing', signal_count: 15 }, { acknowledgedWith: 3 });

    expect(nextReminder(failing)).toMatchObject({ name: 'still failing', dueAt: at(50), newFailures: 12 });
    expect(nextReminder({ ...failing, sent: [{ name: 'still failing', at: iso(50) }] })).toBeNull();
    expect(nextReminder({ ...failing, acknowledgedWith: 15 })).toBeNull();
  });

  it('counts the failures in each minute after that, if the service reports them', () => {
    const rate = { from: iso(3), counts: [100, 100, 4, 5] };

    const reminder = nextReminder(given({ ...taken, activity: 'failing', failures_per_minute: rate }));

    expect(reminder).toMatchObject({ newFailures: 9 });
  });

  it('is proposed to be resolved once it has recovered for half an hour', () => {
    const reminder = nextReminder(given({ ...taken, activity: 'recovered', activity_since: iso(20) }));

    expect(reminder).toEqual({ name: 'recovered', dueAt: at(50) });
  });
});

it('never reminds of closed, gone and acknowledged incidents, nor while an action waits for the service', () => {
  fc.assert(
    fc.property(
      fc.nat({ max: 5_000 }),
      fc.constantFrom('closed', 'gone', 'taken', 'waiting', 'no rule'),
      (minutes, why) => {
        const now = at(minutes);
        const cases: Record<typeof why, ReminderCase> = {
          closed: given({ status: 'closed', activity: 'recovered', activity_since: iso(0) }, { now }),
          gone: given({}, { isGone: true, now }),
          taken: given(taken, { now }),
          waiting: given({}, { waiting: [{ kind: 'acknowledge', user: 'ana' }], now }),
          'no rule': given({}, { rules: [rule({ filter: { ...EVERYTHING, services: ['search'] } })], now }),
        };

        expect(nextReminder(cases[why])).toBeNull();
      },
    ),
  );
});
