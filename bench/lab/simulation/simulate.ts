import type { Row } from '../../correlation/rows.ts';
import type { Fault } from '../faults/fault.ts';
import { chance, createRandom, pickWeighted, type Random } from '../random.ts';
import type { System } from '../systems/system.ts';
import { createArrivals } from './arrivals.ts';
import { createEffects } from './effects.ts';
import { createEmitter, iso } from './emit.ts';
import { createMetrics } from './metrics.ts';
import { createTruths, type Truth } from './truths.ts';
import { enter, serve } from './walk.ts';
import type { QueuedWork, Request, World } from './world.ts';

export interface Simulation {
  /** In order of arrival. To be read once. */
  readonly rows: Iterable<Row>;
  /** What each fault did; complete once all rows are read. */
  readonly truths: () => Truth[];
}

const LAST_ARRIVALS_MS = 300_000;
/** Walks are made this far ahead of the rows that are handed out; a batch is not sent earlier than its spans end. */
const STEP_MS = 1_000;

/**
 * Lets requests walk through a system while faults come and go.
 *
 * @param from start and `to` end of the traffic, in milliseconds since 1970
 * @param name another name makes other requests, with ids of their own
 */
export function simulate(
  system: System,
  faults: readonly Fault[],
  from: number,
  to: number,
  name = 'walk',
): Simulation {
  const random = createRandom(`${name}/${system.family}/${system.seed}`);
  const effects = createEffects(faults);
  const truths = createTruths(faults);
  const arrivals = createArrivals();
  const metrics = createMetrics(system, random.fork('metrics'), effects, from, arrivals.add);
  const emit = createEmitter({
    system,
    random: random.fork('emit'),
    effects,
    send: arrivals.add,
    count: metrics.count,
  });
  const queued: QueuedWork[] = [];
  const world: World = { system, random, effects, emit, truths, serve, handOn: (work) => queued.push(work) };
  const idle = random.fork('idle');
  function* rows(): Generator<Row> {
    let nextAt = from;
    let nextMetricsAt = from + system.metricsEveryMs;
    for (let at = from; at < to; at += STEP_MS) {
      effects.moveTo(at);
      announceChanges(faults, at, arrivals.add);
      for (; nextAt < at + STEP_MS; nextAt += gapMs(system, random, nextAt - from, effects.surge())) {
        const entry = pickWeighted(
          random,
          system.entries.map(({ operation, weight }) => [operation, weight] as const),
        );
        enter(world, entry, nextAt, newRequest(world));
      }
      consume(world, queued);
      writeIdleLines(world, idle, at);
      if (at >= nextMetricsAt) {
        metrics.report(at);
        nextMetricsAt += system.metricsEveryMs;
      }
      yield* arrivals.until(at);
    }
    yield* arrivals.until(to + LAST_ARRIVALS_MS);
  }
  return { rows: { [Symbol.iterator]: rows }, truths: truths.list };
}

/** Time to the next request. */
function gapMs({ traffic }: System, { next }: Random, sinceStartMs: number, surge: number): number {
  const wave = 1 + traffic.wave * Math.sin((2 * Math.PI * sinceStartMs) / traffic.waveMs);
  return (-Math.log(1 - next()) * 1_000) / (traffic.perSecond * wave * surge);
}

function newRequest({ random, system }: World): Request {
  const digits = () =>
    Math.floor(random.next() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  return {
    traceId: digits() + digits() + digits() + digits(),
    isSampled: chance(random, system.traffic.sampledShare),
    way: [],
    met: new Set(),
    spans: 0,
  };
}

function consume(world: World, queued: QueuedWork[]): void {
  for (let work = queued.shift(); work !== undefined; work = queued.shift()) {
    const { operation, at, request, parent } = work;
    if (request === null) {
      enter(world, operation, at, newRequest(world));
    } else {
      serve(world, request, operation, 0, at, parent);
    }
  }
}

/** Lines that no request causes: permanent errors of healthy services, and those of faults. */
function writeIdleLines({ system, effects, emit }: World, random: Random, at: number): void {
  for (const place of system.places) {
    const { idleErrorsPerMinute, idleError } = place.noise;
    if (place.kind === 'service' && chance(random, (idleErrorsPerMinute * STEP_MS) / 60_000)) {
      emit.line(place, 0, at, idleError, 'ERROR');
    }
    for (const instance of place.instances.keys()) {
      for (const { perMinute, text } of effects.of(place, instance).lines) {
        if (chance(random, (perMinute * STEP_MS) / 60_000)) {
          emit.line(place, instance, at, text, text.split(' ')[0] ?? '');
        }
      }
    }
  }
}

function announceChanges(faults: readonly Fault[], at: number, send: (row: Row, at: number) => void): void {
  for (const { hasChange, from, place } of faults) {
    if (hasChange && from >= at && from < at + STEP_MS) {
      const about = {
        kind: 'change',
        service: place.name,
        timestamp: iso(from),
        name: `deploy ${place.name}`,
      } as const;
      send(about, from);
    }
  }
}
