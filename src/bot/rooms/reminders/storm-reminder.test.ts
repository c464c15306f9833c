import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Severity } from '../../../contract/resources.ts';
import { addMinutes } from '../../../runtime/dates.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import { type EscalationStep, EVERYTHING, type Rule } from '../rules/rule.ts';
import { nextStormReminder, type StormMember, type StormReminderCase, stepsAfterStorm } from './storm-reminder.ts';

const STARTED = new Date('2026-01-30T10:00:00Z');
const at = (minutes: number) => addMinutes(STARTED, minutes);
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

function member(id: string, fields: Partial<Snapshot> = {}, more: Partial<StormMember> = {}): StormMember {
  const incident: Snapshot = { id, status: 'open', signal_count: 1, root_service: id, opened_at: iso(0), ...fields };
  return { incident, isUnread: false, isWaiting: false, ...more };
}

function given(members: readonly StormMember[], more: Partial<StormReminderCase> = {}): StormReminderCase {
  return { members, rules: [rule()], sent: [], now: at(1), ...more };
}

const taken = (minutes: number) => ({ acknowledged: true, acknowledged_by: 'ana', acknowledged_at: iso(minutes) });
const muted = (minutes: number) => ({
  mute: {
    id: 'm',
    target: 'incident',
    value: 'x',
    until: iso(minutes),
    reason: null,
    created_by: 'ana',
    created_at: iso(0),
  } as const,
});
const sentStep = (step: number, minutes: number) => ({ name: `step ${step}`, at: iso(minutes) }) as const;

describe('a storm of which nobody has acknowledged an incident', () => {
  it('is escalated step by step, once for all its incidents', () => {
    const members = [member('a'), member('b', { opened_at: iso(2) })];

    expect(nextStormReminder(given(members))).toMatchObject({ name: 'step 0', step: FIRST, dueAt: at(10) });
    expect(nextStormReminder(given(members, { sent: [sentStep(0, 12)] }))).toMatchObject({
      name: 'step 1',
      step: SECOND,
      dueAt: at(27),
    });
    expect(nextStormReminder(given(members, { sent: [sentStep(0, 12), sentStep(1, 27)] }))).toBeNull();
  });

  it('is escalated by the rule for its worst incident', () => {
    const urgent = { ...FIRST, afterMinutes: 2 };
    const rules = [rule(), rule({ filter: { ...EVERYTHING, severities: ['critical'] }, escalation: [urgent] })];
    const warning = member('a', { severity: 'warning' });
    const critical = member('b', { severity: 'critical', opened_at: iso(3) });

    expect(nextStormReminder(given([warning], { rules }))).toMatchObject({ step: FIRST, dueAt: at(10) });
    expect(nextStormReminder(given([warning, critical], { rules }))).toMatchObject({
      step: urgent,
      dueAt: at(2),
      worst: { id: 'b' },
    });
  });

  it('waits while somebody acknowledges incidents that are as severe as the worst', () => {
    const left = member('a', { severity: 'critical' });

    const beside = nextStormReminder(given([left, member('b', { severity: 'critical', ...taken(6) })]));
    const below = nextStormReminder(given([left, member('b', { severity: 'warning', ...taken(6) })]));

    expect([beside?.dueAt, below?.dueAt]).toEqual([at(16), at(10)]);
  });

  it('starts again with the first step for incidents that open after all others were acknowledged', () => {
    const sent = [sentStep(0, 12), sentStep(1, 27)];
    const members = [member('a', taken(30)), member('b', { opened_at: iso(40) })];

    expect(nextStormReminder(given(members, { sent }))).toMatchObject({ name: 'step 2', step: FIRST, dueAt: at(50) });
  });

  it('is not reminded of in quiet hours, except about critical incidents', () => {
    const rules = [rule({ quietHours: { from: '10:05', to: '11:00', timeZone: 'UTC' } })];

    expect(nextStormReminder(given([member('a', { severity: 'error' })], { rules }))?.dueAt).toEqual(at(60));
    expect(nextStormReminder(given([member('a', { severity: 'critical' })], { rules }))?.dueAt).toEqual(at(10));
  });
});

describe('a storm that needs nobody', () => {
  it.each([
    ['is acknowledged', member('a', taken(5))],
    ['has recovered', member('a', { activity: 'recovered', activity_since: iso(5) })],
    ['has an acknowledgement on its way', member('a', {}, { isWaiting: true })],
  ])('is not reminded of, because each of its incidents %s', (_why, only) => {
    expect(nextStormReminder(given([only]))).toBeNull();
  });

  it('is not reminded of without incidents, or without a rule that escalates', () => {
    expect(nextStormReminder(given([]))).toBeNull();
    expect(nextStormReminder(given([member('a')], { rules: [rule({ escalation: [] })] }))).toBeNull();
  });

  it('is reminded of when the first of its mutes ends', () => {
    const members = [member('a', { severity: 'critical', ...muted(240) }), member('b', muted(60))];

    expect(nextStormReminder(given(members))?.dueAt).toEqual(at(60));
    expect(nextStormReminder(given([...members, member('c')]))).toMatchObject({ dueAt: at(10), worst: { id: 'c' } });
  });
});

it('names the worst of the incidents that need somebody, and no other, at a time when it may be said', () => {
  const minute = fc.integer({ min: 0, max: 120 });
  const anyMember = fc
    .record({
      severity: fc.option(fc.constantFrom(...Severity.options), { nil: undefined }),
      opened: minute,
      taken: fc.option(minute),
      mutedUntil: fc.option(minute),
      isRecovered: fc.boolean(),
      isWaiting: fc.boolean(),
    })
    .map(({ severity, opened, taken: takenAt, mutedUntil, isRecovered, isWaiting }) =>
      member(
        's',
        {
          ...(severity === undefined ? {} : { severity }),
          opened_at: iso(opened),
          ...(takenAt === null ? {} : taken(takenAt)),
          ...(mutedUntil === null ? {} : muted(mutedUntil)),
          ...(isRecovered ? { activity: 'recovered' as const } : {}),
        },
        { isWaiting },
      ),
    );
  fc.assert(
    fc.property(fc.array(anyMember, { maxLength: 6 }), minute, (members, now) => {
      const next = nextStormReminder(given(members, { now: at(now) }));

      const open = members.filter(
        ({ incident, isWaiting }) => !isWaiting && incident.acknowledged !== true && incident.activity !== 'recovered',
      );
      const audible = open.filter(({ incident: { mute } }) => new Date(mute?.until ?? 0) <= at(now));
      expect(next === null).toBe(open.length === 0);
      const rank = ({ severity }: Snapshot) => Severity.options.indexOf(severity ?? 'info') + (severity ? 0 : 1);
      const worst = Math.min(...audible.map(({ incident }) => rank(incident)));
      const isSaidNow = next !== null && next.dueAt <= at(now);
      expect(!isSaidNow || rank(next.worst) === worst).toBe(true);
    }),
  );
});

describe('the card of an incident whose storm has ended', () => {
  const step = (index: number, minutes: number) => ({ name: `step ${index}` as const, at: iso(minutes) });

  it('counts the steps that the storm has announced since the incident opened', () => {
    const ofStorm = [step(0, 10), step(1, 20), step(2, 30)];

    expect(stepsAfterStorm([], ofStorm, at(0))).toEqual(ofStorm);
    expect(stepsAfterStorm([], ofStorm, at(15))).toEqual([step(0, 20), step(1, 30)]);
    expect(stepsAfterStorm([step(0, 1), step(1, 2)], [step(0, 10)], at(0))).toEqual([step(0, 1), step(1, 2)]);
  });

  it('keeps its other reminders', () => {
    const recovered = { name: 'recovered' as const, at: iso(5) };

    expect(stepsAfterStorm([recovered], [step(0, 10)], at(0))).toEqual([recovered, step(0, 10)]);
  });
});
