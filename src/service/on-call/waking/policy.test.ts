import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PolicyPlan } from '../../../contract/waking.ts';
import { newIncident } from '../../core/incident.ts';
import {
  FIRST,
  factsOf,
  isAfter,
  isLastResort,
  nextOf,
  type Position,
  pageChange,
  policyFor,
  type WakeFacts,
  type WakePolicy,
} from './policy.ts';

const AT = new Date('2026-11-28T03:00:00Z');
const STEP = { after_s: 60, to: [{ kind: 'person', id: 'person_1' }] };

function plan(given: object = {}): PolicyPlan {
  return PolicyPlan.parse({ name: 'Payments', steps: [STEP, STEP], ...given });
}

function policy(given: object = {}, createdAt = AT): WakePolicy {
  return { ...plan(given), id: 'policy_1', createdAt };
}

const incident = { ...newIncident(1, 'payments', null, AT), severity: 'critical' as const, labels: ['team:billing'] };
const find = (policies: readonly WakePolicy[]) => policyFor(policies, factsOf(incident), AT);

describe('the policy of an incident', () => {
  it.each([
    ['it names the service', { services: ['pay*'] }, true],
    ['it names another service', { services: ['search'] }, false],
    ['it names the label', { labels: ['team:billing'] }, true],
    ['it names another severity', { severities: ['warning'] }, false],
  ])('is found by what the incident is: %s', (_case, filter, isFound) => {
    expect(find([policy({ filter })]) !== null).toBe(isFound);
  });

  it('is the first that matches', () => {
    const [first, second] = [policy({ name: 'first' }), policy({ name: 'second' })];

    expect(find([policy({ filter: { services: ['x'] } }), first, second])?.name).toBe('first');
  });

  it('is not one that was made after the incident opened', () => {
    expect(find([policy({}, new Date('2026-11-28T03:00:01Z'))])).toBeNull();
  });
});

describe('a change of an incident', () => {
  const held = { isHeld: true, holdS: 60 };
  const change = (page: typeof held | null, facts: Partial<WakeFacts>, given: object = {}) =>
    pageChange(page, { facts: { ...factsOf(incident), ...facts }, openedAt: AT }, [policy(given)], AT);

  it('begins a page of what nobody has, once', () => {
    expect(change(null, {})).toEqual({ begin: policy() });
    expect(change(held, {})).toBeNull();
  });

  it.each<[string, Partial<WakeFacts>]>([
    ['was acknowledged', { isAcknowledged: true }],
    ['was closed', { isOpen: false }],
    ['is muted', { mutedUntil: '2026-11-28T03:00:01Z' }],
  ])('ends the page of what %s', (_case, facts) => {
    expect(change(held, facts)).toBe('end');
    expect(change(null, facts)).toBeNull();
  });

  describe.each<[string, Partial<WakeFacts>]>([
    ['recovers', { hasRecovered: true }],
    ['is quiet', { isQuiet: true }],
  ])('that %s', (_case, stopped) => {
    it('ends a page that is held, and begins one when it fails again', () => {
      expect(change(held, stopped)).toBe('end');
      expect(change(null, stopped, { hold_s: 60 })).toBeNull();
      expect(change(null, {}, { hold_s: 60 })).not.toBeNull();
    });

    it('leaves a page alone that has woken somebody, and one that is not held', () => {
      expect(change({ isHeld: false, holdS: 60 }, stopped)).toBeNull();
      expect(change({ isHeld: true, holdS: 0 }, stopped)).toBeNull();
      expect(change(null, stopped)).not.toBeNull();
    });
  });

  it.each([
    ['failed requests', { trace: 1 }, true],
    ['what people declared', { metric: 1, declared: 1 }, false],
    ['alerts of which nobody reports an end', { metric: 2, declared: 1, unended: 1 }, false],
    ['failed requests beside such alerts', { trace: 1, metric: 1, unended: 1 }, true],
  ])('takes the silence of %s for what it is', (_case, counts, isQuiet) => {
    const quiet = { ...incident, activity: 'quiet' as const };

    expect(factsOf({ ...quiet, signalCounts: { ...incident.signalCounts, ...counts } }).isQuiet).toBe(isQuiet);
  });
});

/** The positions that a page goes through until the first last resort, and the seconds between them. */
function walk(given: PolicyPlan, isReached: (position: Position) => boolean) {
  const walked: { readonly to: Position; readonly afterS: number }[] = [];
  let position = FIRST;
  while (!isLastResort(given, position)) {
    const next = nextOf(given, position, isReached(position));
    walked.push(next);
    position = next.to;
  }
  return walked;
}

describe('the steps of a page', () => {
  it('wait for their own clocks, are repeated, and end at the last resort', () => {
    expect(walk(plan({ repeat: 1, wait_s: 300 }), () => true)).toEqual([
      { to: { cycle: 0, step: 1 }, afterS: 60 },
      { to: { cycle: 1, step: 0 }, afterS: 360 },
      { to: { cycle: 1, step: 1 }, afterS: 60 },
      { to: { cycle: 1, step: 2 }, afterS: 300 },
    ]);
  });

  it('are not repeated when they reached nobody', () => {
    expect(walk(plan({ repeat: 9 }), () => false)).toHaveLength(2);
  });

  it('always come to the last resort, each step once a cycle, and never go back', () => {
    const plans = fc
      .record({ steps: fc.integer({ min: 1, max: 10 }), repeat: fc.integer({ min: 0, max: 9 }) })
      .map(({ steps, repeat }) => plan({ steps: Array.from({ length: steps }, () => STEP), repeat }));
    fc.assert(
      fc.property(plans, fc.infiniteStream(fc.boolean()), (given, reached) => {
        const positions = [FIRST, ...walk(given, () => reached.next().value === true).map(({ to }) => to)];

        expect(positions.length).toBeLessThanOrEqual(given.steps.length * (given.repeat + 1) + 1);
        expect(positions.slice(1).every((to, index) => isAfter(to, positions[index] ?? FIRST))).toBe(true);
      }),
    );
  });

  it('tell the last resort again until somebody has the incident', () => {
    const given = plan();

    expect(nextOf(given, { cycle: 0, step: 2 }, false)).toEqual({ to: { cycle: 1, step: 2 }, afterS: 600 });
  });
});
