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
  const places = labels.map(({ root_service: root }, index) => 1 + (ranked[index] ?? []).indexOf(root));
  const share = (hits: number) => hits / Math.max(labels.length, 1);
  return {
    cases: labels.length,
    top1: share(places.filter((place) => place === 1).length),
    top3: share(places.filter((place) => place >= 1 && place <= 3).length),
    reciprocalRank: share(places.reduce((sum, place) => sum + (place === 0 ? 0 : 1 / place), 0)),
  };
}

export interface OnlineScore {
  readonly faults: number;
  /** Faults with an incident of their own. */
  readonly own: number;
  /** Whose root is right so long after the fault. */
  readonly right: { readonly afterOneMinute: number; readonly afterFourMinutes: number; readonly atTheEnd: number };
  readonly incidents: number;
  readonly falsePerHour: number;
  /** From fault to incident. */
  readonly medianSeconds: number;
}

const MINUTE_MS = 60_000;
const OWN_MS = 4 * MINUTE_MS;
const FAULT_MS = 7 * MINUTE_MS;

/** @param span first and last moment of the stream, in milliseconds */
export function scoreOnline(
  labels: readonly Label[],
  incidents: readonly ReplayedIncident[],
  span: readonly [number, number],
): OnlineScore {
  const claimed = new Set<number>();
  const own = labels.map((label) => {
    const at = injectedAt(label);
    const opened = incidents.filter(
      (incident) => isWithin(openedAt(incident), at, OWN_MS) && !claimed.has(incident.number),
    );
    // Of several, the one that names the root is the fault's own; the others are by-products.
    const incident = opened.find((candidate) => rootAt(candidate, at + OWN_MS) === label.root_service) ?? opened[0];
    if (incident !== undefined) {
      claimed.add(incident.number);
    }
    return { label, at, incident };
  });
  const right = (afterMs: number) =>
    own.filter(
      ({ label, at, incident }) => incident !== undefined && rootAt(incident, at + afterMs) === label.root_service,
    ).length;
  const delays = own
    .flatMap(({ at, incident }) => (incident === undefined ? [] : [openedAt(incident) - at]))
    .toSorted((a, b) => a - b);
  const outside = incidents.filter(
    (incident) => !labels.some((label) => isWithin(openedAt(incident), injectedAt(label), FAULT_MS)),
  );
  return {
    faults: labels.length,
    own: claimed.size,
    right: {
      afterOneMinute: right(MINUTE_MS),
      afterFourMinutes: right(OWN_MS),
      atTheEnd: right(Number.POSITIVE_INFINITY),
    },
    incidents: incidents.length,
    falsePerHour: outside.length / ((span[1] - span[0]) / 3_600_000),
    medianSeconds: (delays[Math.floor(delays.length / 2)] ?? Number.NaN) / 1_000,
  };
}

function injectedAt(label: Label): number {
  return Date.parse(label.inject_at ?? '');
}

function openedAt(incident: ReplayedIncident): number {
  return Date.parse(incident.opened_at);
}

function isWithin(at: number, from: number, length: number): boolean {
  return at >= from && at <= from + length;
}

/** The root that people were told by then, or null before the incident. */
function rootAt({ history }: ReplayedIncident, at: number): string | null {
  return history.findLast((entry) => Date.parse(entry.at) <= at)?.root_service ?? null;
}
