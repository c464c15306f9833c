import { between, chance, createRandom, logBetween, pick, pickWeighted, type Random, wholeBetween } from '../random.ts';
import { type Family, vocabularyOf } from '../vocabulary/vocabulary.ts';
import type { Adjustments } from './adjustments.ts';
import { addCalls } from './calls.ts';
import { drawHabit, drawHouseStyle, drawNoise, NO_HABIT } from './habits.ts';
import { createNamer } from './names.ts';
import { PARAMETERS, type Parameters } from './parameters.ts';
import type { Operation, Place, PlaceKind, System, Traffic } from './system.ts';

export interface SystemSettings {
  readonly seed: string;
  readonly family: Family;
  /** Smallest and largest number of services. */
  readonly services: readonly [number, number];
  /** Whether traffic, clocks and losses are harsh: nights, skew, sampling, late spans. */
  readonly isHarsh: boolean;
  readonly adjust: Adjustments;
}

export const SHAPES = ['chain', 'fan', 'layers', 'deep layers', 'cycle', 'hub'] as const;
export type Shape = (typeof SHAPES)[number];

/** Draws a system. The same settings give the same system. */
export function buildSystem(settings: SystemSettings): System {
  const { seed, family, services, isHarsh, adjust } = settings;
  const random = createRandom(`system/${family}/${seed}`);
  const words = vocabularyOf(family);
  const parameters = { ...PARAMETERS[family], ...adjust.parameters };
  const namer = createNamer(random.fork('names'), words);
  const style = drawHouseStyle(random.fork('style'), parameters);
  const count = Math.round(logBetween(random, services[0], services[1]));
  const shape = pick(random, SHAPES);
  const parts = random.fork('places');
  const places: Place[] = [];
  const addPlace = (kind: PlaceKind): Place => {
    const isService = kind === 'service';
    const drawn: Place = {
      id: places.length,
      kind,
      name: namer.place(kind),
      instances: instancesOf(parts, isService ? wholeBetween(parts, ...parameters.instances) : 1),
      habit: isService ? drawHabit(parts, words, namer, style) : NO_HABIT,
      noise: drawNoise(parts, words, isService ? style : { ...style, noise: style.noise / 5 }),
      skewMs: isService && isHarsh && chance(parts, 0.1) ? between(parts, -180_000, 180_000) : 0,
      lateMs: isService && isHarsh && chance(parts, 0.1) ? logBetween(parts, 3_000, 45_000) : 0,
    };
    const place = adjust.place?.(drawn) ?? drawn;
    places.push(place);
    return place;
  };
  const layers = layersOf(random, shape, count).map((size) => Array.from({ length: size }, () => addPlace('service')));
  const operations: Operation[] = [];
  const addOperation = (place: Place): Operation => {
    const operation: Operation = {
      id: operations.length,
      place,
      name: namer.operation(place.kind),
      medianMs: logBetween(parts, ...parameters.workMs[place.kind]),
      sigma: between(parts, ...parameters.sigma),
      calls: [],
      isParallel: chance(parts, parameters.parallelShare),
    };
    operations.push(operation);
    return operation;
  };
  const byLayer = layers.map((layer) =>
    layer.flatMap((place) =>
      Array.from({ length: wholeBetween(parts, ...parameters.operations) }, () => addOperation(place)),
    ),
  );
  const optional = new Set(
    layers
      .slice(1)
      .flat()
      .filter(() => chance(parts, parameters.optionalShare)),
  );
  const isOptional = (place: Place) => optional.has(place);
  addCalls({ random: random.fork('calls'), isOptional, shape, byLayer, addPlace, addOperation, parameters });
  const [first = []] = byLayer;
  return {
    seed,
    family,
    shape,
    places,
    operations,
    entries: first.map((operation) => ({ operation, weight: logBetween(random, 0.3, 3) })),
    traffic: { ...drawTraffic(random.fork('traffic'), isHarsh, parameters), ...adjust.traffic },
    metricsEveryMs: pick(random, count > 20 ? [30_000, 60_000] : [10_000, 15_000, 30_000, 60_000]),
    networkMs: between(random, 0.2, 1.5),
  };
}

function instancesOf(random: Random, count: number): string[] {
  const isNumbered = chance(random, 0.4);
  return Array.from({ length: count }, (_, index) =>
    isNumbered ? String(index) : Math.floor(random.next() * 2 ** 31).toString(36),
  );
}

/** Sizes of the layers, entries first. */
function layersOf(random: Random, shape: Shape, count: number): number[] {
  const [fewest, most] = DEPTHS[shape];
  const depth = Math.max(
    2,
    Math.min(count, wholeBetween(random, fewest, shape === 'chain' ? Math.min(most, count) : most)),
  );
  const entries = Math.max(1, Math.min(3, Math.round(count / 10)));
  const sizes = Array.from({ length: depth }, (_, layer) => (layer === 0 ? entries : 1));
  for (let left = count - entries - depth + 1; left > 0; left -= 1) {
    const layer =
      shape === 'hub' ? pickWeighted(random, [[1, 1] as const, [2, 4] as const]) : wholeBetween(random, 1, depth - 1);
    const index = Math.min(layer, depth - 1);
    sizes[index] = (sizes[index] ?? 0) + 1;
  }
  return sizes;
}

const DEPTHS: Readonly<Record<Shape, readonly [number, number]>> = {
  chain: [4, 8],
  fan: [2, 2],
  layers: [3, 4],
  'deep layers': [5, 7],
  cycle: [3, 5],
  hub: [3, 3],
};

function drawTraffic(random: Random, isHarsh: boolean, { requestsPerSecond }: Parameters): Traffic {
  const isQuiet = isHarsh && chance(random, 0.2);
  return {
    perSecond: isQuiet ? logBetween(random, 0.1, 0.3) : logBetween(random, ...requestsPerSecond),
    wave: chance(random, 0.4) ? between(random, 0.2, 0.8) : 0,
    waveMs: between(random, 2, 8) * 3_600_000,
    sampledShare: isHarsh && !isQuiet && chance(random, 0.25) ? pick(random, [0.5, 0.25, 0.1]) : 1,
    lostShare: isHarsh && chance(random, 0.3) ? logBetween(random, 0.001, 0.02) : 0,
    lostBatchShare: 0,
    repeatedBatchShare: 0,
  };
}
