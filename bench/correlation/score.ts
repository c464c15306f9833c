import type { ReplayedIncident } from './online.ts';
import type { Label } from './rows.ts';

export interface OfflineScore {
  readonly cases: number;
  readonly top1: number;
  readonly top3: number;
  readonly reciprocalRank: number;
}

/** @param ranked per case, services in order, most likely root first */
export function scoreOffline(labels: readonly Label[], ranked: readonly (readonly string[])[]): OfflineScore {
  const places = labels.map(
    (label, index) => 1 + (ranked[index] ?? []).findIndex((service) => isRight(label, service)),
  );
  const share = (hits: number) => hits / Math.max(labels.length, 1);
  return {
    cases: labels.length,
    top1: share(places.filter((place) => place === 1).length),
    top3: share(places.filter((place) => place >= 1 && place <= 3).length),
    reciprocalRank: share(places.reduce((sum, place) => sum + (place === 0 ? 0 : 1 / place), 0)),
  };
}

/** What became of one fault online. Times are milliseconds since 1970. */
export interface FaultOutcome {
  readonly label: Label;
  readonly at: number;
  /** Its own incident: the first that opens for it, or else comes back. null: none does in time. */
  readonly incident: ReplayedIncident | null;
  /** Incidents that opened while it lasted and are no other fault's own, and the one that came back for it: 1 is right. */
  readonly opened: number;
  readonly delayMs: number | null;
  readonly rightAfterOneMinute: boolean;
  readonly rightAfterFourMinutes: boolean;
  readonly rightAtTheEnd: boolean;
  /** Among the first three of the incident, at its end. */
  readonly isAmongThree: boolean;
  /** Whether the path from root to entry is right; null: the engine or the label tells none. */
  readonly isPathRight: boolean | null;
  /** From the end of the fault until its incident no longer says that it fails; null: it never did, or nobody knows. */
  readonly recoveredMs: number | null;
}

const MINUTE_MS = 60_000;
const OWN_MS = 4 * MINUTE_MS;
const FAULT_MS = 7 * MINUTE_MS;
/** A fault of known end still explains what opens so long after it. */
const AFTER_END_MS = 2 * MINUTE_MS;

/** When people were told of an incident: that it opened, or that it fails again after it had recovered. */
interface Told {
  readonly incident: ReplayedIncident;
  readonly at: number;
}

/**
 * Gives each fault the first incident that opens from its start to 4 minutes later and that is no other fault's own.
 * Where none does, one that had recovered may come back: the same fault again. An incident that names the root of one of
 * two overlapping faults is that one's. Later incidents repair nothing.
 *
 * @param labels in order of time
 * @param incidents in order of their opening
 */
export function matchFaults(labels: readonly Label[], incidents: readonly ReplayedIncident[]): FaultOutcome[] {
  const owners = new Map<number, Label>();
  const openings = incidents.map((incident): Told => ({ incident, at: openedAt(incident) }));
  const isFor = (told: Told, label: Label) =>
    isWithin(told.at, injectedAt(label), OWN_MS) && !namesAnother(told, label, labels);
  const opened = labels.map((label) => {
    const told = openings.find((each) => !owners.has(each.incident.number) && isFor(each, label));
    if (told !== undefined) {
      owners.set(told.incident.number, label);
    }
    return told ?? null;
  });
  const counts = new Map<Label, number>();
  const count = (label: Label) => counts.set(label, (counts.get(label) ?? 0) + 1);
  for (const incident of incidents) {
    const label = owners.get(incident.number) ?? labels.findLast((one) => isDuring(incident, one));
    if (label !== undefined) {
      count(label);
    }
  }
  const returns = incidents.flatMap(returnsOf);
  const own = labels.map((label, index) => {
    const told = opened[index] ?? returns.find((each) => isFor(each, label)) ?? null;
    if (told !== null && told !== opened[index]) {
      returns.splice(returns.indexOf(told), 1);
      count(label);
    }
    return told;
  });
  return labels.map((label, index) => outcomeOf(label, own[index] ?? null, counts.get(label) ?? 0));
}

function returnsOf(incident: ReplayedIncident): Told[] {
  return incident.activities
    .filter(({ activity }, index, all) => activity === 'failing' && all[index - 1]?.activity === 'recovered')
    .map(({ at }) => ({ incident, at: Date.parse(at) }));
}

function outcomeOf(label: Label, told: Told | null, opened: number): FaultOutcome {
  const at = injectedAt(label);
  const incident = told?.incident ?? null;
  const rightAfter = (afterMs: number) =>
    told !== null && told.at <= at + afterMs && isRight(label, rootAt(told.incident, at + afterMs));
  const first = incident?.candidates.slice(0, 3) ?? [];
  return {
    label,
    at,
    incident,
    opened,
    delayMs: told === null ? null : told.at - at,
    rightAfterOneMinute: rightAfter(MINUTE_MS),
    rightAfterFourMinutes: rightAfter(OWN_MS),
    rightAtTheEnd: rightAfter(Number.POSITIVE_INFINITY),
    isAmongThree:
      incident !== null &&
      (rightAfter(Number.POSITIVE_INFINITY) || first.some(({ service }) => isRight(label, service))),
    isPathRight: isSamePath(label.path, incident?.path),
    recoveredMs: recoveredMs(label, incident),
  };
}

/** Whether an incident, as it was told, blames another fault that goes on at that time, and not this one. */
function namesAnother({ incident, at }: Told, label: Label, labels: readonly Label[]): boolean {
  const root = rootAt(incident, at) ?? incident.history[0]?.root_service ?? incident.root_service;
  return (
    !isRight(label, root) &&
    labels.some((other) => other !== label && isRight(other, root) && isWithin(at, injectedAt(other), OWN_MS))
  );
}

function isRight({ root_service: root }: Label, service: string | null): boolean {
  return service === root;
}

function isSamePath(truth: readonly string[] | undefined, path: readonly string[] | undefined): boolean | null {
  return truth === undefined || path === undefined ? null : truth.join('>') === path.join('>');
}

function recoveredMs({ end_at: endAt }: Label, incident: ReplayedIncident | null): number | null {
  if (endAt === undefined || incident === null) {
    return null;
  }
  const end = Date.parse(endAt);
  const last = incident.activities.findLast(({ at }) => Date.parse(at) <= end);
  const over = incident.activities.find(({ at, activity }) => Date.parse(at) > end && activity !== 'failing');
  if (last !== undefined && last.activity !== 'failing') {
    return 0;
  }
  return over === undefined ? null : Date.parse(over.at) - end;
}

export interface OnlineScore {
  readonly faults: number;
  /** Faults with an incident of their own. */
  readonly own: number;
  /** Whose root is right so long after the fault. */
  readonly right: { readonly afterOneMinute: number; readonly afterFourMinutes: number; readonly atTheEnd: number };
  readonly amongThree: number;
  /** Incidents that opened while faults lasted, for each fault that opened any. */
  readonly incidentsPerFault: number;
  /** From fault to incident; NaN without any. */
  readonly medianSeconds: number;
}

export function sumOutcomes(outcomes: readonly FaultOutcome[]): OnlineScore {
  const count = (isCounted: (outcome: FaultOutcome) => boolean) => outcomes.filter(isCounted).length;
  const opened = outcomes.filter(({ opened: number }) => number > 0);
  return {
    faults: outcomes.length,
    own: count(({ incident }) => incident !== null),
    right: {
      afterOneMinute: count((outcome) => outcome.rightAfterOneMinute),
      afterFourMinutes: count((outcome) => outcome.rightAfterFourMinutes),
      atTheEnd: count((outcome) => outcome.rightAtTheEnd),
    },
    amongThree: count((outcome) => outcome.isAmongThree),
    incidentsPerFault: opened.reduce((sum, { opened: number }) => sum + number, 0) / opened.length,
    medianSeconds: median(outcomes.flatMap(({ delayMs }) => delayMs ?? [])) / 1_000,
  };
}

/** Incidents that opened while no fault explains them. */
export function falseIncidents(labels: readonly Label[], incidents: readonly ReplayedIncident[]): ReplayedIncident[] {
  return incidents.filter((incident) => !labels.some((label) => isDuring(incident, label)));
}

/** Ten bins of what was said, with how often it was right. */
export function calibrate(
  outcomes: readonly FaultOutcome[],
): { from: number; said: number; right: number; cases: number }[] {
  const bins = Array.from({ length: 10 }, (_, index) => ({ from: index / 10, said: 0, right: 0, cases: 0 }));
  for (const { label, at, incident } of outcomes) {
    const told = incident?.history.findLast((entry) => Date.parse(entry.at) <= at + OWN_MS);
    const bin = told === undefined ? undefined : bins[Math.min(9, Math.floor(told.confidence * 10))];
    if (told !== undefined && bin !== undefined) {
      bin.cases += 1;
      bin.said += told.confidence;
      bin.right += isRight(label, told.root_service) ? 1 : 0;
    }
  }
  return bins
    .filter(({ cases }) => cases > 0)
    .map(({ from, said, right, cases }) => ({ from, said: said / cases, right: right / cases, cases }));
}

/** @returns NaN for no values */
function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function injectedAt(label: Label): number {
  return Date.parse(label.inject_at ?? '');
}

function openedAt(incident: ReplayedIncident): number {
  return Date.parse(incident.opened_at);
}

function isDuring(incident: ReplayedIncident, label: Label): boolean {
  const at = injectedAt(label);
  const end = label.end_at === undefined ? at : Date.parse(label.end_at) + AFTER_END_MS;
  return isWithin(openedAt(incident), at, Math.max(FAULT_MS, end - at));
}

function isWithin(at: number, from: number, length: number): boolean {
  return at >= from && at <= from + length;
}

/** The root that people were told by then, or null before the incident. */
function rootAt({ history }: ReplayedIncident, at: number): string | null {
  return history.findLast((entry) => Date.parse(entry.at) <= at)?.root_service ?? null;
}
