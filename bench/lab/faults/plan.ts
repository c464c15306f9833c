import { between, chance, createRandom, pick, pickWeighted, type Random, shuffled } from '../random.ts';
import type { Operation, Place, System } from '../systems/system.ts';
import { visitsOf } from '../systems/visits.ts';
import type { Arrangement, Fault } from './fault.ts';
import { KINDS } from './kinds.ts';

export interface PlanSettings {
  /** When traffic starts, in milliseconds since 1970. */
  readonly startedAt: number;
  /** Time to learn what is normal before the first fault, and how long all takes. */
  readonly warmUpMs: number;
  readonly lengthMs: number;
  /** Names of the kinds to draw from. */
  readonly kinds: readonly string[];
  /** Kinds come in a fixed order, so that few systems cover all: this one starts here. */
  readonly firstKind: number;
}

/** A fault starts so long after the last one's start at least: no sooner may the scorer tell them apart. */
const SLOT_MS = 10 * 60_000;
const LONGEST_MS = 300_000;
/** Requests that a place must see a minute for a fault of it to show. */
const LEAST_PER_MINUTE = 5;

/** Draws faults for a system: mostly one alone, some overlapping, in a row, or again after they healed. */
export function planFaults(system: System, settings: PlanSettings): Fault[] {
  const { startedAt, warmUpMs, lengthMs, kinds, firstKind } = settings;
  const random = createRandom(`plan/${system.family}/${system.seed}`);
  const faults: Fault[] = [];
  const suitable = placesByKind(system, kinds);
  const mixed = shuffled(createRandom('kinds'), kinds);
  const order = mixed
    .map((_, index) => mixed[(index + firstKind) % kinds.length] ?? '')
    .filter((kind) => suitable.has(kind));
  let turn = 0;
  const draw = (from: number, arrangement: Arrangement, without: Place | null = null): Fault | null => {
    for (let tries = 0; tries < order.length; tries += 1) {
      const kind = order[turn % order.length] ?? '';
      turn += 1;
      const places = (suitable.get(kind) ?? []).filter((place) => place !== without);
      if (places.length > 0) {
        return drawFault(random, system, { id: faults.length, kind, place: pick(random, places), from, arrangement });
      }
    }
    return null;
  };
  const end = startedAt + lengthMs - LONGEST_MS - 60_000;
  for (let at = startedAt + warmUpMs + between(random, 0, 60_000); at < end; ) {
    const arrangement = pickWeighted<Arrangement>(random, [
      ['alone', 0.7],
      ['two at once', 0.12],
      ['in a row', 0.09],
      ['again', 0.09],
    ]);
    const first = draw(at, arrangement);
    if (first === null) {
      break;
    }
    faults.push(first);
    const second = at + SLOT_MS < end ? secondOf(random, first, draw) : null;
    if (second !== null) {
      faults.push({ ...second, id: faults.length });
    }
    at = Math.max(at, second?.from ?? 0) + SLOT_MS + between(random, 0, 90_000);
  }
  return faults;
}

function secondOf(
  random: Random,
  first: Fault,
  draw: (from: number, arrangement: Arrangement, without: Place | null) => Fault | null,
): Fault | null {
  switch (first.arrangement) {
    case 'alone':
      return null;
    case 'two at once':
      return draw(first.from + (chance(random, 0.5) ? 0 : between(random, 10_000, 90_000)), 'two at once', first.place);
    case 'in a row':
      return draw(first.to + between(random, 30_000, 90_000), 'in a row', first.place);
    case 'again': {
      const shiftMs = first.to - first.from + between(random, 90_000, 400_000);
      return { ...first, from: first.from + shiftMs, to: first.to + shiftMs };
    }
  }
}

interface Drawn {
  readonly id: number;
  readonly kind: string;
  readonly place: Place;
  readonly from: number;
  readonly arrangement: Arrangement;
}

function drawFault(random: Random, system: System, { id, kind, place, from, arrangement }: Drawn): Fault {
  const drawn = KINDS[system.family][kind];
  if (drawn === undefined) {
    throw new RangeError(`no such kind of fault: ${kind}`);
  }
  return {
    id,
    kind,
    place,
    instance: drawn.hitsOneInstance === true ? 0 : null,
    operation: drawn.hitsOneOperation === true ? busiest(system, place) : null,
    from: Math.round(from),
    to: Math.round(from + between(random, 180_000, LONGEST_MS)),
    hasChange: drawn.hasChange === true,
    arrangement,
    effectAt: drawn.draw(random, place),
  };
}

function busiest(system: System, place: Place): Operation | null {
  const visits = visitsOf(system, ({ id }) => id);
  const own = system.operations.filter((operation) => operation.place === place);
  return own.toSorted((a, b) => (visits.get(b.id) ?? 0) - (visits.get(a.id) ?? 0))[0] ?? null;
}

/** Places of each kind that enough requests reach, and whose name anybody sends. */
function placesByKind(system: System, kinds: readonly string[]): Map<string, Place[]> {
  const visits = visitsOf(system, ({ place }) => place);
  const seen = system.places.filter(
    (place) => (visits.get(place) ?? 0) * system.traffic.perSecond * 60 >= LEAST_PER_MINUTE && isNamed(system, place),
  );
  const found = kinds.map(
    (kind) => [kind, seen.filter((place) => KINDS[system.family][kind]?.suits(place, system))] as const,
  );
  return new Map(
    found
      .map(([kind, places]) => [kind, shuffled(createRandom(`${system.seed}/${kind}`), places)] as const)
      .filter(([, places]) => places.length > 0),
  );
}

/** Nobody can blame a place of which no telemetry holds the name. */
function isNamed({ operations }: System, place: Place): boolean {
  if (place.kind === 'service') {
    return true;
  }
  return operations.some(
    ({ place: { habit }, calls }) =>
      habit.spans === 'all' && habit.namesPeers && calls.some(({ to }) => to.place === place),
  );
}
