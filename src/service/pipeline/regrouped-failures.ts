import type { Transaction } from 'kysely';
import { type Incident, isCountedInRequests } from '../core/incident.ts';
import type { CorrelationEvent } from '../engine/grouping/correlation-state.ts';
import type { Incident as EngineIncident } from '../engine/grouping/incident.ts';
import { divideFailures, type SeenFailures } from '../store/incidents/failure-counts.ts';
import type { StoredFacts } from '../store/incidents/incident-facts.ts';
import type { Move, Split } from '../store/incidents/incident-writer.ts';
import type { ServiceTables } from '../store/schema/tables.ts';
import { holderOf } from './update-incident.ts';

type Tx = Transaction<ServiceTables>;

/** A merged incident and one that was split have changed on both sides. */
export function incidentsOf(event: CorrelationEvent): EngineIncident[] {
  switch (event.type) {
    case 'merged':
      return [event.incident, event.into];
    case 'split':
      return [event.incident, event.from];
    case 'opened':
    case 'joined':
    case 'root_changed':
    case 'activity':
      return [event.incident];
  }
}

/** Where the signals of merged incidents go: to the last of those that were merged into each other. */
export function movesOf(
  changed: readonly EngineIncident[],
  events: readonly CorrelationEvent[],
  stored: ReadonlyMap<number, Incident>,
): Move[] {
  const holders = new Map(
    changed.flatMap((incident) => {
      const [from, to] = [stored.get(incident.number), holderOf(incident, events, stored)];
      return from === undefined || to === undefined ? [] : [[from.id, to.id] as const];
    }),
  );
  return [...holders].flatMap(([from, holder]) => {
    let to = holder;
    const passed = new Set([from]);
    while (!passed.has(to)) {
      passed.add(to);
      to = holders.get(to) ?? to;
    }
    return to === from ? [] : [{ from, to }];
  });
}

/** What correlation or a person split from an incident, in order. */
export function splitsOf(events: readonly CorrelationEvent[], stored: ReadonlyMap<number, Incident>): Split[] {
  return events.flatMap((event) => {
    const [from, to] = event.type === 'split' ? [stored.get(event.from.number), stored.get(event.incident.number)] : [];
    return from === undefined || to === undefined ? [] : [{ from: from.id, to: to.id }];
  });
}

/** Gives incidents that were split their part of the failures so far. */
export async function divideSplit(
  tx: Tx,
  events: readonly CorrelationEvent[],
  incidents: readonly Incident[],
): Promise<void> {
  const idOf = (number: number) => incidents.find(({ ordinal }) => ordinal === number)?.id;
  for (const event of events.filter((each) => each.type === 'split')) {
    const [from, to] = [idOf(event.from.number), idOf(event.incident.number)];
    if (from !== undefined && to !== undefined) {
      await divideFailures(tx, from, to);
    }
  }
}

/** Ordinals of incidents whose evidence is partly that of another, or was. */
export function regroupedIn(events: readonly CorrelationEvent[]): ReadonlySet<number> {
  const isRegroup = ({ type }: CorrelationEvent) => type === 'merged' || type === 'split';
  return new Set(events.filter(isRegroup).flatMap((event) => incidentsOf(event).map(({ number }) => number)));
}

/** Failures of an incident: its lost requests, or else the occurrences of its signals. */
export function seenOf(
  before: Incident | undefined,
  incident: Incident,
  facts: ReadonlyMap<string, StoredFacts>,
  lost: ReadonlyMap<string, number>,
  regrouped: ReadonlySet<number>,
): SeenFailures[] {
  const { id, ordinal } = incident;
  const { occurrences: signals, occurrencesByService: occurrences } = facts.get(id) ?? {};
  if (signals === undefined || occurrences === undefined) {
    return [];
  }
  const totalOf = (isOfRequests: boolean) => (isOfRequests ? (lost.get(id) ?? signals) : signals);
  const isOfRequests = isCountedInRequests(incident);
  if (!isOfRequests && signals === 0) {
    return []; // nothing measures how often it fails
  }
  const isOtherUnit = before !== undefined && isOfRequests !== isCountedInRequests(before);
  const inEarlierUnit = isOtherUnit ? totalOf(!isOfRequests) || null : null;
  return [{ id, total: totalOf(isOfRequests), inEarlierUnit, isRegrouped: regrouped.has(ordinal), occurrences }];
}
