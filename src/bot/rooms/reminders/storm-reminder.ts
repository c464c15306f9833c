import { isAcknowledged } from '../../../incident/acknowledged.ts';
import { isMuted } from '../../../incident/mute.ts';
import { matchesFilter } from '../../../incident/rule-filter.ts';
import { severityRank } from '../../../incident/severity.ts';
import { addMinutes, max, min } from '../../../runtime/dates.ts';
import type { KnownIncident } from '../../incident/incident.ts';
import { byUrgency } from '../../incident/severity.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import { holdOf, type Rule } from '../rules/rule.ts';
import { escalatingRule, type Reminder, type ReminderCase, type SentReminder } from './reminder.ts';

/** An open incident of a storm, with or without a card of its own. */
export interface StormMember extends Pick<KnownIncident, 'incident' | 'isUnread'> {
  /** An action on it has no final response yet. */
  readonly isWaiting: boolean;
}

/** What is known when a reminder of a storm is decided. */
export interface StormReminderCase extends Pick<ReminderCase, 'rules' | 'sent' | 'now'> {
  readonly members: readonly StormMember[];
}

export type StormReminder = Extract<Reminder, { name: `step ${number}` }> & {
  /** The worst incident that nobody has acknowledged. Its severity decides which rule applies. */
  readonly worst: Snapshot;
};

/**
 * The next reminder in the thread of a storm message; null: none, as long as nothing changes. Acknowledged, recovered and
 * muted incidents, and those that are in quiet hours, need nobody.
 *
 * The steps are those of the rule that applies to the worst incident. They are counted from the opening of the oldest
 * incident that needs somebody. An acknowledgement restarts the count if it is of an incident at least as severe as the
 * worst, because then somebody is working on the storm. Incidents that open after all others were acknowledged start
 * again with the first step.
 */
export function nextStormReminder({ members, rules, sent, now }: StormReminderCase): StormReminder | null {
  const rulesOf = (incident: Snapshot) => rules.filter(({ filter }) => matchesFilter(filter, incident));
  const holdAt = (incident: Snapshot, at: Date) => holdOf(rulesOf(incident), incident, at);
  const needy = members
    .filter((member) => needsSomebody(member) && escalatingRule(rulesOf(member.incident)) !== null)
    .map(({ incident }) => incident);
  const active = needy.filter((incident) => holdAt(incident, now) === null);
  const concerned = active.length > 0 ? active : needy;
  const worst = concerned.toSorted(byUrgency(now))[0];
  const rule = worst === undefined ? null : escalatingRule(rulesOf(worst));
  if (worst === undefined || rule === null) {
    return null;
  }
  const oldest = min(concerned.map(({ opened_at }) => new Date(opened_at)));
  const steps = sent.filter(({ at }) => new Date(at) >= oldest);
  const step = rule.escalation[steps.length];
  if (step === undefined) {
    return null;
  }
  const since = max([oldest, ...countedFrom(rule, steps), ...acknowledgementsAbove(worst, members)]);
  const dueAt = max([addMinutes(since, step.afterMinutes), now]);
  const holds = concerned.map((incident) => holdAt(incident, dueAt));
  const ends = holds.filter((end) => end !== null);
  return {
    name: `step ${sent.length}`,
    step,
    worst,
    dueAt: ends.length === holds.length ? min(ends) : addMinutes(since, step.afterMinutes),
  };
}

/** Whether nobody has acknowledged an incident that still fails, as far as known. */
function needsSomebody({ incident, isWaiting }: StormMember): boolean {
  return !isWaiting && !isAcknowledged(incident) && incident.activity !== 'recovered';
}

/** Like `needsSomebody`, but not while it is muted. */
export function needsSomebodyAt(member: StormMember, now: Date): boolean {
  return needsSomebody(member) && !isMuted(member.incident, now);
}

function countedFrom({ changedAt }: Rule, steps: StormReminderCase['sent']): Date[] {
  const before = steps.at(-1);
  return before === undefined ? [changedAt] : [new Date(before.at)];
}

function acknowledgementsAbove(worst: Snapshot, members: readonly StormMember[]): Date[] {
  return members
    .filter(({ incident }) => isAcknowledged(incident))
    .filter(({ incident }) => severityRank(incident.severity) <= severityRank(worst.severity))
    .map(({ incident }) => new Date(incident.acknowledged_at ?? Number.NaN))
    .filter((at) => !Number.isNaN(at.getTime()));
}

/** The steps among the reminders, in order. */
export function stepsOf(sent: readonly SentReminder[]): SentReminder[] {
  return sent.filter(({ name }) => name.startsWith('step '));
}

/**
 * What the thread of a card counts as sent once its storm has ended: the steps that the storm has told since the incident
 * opened, unless the thread itself has told more.
 */
export function stepsAfterStorm(
  own: readonly SentReminder[],
  ofStorm: readonly SentReminder[],
  openedAt: Date,
): SentReminder[] {
  const told = stepsOf(ofStorm).filter(({ at }) => new Date(at) >= openedAt);
  const ownSteps = stepsOf(own);
  const steps = told.length > ownSteps.length ? told : ownSteps;
  const others = own.filter((reminder) => !ownSteps.includes(reminder));
  return [...others, ...steps.map(({ at }, index): SentReminder => ({ name: `step ${index}`, at }))];
}
