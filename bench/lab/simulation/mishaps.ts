import { chance, wholeBetween } from '../random.ts';
import type { Operation, Place } from '../systems/system.ts';
import type { Failure, Request, World } from './world.ts';

const NOISE_REASONS = ['temporary failure', 'conflict, try again', 'short read', 'stale handle', 'unexpected token'];

export function drawInstance({ random }: World, { instances }: Place): number {
  return instances.length === 1 ? 0 : wholeBetween(random, 0, instances.length - 1);
}

/** Whether the place itself fails a request: by its fault, else by noise, which may come in bursts. */
export function drawFailure(world: World, request: Request, operation: Operation, instance: number): Failure | null {
  const { random, effects, truths } = world;
  const { place } = operation;
  const { failedShare, reason } = effects.of(place, instance, operation);
  if (chance(random, failedShare)) {
    return { reason, status: reason.startsWith('HTTP 503') ? 503 : 500, fault: meet(world, request, place, instance) };
  }
  const { burst, failedShare: noise } = place.noise;
  if (truths.isInBurst(place) ? chance(random, 1 - 1 / burst) : chance(random, noise / burst)) {
    truths.setBurst(place, true);
    const text = NOISE_REASONS[place.id % NOISE_REASONS.length] ?? '';
    return { reason: text, status: 500, fault: null };
  }
  truths.setBurst(place, false);
  return null;
}

/** Notes that a request met the fault of a place. @returns the fault's position in the plan, or null */
export function meet({ effects, truths }: World, request: Request, place: Place, instance: number): number | null {
  const fault = effects.faultAt(place, instance);
  if (fault === null) {
    return null;
  }
  request.met.add(fault.id);
  truths.met(fault, request.way);
  return fault.id;
}
