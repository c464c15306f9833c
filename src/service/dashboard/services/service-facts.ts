import type { Observed, ObservedCall } from '../../core/observed.ts';
import { failedPerMinute, isForgotten } from '../../engine/graph/call-graph.ts';
import type { OpenOfService } from '../../store/service-store.ts';

/** A service as the dashboard lists it. */
export interface ServiceFacts {
  readonly name: string;
  readonly openIncidents: number;
  /** Whether one of them still fails. Without one, a few failed calls are usual. */
  readonly isFailing: boolean;
  /** Calls to it that fail, a minute. */
  readonly failedPerMinute: number;
  readonly callers: readonly Neighbour[];
  readonly callees: readonly Neighbour[];
  /** Its last deployments, newest first. */
  readonly changes: readonly { readonly at: Date; readonly version: string }[];
}

/** The other end of calls. */
export interface Neighbour {
  readonly name: string;
  /** Failed calls between the two, a minute. */
  readonly failedPerMinute: number;
  /** Whether calls between the two fail while both have incidents that still fail. */
  readonly isInTrouble: boolean;
  readonly seenAt: Date;
}

/** Services with calls or incidents: those in trouble first, then by name. */
export function listServiceFacts(
  { calls, changes }: Observed,
  open: ReadonlyMap<string, OpenOfService>,
  now: Date,
): ServiceFacts[] {
  const known = calls.filter((call) => !isForgotten(call, now.getTime()));
  const callers = Map.groupBy(known, ({ callee }) => callee);
  const callees = Map.groupBy(known, ({ caller }) => caller);
  const changesOf = Map.groupBy(changes, ({ service }) => service);
  const names = new Set([...open.keys(), ...callers.keys(), ...callees.keys()]);
  return [...names]
    .map((name) => {
      const isFailing = (service: string) => (open.get(service)?.failing ?? 0) > 0;
      const isOdd = (other: string) => isFailing(name) && isFailing(other);
      const from = neighbours(callers.get(name) ?? [], ({ caller }) => caller, isOdd, now);
      return {
        name,
        changes: (changesOf.get(name) ?? [])
          .toSorted((one, other) => other.at - one.at)
          .map(({ at, subject }) => ({ at: new Date(at), version: subject })),
        openIncidents: open.get(name)?.open ?? 0,
        isFailing: isFailing(name),
        failedPerMinute: from.reduce((sum, each) => sum + each.failedPerMinute, 0),
        callers: from,
        callees: neighbours(callees.get(name) ?? [], ({ callee }) => callee, isOdd, now),
      };
    })
    .toSorted(
      (one, other) =>
        Number(other.isFailing) - Number(one.isFailing) ||
        other.openIncidents - one.openIncidents ||
        Math.round(other.failedPerMinute) - Math.round(one.failedPerMinute) ||
        one.name.localeCompare(other.name, 'en'),
    );
}

function neighbours(
  calls: readonly ObservedCall[],
  nameOf: (call: ObservedCall) => string,
  isOdd: (name: string) => boolean,
  now: Date,
): readonly Neighbour[] {
  return calls
    .map((call) => {
      const name = nameOf(call);
      const perMinute = failedPerMinute(call, now.getTime());
      const isInTrouble = rateWords(perMinute) !== '' && isOdd(name);
      return { name, failedPerMinute: perMinute, isInTrouble, seenAt: new Date(call.seenAt) };
    })
    .toSorted(
      (one, other) =>
        Math.round(other.failedPerMinute) - Math.round(one.failedPerMinute) || one.name.localeCompare(other.name, 'en'),
    );
}

/** What "lately" means. */
export const LATELY = 'Lately: an average in which what is five minutes old counts half.';

/** "about 12 failed calls a minute lately": a fading average with a half-life of five minutes. Empty: hardly any. */
export function rateWords(perMinute: number): string {
  const rounded = Math.round(perMinute);
  if (rounded === 0) {
    return perMinute >= 0.1 ? 'less than 1 failed call a minute lately' : '';
  }
  return `about ${rounded.toLocaleString('en')} failed ${rounded === 1 ? 'call' : 'calls'} a minute lately`;
}
