import { between, chance, logBetween, pick, type Random, wholeBetween } from '../random.ts';
import type { Shape } from './build-system.ts';
import type { Parameters } from './parameters.ts';
import type { Call, Operation, Place, PlaceKind } from './system.ts';

interface Wiring {
  readonly random: Random;
  readonly parameters: Parameters;
  readonly shape: Shape;
  /** Operations of the services, entries first. */
  readonly byLayer: readonly (readonly Operation[])[];
  /** Whether its callers work without it. */
  readonly isOptional: (place: Place) => boolean;
  readonly addPlace: (kind: PlaceKind) => Place;
  readonly addOperation: (place: Place) => Operation;
}

/**
 * Lets operations call those of deeper layers, and databases, caches, vendors. Every service is reachable from an entry.
 * Operations never call each other in a circle; services of the shape `cycle` do.
 */
export function addCalls(wiring: Wiring): void {
  const { random, byLayer } = wiring;
  const mostSteps = logBetween(random, ...wiring.parameters.mostSteps);
  const steps = new Map<Operation, number>();
  const stepsOf = (operation: Operation) => steps.get(operation) ?? 1;
  const called = new Set<Place>();
  for (let layer = byLayer.length - 1; layer >= 0; layer -= 1) {
    const below = byLayer.slice(layer + 1).flat();
    const next = byLayer[layer + 1] ?? [];
    for (const operation of byLayer[layer] ?? []) {
      addSilentCalls(wiring, operation);
      for (let left = next.length === 0 ? 0 : widthOf(wiring, layer); left > 0; left -= 1) {
        const choices = chance(random, 0.8) ? next : below;
        const [one, other] = [pick(random, choices), pick(random, choices)];
        const to = called.has(one.place) ? other : one;
        const isNew = operation.calls.every((call) => call.to.place !== to.place) && to.place !== operation.place;
        const total = stepsOf(operation) + operation.calls.reduce((sum, call) => sum + stepsOf(call.to), 0);
        if (isNew && total + stepsOf(to) <= mostSteps) {
          operation.calls.push(drawCall(wiring, to, layer));
          called.add(to.place);
        }
      }
      steps.set(operation, 1 + operation.calls.reduce((sum, call) => sum + call.share * stepsOf(call.to), 0));
    }
  }
  reachAll(wiring);
  if (wiring.shape === 'cycle') {
    closeCycles(wiring);
  }
}

/** Lets what a request reaches call each service that it does not, layer by layer. */
function reachAll(wiring: Wiring): void {
  const { random, byLayer } = wiring;
  const reached = new Set<Operation>();
  const reach = (operation: Operation) => {
    reached.add(operation);
    for (const { to } of operation.calls) {
      reach(to);
    }
  };
  for (const [layer, operations] of byLayer.entries()) {
    for (const operation of operations) {
      const isReached = layer === 0 || operations.some((mate) => mate.place === operation.place && reached.has(mate));
      if (!isReached) {
        const above = (byLayer[layer - 1] ?? []).filter((caller) => reached.has(caller));
        pick(random, above).calls.push(drawCall(wiring, operation, layer - 1));
      }
      if (layer === 0 || !isReached) {
        reach(operation);
      }
    }
  }
}

function widthOf({ random, shape, byLayer }: Wiring, layer: number): number {
  if (shape === 'chain') {
    return chance(random, 0.2) ? 2 : 1;
  }
  if (shape === 'fan' && layer === 0) {
    return Math.min(8, (byLayer[1] ?? []).length);
  }
  return wholeBetween(random, 1, 3);
}

function drawCall(wiring: Wiring, to: Operation, layer: number): Call {
  const { random, parameters, addPlace, isOptional } = wiring;
  const isQueued = layer > 0 && chance(random, parameters.queuedShare);
  return {
    to,
    share: chance(random, 0.7) ? 1 : between(random, 0.3, 0.9),
    isOptional: isOptional(to.place),
    queue: isQueued ? { place: addPlace('queue'), trace: pick(random, ['same', 'linked']) } : null,
    onMissOf: null,
    retries: !isOptional(to.place) && chance(random, parameters.retriedShare) ? wholeBetween(random, 1, 2) : 0,
    timeoutMs: pick(random, parameters.timeoutsMs),
  };
}

/** A service has its own database; caches stand before databases; vendors are called by few. */
function addSilentCalls(wiring: Wiring, operation: Operation): void {
  const { random, parameters, addPlace, addOperation, byLayer } = wiring;
  const mates = byLayer.flat().filter(({ place, calls }) => place === operation.place && calls.length > 0);
  const known = mates.flatMap(({ calls }) => calls).filter(({ to }) => to.place.kind !== 'service');
  const silent = (kind: PlaceKind, share: number): Place | null => {
    const mine = known.find(({ to }) => to.place.kind === kind)?.to.place;
    if (mine !== undefined && chance(random, 0.8)) {
      return mine;
    }
    return mates.length === 0 && chance(random, share) ? addPlace(kind) : null;
  };
  const add = (place: Place | null, about: Partial<Call>) => {
    if (place !== null) {
      operation.calls.push({
        to: addOperation(place),
        share: 1,
        isOptional: false,
        queue: null,
        onMissOf: null,
        retries: 0,
        timeoutMs: pick(random, parameters.timeoutsMs),
        ...about,
      });
    }
  };
  const database = silent('database', parameters.databaseShare);
  const cache = silent('cache', database === null ? 0.05 : 0.3);
  add(cache, { isOptional: true });
  add(database, cache === null ? {} : { onMissOf: operation.calls.length - 1 });
  add(silent('vendor', parameters.vendorShare), {
    retries: chance(random, 0.3) ? 1 : 0,
    share: between(random, 0.5, 1),
  });
}

/** A service deep below asks one above for something small. */
function closeCycles({ random, byLayer, addOperation }: Wiring): void {
  for (let round = 0; round < 2; round += 1) {
    const layer = wholeBetween(random, 1, byLayer.length - 1);
    const from = pick(random, byLayer[layer] ?? []);
    const above = pick(random, byLayer[layer - 1] ?? []).place;
    const call: Call = {
      to: addOperation(above),
      share: between(random, 0.5, 1),
      isOptional: false,
      queue: null,
      onMissOf: null,
      retries: 0,
      timeoutMs: logBetween(random, 1_000, 10_000),
    };
    from.calls.push(call);
  }
}
