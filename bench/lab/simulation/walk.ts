import { NO_EFFECT } from '../faults/fault.ts';
import { between, chance, logNormal } from '../random.ts';
import type { Call, Operation } from '../systems/system.ts';
import { call } from './call.ts';
import { nextSpan } from './emit.ts';
import { drawFailure, drawInstance, meet } from './mishaps.ts';
import type { Answer, Failure, Request, World } from './world.ts';

/** Share of its own work that a place does before its calls. */
const BEFORE_CALLS = 0.4;

/** A request enters the system, or a message starts a trace of its own. */
export function enter(world: World, operation: Operation, at: number, request: Request): Answer {
  const answer = serve(world, request, operation, drawInstance(world, operation.place), at, null);
  world.truths.requestEnded(operation, request, at, answer);
  return answer;
}

/** Serves a request at one instance of a place, with all the calls that it takes. */
export function serve(
  world: World,
  request: Request,
  operation: Operation,
  instance: number,
  at: number,
  parent: string | null,
): Answer {
  const { place } = operation;
  const { random } = world;
  const effect = world.effects.of(place, instance, operation);
  request.way.push(place.name);
  if (effect !== NO_EFFECT && (effect.selfMs > 0 || effect.selfFactor > 1)) {
    meet(world, request, place, instance);
  }
  const pause = chance(random, place.noise.pauseShare) ? place.noise.pauseMs : 0;
  const own =
    operation.medianMs * logNormal(random, operation.sigma) * effect.selfFactor +
    effect.selfMs * between(random, 0.8, 1.2) +
    pause;
  const span = nextSpan(request);
  const isSpanned = place.habit.spans !== 'none';
  const parentOfCalls = isSpanned ? span : parent;
  const beforeCalls = at + own * BEFORE_CALLS;
  const ownFailure = drawFailure(world, request, operation, instance);
  const after: Answer =
    ownFailure === null
      ? makeCalls(world, request, operation, instance, beforeCalls, parentOfCalls)
      : { at: beforeCalls, failure: ownFailure };
  const end = after.at + own * (1 - BEFORE_CALLS);
  const isRejected = after.failure === null && chance(random, place.noise.rejectedShare);
  const served = { operation, instance, from: at, to: end, failure: after.failure, isRejected };
  world.emit.served(request, { ...served, span, parent, isOwnFailure: ownFailure !== null });
  request.way.pop();
  return { at: end, failure: after.failure };
}

function makeCalls(
  world: World,
  request: Request,
  operation: Operation,
  instance: number,
  from: number,
  parent: string | null,
): Answer {
  let at = from;
  let latest = from;
  let failure: Failure | null = null;
  const missed = new Set<number>();
  for (const [index, one] of operation.calls.entries()) {
    if (!isMade(world, one, missed)) {
      continue;
    }
    const answer = call(world, request, { operation, instance, call: one, at, parent });
    latest = Math.max(latest, answer.at);
    if (isMiss(world, one, answer)) {
      missed.add(index);
    }
    if (answer.failure !== null && !one.isOptional) {
      failure = answer.failure;
      break;
    }
    // A cache is asked before anything else is.
    at = operation.isParallel && one.to.place.kind !== 'cache' ? at : latest;
  }
  return { at: latest, failure };
}

function isMade({ random }: World, { onMissOf, share }: Call, missed: ReadonlySet<number>): boolean {
  return onMissOf === null ? share === 1 || chance(random, share) : missed.has(onMissOf);
}

const USUAL_MISSES = 0.15;

function isMiss({ random, effects }: World, { to: { place } }: Call, { failure }: Answer): boolean {
  if (place.kind !== 'cache') {
    return false;
  }
  return failure !== null || chance(random, effects.of(place, 0).missShare ?? USUAL_MISSES);
}
