import type { ServiceCall, StoredSignal } from '../core/signal.ts';
import { type CallGraph, createCallGraph, withinTwoHops } from './call-graph.ts';
import { addSignal, byTime, type Group, groupSignals, isNear } from './group.ts';
import { rankServices } from './rank.ts';

export interface CorrelationSettings {
  /** Longest silence inside one incident. */
  readonly gapMs: number;
  /** How long a group waits after its first signal arrived, so that neighbouring services can report. */
  readonly settleMs: number;
  /** Nothing joins an incident that has been open for longer. */
  readonly maxAgeMs: number;
  /** How long a closed incident still accepts signals of the same root. */
  readonly cooldownMs: number;
  /** Fewer occurrences of one failure of one service open no incident. */
  readonly minOccurrences: number;
}

export const DEFAULT_SETTINGS: CorrelationSettings = {
  gapMs: 5 * 60_000,
  settleMs: 3_000,
  maxAgeMs: 90 * 60_000,
  cooldownMs: 10 * 60_000,
  minOccurrences: 3,
};

/** An incident that may accept signals: open, or closed recently. */
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
  /** Signals without an incident, in any order. */
  readonly waiting: readonly StoredSignal[];
  readonly incidents: readonly LiveIncident[];
  readonly calls: readonly ServiceCall[];
}

export interface CorrelationResult {
  readonly joined: readonly { readonly incidentId: string; readonly signalIds: readonly string[] }[];
  readonly opened: readonly { readonly signalIds: readonly string[]; readonly previousIncidentId: string | null }[];
}

/** An open incident and the signals that join it in this run. */
interface Joinable extends Group {
  readonly incident: LiveIncident;
  /** Services whose signals belong to it. */
  readonly connected: Set<string>;
}

/**
 * Assigns waiting signals to incidents. Signals join open incidents first. The others form groups. A group whose root is
 * that of a recently closed incident joins it; another group opens an incident if it is severe enough. The result does
 * not depend on the order of the input. Signals that are assigned to no incident keep waiting.
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

/** Signals without an incident, each once. */
function inTimeOrder(signals: readonly StoredSignal[]): StoredSignal[] {
  const byId = new Map(signals.filter(({ incidentId }) => incidentId === null).map((signal) => [signal.id, signal]));
  return [...byId.values()].toSorted(byTime);
}

/**
 * Connected are the members, services at most two calls from the root in either direction, and callers of members,
 * because failures spread to callers. Other callees of members are not, or a gateway would connect the whole system.
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
 * Repeats until nothing more fits, because each signal that joins may connect another one.
 *
 * @returns the signals that join no incident
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

/** The root of a group may change until its neighbours had time to report. Alerts of isolated services need not wait. */
function hasSettled(group: Group, graph: CallGraph, now: Date, { settleMs }: CorrelationSettings): boolean {
  if (isOfAlertsAlone(group, graph)) {
    return true;
  }
  const { signals } = group;
  const firstReceivedAt = Math.min(...signals.map(({ receivedAt }) => receivedAt.getTime()));
  return now.getTime() - firstReceivedAt >= settleMs;
}

/** A single failure opens no incident, but a single alert of another system does. */
function isWorthAnIncident({ signals }: Group, settings: CorrelationSettings): boolean {
  const occurrences = signals.reduce((sum, signal) => sum + signal.occurrences, 0);
  return (
    occurrences >= settings.minOccurrences ||
    new Set(signals.map(({ type }) => type)).size >= 2 ||
    new Set(signals.map(({ service }) => service)).size >= 2 ||
    signals.some(({ severity }) => severity === 'critical') ||
    signals.some(({ severity, detail }) => severity !== 'info' && isAlert(detail))
  );
}

/** Whether the group has only alerts of services without known callers and callees. */
function isOfAlertsAlone({ signals, services }: Group, graph: CallGraph): boolean {
  const hasNeighbours = (service: string) => graph.calleesOf(service).size + graph.callersOf(service).size > 0;
  return (
    signals.every(({ detail, traceId }) => isAlert(detail) && traceId === null) && ![...services].some(hasNeighbours)
  );
}

function isAlert(detail: StoredSignal['detail']): boolean {
  return detail.type === 'alert';
}

/** The newest closed incident of the same root, if the group began during its cooldown: the same failure goes on. */
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

/** The latest incident of the same root, or one that the group would have joined if it were not too old. */
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
