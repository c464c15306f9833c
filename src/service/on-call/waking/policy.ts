import type { Severity } from '../../../contract/resources.ts';
import type { PolicyPlan, WakeStep } from '../../../contract/waking.ts';
import { matchesFilter } from '../../../incident/rule-filter.ts';
import { type Incident, isMeasured } from '../../core/incident.ts';
import { presentLabels } from '../../core/incident-labels.ts';

/** A policy, in the order in which policies are tried. */
export interface WakePolicy extends PolicyPlan {
  readonly id: string;
  readonly createdAt: Date;
}

/** What waking decides on, of an incident at one moment. It is stored, so that a dry run sees what waking saw. */
export interface WakeFacts {
  readonly isOpen: boolean;
  readonly isAcknowledged: boolean;
  /** RFC 3339; null: it is not muted. */
  readonly mutedUntil: string | null;
  readonly hasRecovered: boolean;
  /** It was not seen for a while, though something would see it. Absent in what was stored before this was known. */
  readonly isQuiet?: boolean;
  readonly rootService: string;
  readonly services: readonly string[];
  readonly severity: Severity;
  /** Ids. */
  readonly integrations: readonly string[];
  readonly labels: readonly string[];
}

export function factsOf(incident: Incident): WakeFacts {
  const { closing, acknowledgement, mute, activity, rootService, services, severity, integrations, labels } = incident;
  return {
    isOpen: closing === null,
    isAcknowledged: acknowledgement !== null,
    mutedUntil: mute?.until ?? null,
    hasRecovered: activity === 'recovered',
    isQuiet: activity === 'quiet' && isMeasured(incident),
    rootService,
    services,
    severity,
    integrations: integrations.map(({ id }) => id),
    labels,
  };
}

/** Whether the harm is over, as far as is known: nobody needs to be woken who was not woken yet. */
function hasStopped({ hasRecovered, isQuiet = false }: WakeFacts): boolean {
  return hasRecovered || isQuiet;
}

/** Whether nobody has the incident, so that somebody should be woken. */
export function wantsWaking({ isOpen, isAcknowledged, mutedUntil }: WakeFacts, at: Date): boolean {
  return isOpen && !isAcknowledged && (mutedUntil === null || Date.parse(mutedUntil) <= at.getTime());
}

/** The policy that wakes for an incident; null: none does. A policy is not for incidents that are older than itself. */
export function policyFor(policies: readonly WakePolicy[], facts: WakeFacts, openedAt: Date): WakePolicy | null {
  const { rootService, services, severity, integrations, labels } = facts;
  const filtered = {
    root_service: rootService,
    services,
    severity,
    integrations: integrations.map((id) => ({ id })),
    labels: presentLabels(labels),
  };
  return policies.find(({ filter, createdAt }) => createdAt <= openedAt && matchesFilter(filter, filtered)) ?? null;
}

/** The page of an incident that has not ended. */
export interface LivePage {
  /** Whether no step has begun. */
  readonly isHeld: boolean;
  readonly holdS: number;
}

/**
 * What a change of an incident does to its pages. What stops while it is held wakes nobody, until it fails again; once
 * somebody was woken, only people end it.
 *
 * @param page null: it has none
 * @returns null: nothing
 */
export function pageChange(
  page: LivePage | null,
  { facts, openedAt }: { readonly facts: WakeFacts; readonly openedAt: Date },
  policies: readonly WakePolicy[],
  at: Date,
): { readonly begin: WakePolicy } | 'end' | null {
  const isWanted = wantsWaking(facts, at);
  if (page !== null) {
    return isWanted && !(hasStopped(facts) && page.isHeld && page.holdS > 0) ? null : 'end';
  }
  const policy = isWanted ? policyFor(policies, facts, openedAt) : null;
  return policy === null || (hasStopped(facts) && policy.hold_s > 0) ? null : { begin: policy };
}

/** Where a page is in its policy. */
export interface Position {
  readonly cycle: number;
  readonly step: number;
}

export const FIRST: Position = { cycle: 0, step: 0 };

/** The last resort is told again as often, until somebody has the incident. */
const LAST_RESORT_AGAIN_S = 600;

/** Seconds from the beginning of a page until its first step. */
export function firstDelayS({ hold_s, steps }: PolicyPlan): number {
  return hold_s + (steps[0]?.after_s ?? 0);
}

/** The last resort is the step after the last one. */
export function isLastResort({ steps }: PolicyPlan, { step }: Position): boolean {
  return step >= steps.length;
}

/**
 * What comes after a step, by its own clock. It never ends: a page ends when somebody has the incident.
 *
 * @param isReached whether anybody was reached in this cycle: to go through the same steps again at once reaches nobody
 */
export function nextOf(
  plan: PolicyPlan,
  { cycle, step }: Position,
  isReached: boolean,
): { readonly to: Position; readonly afterS: number } {
  const { steps, repeat, wait_s } = plan;
  if (isLastResort(plan, { cycle, step })) {
    return { to: { cycle: cycle + 1, step }, afterS: LAST_RESORT_AGAIN_S };
  }
  const next = steps[step + 1];
  if (next !== undefined) {
    return { to: { cycle, step: step + 1 }, afterS: next.after_s };
  }
  return isReached && cycle < repeat
    ? { to: { cycle: cycle + 1, step: 0 }, afterS: wait_s + (steps[0]?.after_s ?? 0) }
    : { to: { cycle, step: steps.length }, afterS: wait_s };
}

/** Whom a step asks, whether it uses their loud ways, and how many of them must answer. */
export function askedAt(plan: PolicyPlan, { step }: Position): Pick<WakeStep, 'to' | 'loud' | 'acks'> {
  return plan.steps[step] ?? { to: plan.last_resort, loud: true, acks: 1 };
}

export function isAfter(one: Position, other: Position): boolean {
  return one.cycle > other.cycle || (one.cycle === other.cycle && one.step > other.step);
}
