import { z } from 'zod';
import { isAcknowledged } from '../../../incident/acknowledged.ts';
import { matchesFilter } from '../../../incident/rule-filter.ts';
import { addMinutes, max } from '../../../runtime/dates.ts';
import type { KnownIncident } from '../../incident/incident.ts';
import type { Snapshot } from '../../incident/snapshot.ts';
import { type EscalationStep, holdOf, type Rule } from '../rules/rule.ts';

/** Written by this version or an earlier one; what reads it does not depend on single fields. */
export const STORED_REMINDED = z.custom<Reminded>((value) => typeof value === 'object' && value !== null);
export const STORED_NAME = z.custom<ReminderName>((value) => typeof value === 'string');

const STILL_FAILING_MINUTES = 45;
const RECOVERED_MINUTES = 30;

/** Each is sent at most once while an incident is open. Steps are counted from 0. */
export type ReminderName = `step ${number}` | 'still failing' | 'recovered';

export interface SentReminder {
  readonly name: ReminderName;
  /** ISO 8601 */
  readonly at: string;
}

/** What the thread of a card was reminded of. */
export interface Reminded {
  readonly sent: readonly SentReminder[];
  /** Number of signals when the acknowledgement was first shown; null: it has not been shown. */
  readonly acknowledgedWith: number | null;
}

export const NOT_REMINDED: Reminded = { sent: [], acknowledgedWith: null };

/** What is known when a reminder is decided. */
export interface ReminderCase extends Reminded, Pick<KnownIncident, 'incident' | 'isGone' | 'waiting'> {
  /** The incident is part of a running storm, which sends the reminders instead. Absent: false. */
  readonly isInStorm?: boolean;
  /** The rules of the channel. */
  readonly rules: readonly Rule[];
  readonly now: Date;
}

export type Reminder = { readonly dueAt: Date } & (
  | { readonly name: `step ${number}`; readonly step: EscalationStep }
  | { readonly name: 'still failing'; readonly newFailures: number }
  | { readonly name: 'recovered' }
);

/** The next reminder in the thread of a card; null: none, as long as nothing changes. */
export function nextReminder(given: ReminderCase): Reminder | null {
  const { incident, isGone, waiting, sent, now } = given;
  const matching = given.rules.filter(({ filter }) => matchesFilter(filter, incident));
  if (incident.status !== 'open' || isGone || waiting.length > 0 || matching.length === 0) {
    return null;
  }
  const names = new Set(sent.map(({ name }) => name));
  const candidates = [escalation(given, matching), stillFailing(given), recovered(incident)];
  const [next] = candidates
    .filter((candidate) => candidate !== null)
    .filter(({ name }) => !names.has(name))
    .toSorted((one, other) => one.dueAt.getTime() - other.dueAt.getTime());
  if (next === undefined) {
    return null;
  }
  const held = holdOf(matching, incident, max([next.dueAt, now]));
  return held === null ? next : { ...next, dueAt: held };
}

/** The next step while nobody has acknowledged; null while the incident has recovered or a storm has the reminders. */
function escalation({ incident, sent, isInStorm = false }: ReminderCase, matching: readonly Rule[]): Reminder | null {
  if (isInStorm || isAcknowledged(incident) || incident.activity === 'recovered') {
    return null;
  }
  const steps = sent.filter(({ name }) => name.startsWith('step '));
  const rule = escalatingRule(matching);
  const step = rule?.escalation[steps.length];
  if (rule === null || step === undefined) {
    return null;
  }
  const before = steps.at(-1);
  const since = before === undefined ? max([new Date(incident.opened_at), rule.changedAt]) : new Date(before.at);
  return { name: `step ${steps.length}`, step, dueAt: addMinutes(since, step.afterMinutes) };
}

/** The rule that reminds first; null: none reminds. */
export function escalatingRule(matching: readonly Rule[]): Rule | null {
  const rules = matching.filter(({ escalation }) => escalation.length > 0);
  return rules.toSorted((one, other) => minutesOf(one) - minutesOf(other))[0] ?? null;
}

function minutesOf({ escalation: [first] }: Rule): number {
  return first?.afterMinutes ?? Number.POSITIVE_INFINITY;
}

/** Reminds the person who acknowledged if there were new failures since. */
function stillFailing({ incident, acknowledgedWith }: ReminderCase): Reminder | null {
  const { activity, acknowledged_at: at } = incident;
  if (!isAcknowledged(incident) || activity !== 'failing' || at === undefined || at === null) {
    return null;
  }
  const newFailures = Math.max(
    incident.signal_count - (acknowledgedWith ?? incident.signal_count),
    failuresAfter(incident, at),
  );
  return newFailures > 0
    ? { name: 'still failing', newFailures, dueAt: addMinutes(new Date(at), STILL_FAILING_MINUTES) }
    : null;
}

/** Failures in the minutes after that time, as far back as the service reports them. */
function failuresAfter({ failures_per_minute: rate }: Snapshot, at: string): number {
  if (rate === undefined) {
    return 0;
  }
  const from = new Date(rate.from);
  return rate.counts
    .filter((_, index) => addMinutes(from, index) >= new Date(at))
    .reduce((sum, count) => sum + count, 0);
}

function recovered({ activity, activity_since: since }: Snapshot): Reminder | null {
  return activity === 'recovered' && since !== undefined
    ? { name: 'recovered', dueAt: addMinutes(new Date(since), RECOVERED_MINUTES) }
    : null;
}
