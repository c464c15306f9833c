import type { ServiceCall, StoredSignal } from '../core/signal.ts';
import { type CallGraph, createCallGraph, withinTwoHops } from './call-graph.ts';
import { byTime, explainIncident } from './explain.ts';
import { addSignal, type Group, groupSignals, isNear } from './group.ts';
import { rankServices } from './rank.ts';

export { explainIncident };

export interface CorrelationSettings {
  /** Longest silence inside one incident. */
  readonly gapMs: number;
  /** How long a group waits after its first signal arrived, so that the exporters of neighbouring services have reported. */
  readonly settleMs: number;
  /** Nothing joins an incident that has been open for longer. */
  readonly maxAgeMs: number;
  /** How long a closed incident still takes signals of the same root. */
  readonly cooldownMs: number;
  /** Fewer occurrences of one failure at one service open no incident. */
  readonly leastOccurrences: number;
}

export const DEFAULT_SETTINGS: CorrelationSettings = {
  gapMs: 5 * 60_000,
  settleMs: 3_000,
  maxAgeMs: 90 * 60_000,
  cooldownMs: 10 * 60_000,
  leastOccurrences: 3,
};

/** An incident that may take signals: open, or closed a short while ago. */
export interface LiveIncident {
  readonly id: string;
  readonly openedAt: Date;
  readonly lastSignalAt: Date;
  /** null while it is open. */
  readonly closedAt: Date | null;
  readonly services: readonly string[];
  readonly rootService: string;
}

export interface CorrelationInput {
  readonly now: Date;
  /** Signals of no incident, those that just arrived included; in any order. */
  readonly waiting: readonly StoredSignal[];
  readonly incidents: readonly LiveIncident[];
  readonly calls: readonly ServiceCall[];
}

export interface CorrelationResult {
  readonly joined: readonly { readonly incidentId: string; readonly signalIds: readonly string[] }[];
  readonly opened: readonly { readonly signalIds: readonly string[]; readonly previousIncidentId: string | null }[];
}

/** An open incident and what joins it in this run. */
interface Joinable extends Group {
  readonly incident: LiveIncident;
  /** Services whose signals belong to it. */
  readonly connected: Set<string>;
}

/**
 * Puts waiting signals into incidents: first into open ones. What is left forms groups; one with the root of an incident
 * that was closed a short while ago goes into that, another opens an incident where it is worth it. The result does not
 * depend on the order of the input. A signal that fits nowhere yet is nowhere in the result.
 */
export function correlate(
  input: CorrelationInput,
  settings: CorrelationSettings = DEFAULT_SETTINGS,
): CorrelationResult {
  const graph = createCallGraph(input.calls);
  const incidents = input.incidents.toSorted(olderFirst);
  const open = incidents.filter(({ closedAt }) => closedAt === null).map((incident) => toJoinable(incident, graph));
  const left = joinSignals(inTimeOrder(input.waiting), open, graph, settings);
  const groups = groupSignals(left, graph, settings.gapMs)
    .filter((group) => hasSettled(group, graph, input.now, settings))
    .map((group) => ({ group, closed: findClosed(group, graph, incidents, settings) }));
  return {
    joined: [
      ...open.filter(({ signals }) => signals.length > 0).map(({ incident, signals }) => joinedBy(incident, signals)),
      ...groups.flatMap(({ group, closed }) => (closed === null ? [] : [joinedBy(closed, group.signals)])),
    ],
    opened: groups
      .filter(({ group, closed }) => closed === null && isWorthAnIncident(group, settings))
      .map(({ group }) => ({
        signalIds: group.signals.map(({ id }) => id),
        previousIncidentId: findPrevious(group, graph, incidents, settings),
      })),
  };
}

function joinedBy({ id }: LiveIncident, signals: readonly StoredSignal[]) {
  return { incidentId: id, signalIds: signals.map((signal) => signal.id) };
}

/** Each signal once, and without those that have an incident. */
function inTimeOrder(signals: readonly StoredSignal[]): StoredSignal[] {
  const byId = new Map(signals.filter(({ incidentId }) => incidentId === null).map((signal) => [signal.id, signal]));
  return [...byId.values()].toSorted(byTime);
}

/**
 * Connected are the members, what leads to the root or from it by at most two calls, and the callers of members, as
 * failures travel to callers. What else a member calls is not, or one gateway would tie a whole system into one incident.
 */
function toJoinable(incident: LiveIncident, graph: CallGraph): Joinable {
  const root = incident.rootService;
  const services = new Set([root, ...incident.services]);
  const aroundRoot = [...withinTwoHops(root, graph.calleesOf), ...withinTwoHops(root, graph.callersOf)];
  const callers = [...services].flatMap((service) => [...graph.callersOf(service)]);
  return {
    incident,
    connected: new Set([...services, ...aroundRoot, ...callers]),
    signals: [],
    services,
    traceIds: new Set(),
    firstAt: incident.openedAt.getTime(),
    lastAt: incident.lastSignalAt.getTime(),
  };
}

function join(joinable: Joinable, signal: StoredSignal, graph: CallGraph): void {
  addSignal(joinable, signal);
  for (const service of [signal.service, ...graph.callersOf(signal.service)]) {
    joinable.connected.add(service);
  }
}

function olderFirst(a: LiveIncident, b: LiveIncident): number {
  return a.openedAt.getTime() - b.openedAt.getTime() || (a.id < b.id ? -1 : 1);
}

/**
 * Joins what fits, again and again, as each signal that joins may connect another one.
 *
 * @returns the signals that fit nowhere
 */
function joinSignals(
  signals: readonly StoredSignal[],
  joinables: readonly Joinable[],
  graph: CallGraph,
  settings: CorrelationSettings,
): readonly StoredSignal[] {
  let left = signals;
  for (;;) {
    const still = left.filter((signal) => {
      const home = joinables.find((joinable) => fits(signal, joinable, settings));
      if (home !== undefined) {
        join(home, signal, graph);
      }
      return home === undefined;
    });
    if (still.length === left.length) {
      return still;
    }
    left = still;
  }
}

function fits(signal: StoredSignal, joinable: Joinable, settings: CorrelationSettings): boolean {
  return (
    !isTooOld(joinable.incident, signal.observedAt, settings) &&
    isNear(signal, joinable, settings.gapMs) &&
    (joinable.connected.has(signal.service) || (signal.traceId !== null && joinable.traceIds.has(signal.traceId)))
  );
}

function isTooOld({ openedAt }: LiveIncident, at: Date, { maxAgeMs }: CorrelationSettings): boolean {
  return at.getTime() >= openedAt.getTime() + maxAgeMs;
}

/** Until the neighbours had time to report, the root of a group may be another one; an alert may have none to wait for. */
function hasSettled(group: Group, graph: CallGraph, now: Date, { settleMs }: CorrelationSettings): boolean {
  if (isOfAlertsAlone(group, graph)) {
    return true;
  }
  const { signals } = group;
  const firstReceivedAt = Math.min(...signals.map(({ receivedAt }) => receivedAt.getTime()));
  return now.getTime() - firstReceivedAt >= settleMs;
}

/** A lone blip opens nothing; an alert that another system has judged is no blip. */
function isWorthAnIncident({ signals }: Group, settings: CorrelationSettings): boolean {
  const occurrences = signals.reduce((sum, signal) => sum + signal.occurrences, 0);
  return (
    occurrences >= settings.leastOccurrences ||
    new Set(signals.map(({ type }) => type)).size >= 2 ||
    new Set(signals.map(({ service }) => service)).size >= 2 ||
    signals.some(({ severity }) => severity === 'critical') ||
    signals.some(({ severity, detail }) => severity !== 'info' && isAlert(detail))
  );
}

/** Nothing else leads to or from them: their services neither call nor are called, as far as is known. */
function isOfAlertsAlone({ signals, services }: Group, graph: CallGraph): boolean {
  const hasNeighbours = (service: string) => graph.calleesOf(service).size + graph.callersOf(service).size > 0;
  return (
    signals.every(({ detail, traceId }) => isAlert(detail) && traceId === null) && ![...services].some(hasNeighbours)
  );
}

function isAlert(detail: StoredSignal['detail']): boolean {
  return detail.type === 'metric' && detail.value === null;
}

/** The newest closed incident of the same root, if the group came in its cooldown: the same failure goes on. */
function findClosed(
  { signals, firstAt }: Group,
  graph: CallGraph,
  incidents: readonly LiveIncident[],
  { cooldownMs }: CorrelationSettings,
): LiveIncident | null {
  const cooling = incidents.filter(({ closedAt }) => closedAt !== null && firstAt <= closedAt.getTime() + cooldownMs);
  if (cooling.length === 0) {
    return null;
  }
  const [root] = rankServices(signals, graph);
  return cooling.findLast(({ rootService }) => rootService === root.service) ?? null;
}

/** The latest incident of the same root, or the one that the group would have joined, were that not too old. */
function findPrevious(
  { signals, services }: Group,
  graph: CallGraph,
  incidents: readonly LiveIncident[],
  settings: CorrelationSettings,
): string | null {
  const [root] = rankServices(signals, graph);
  const candidates = incidents.filter(
    (incident) =>
      incident.rootService === root.service ||
      (signals.some(({ observedAt }) => isTooOld(incident, observedAt, settings)) &&
        incident.services.some((service) => services.has(service))),
  );
  return candidates.at(-1)?.id ?? null;
}
