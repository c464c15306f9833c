import { between, chance, logNormal, pick } from '../random.ts';
import type { Call, Operation, Place } from '../systems/system.ts';
import { nextSpan } from './emit.ts';
import { drawInstance, meet } from './mishaps.ts';
import type { Answer, Failure, Request, World } from './world.ts';

/** A call as its caller makes it. */
interface Attempt {
  readonly operation: Operation;
  readonly instance: number;
  readonly call: Call;
  readonly at: number;
  /** The span that it happens in, or null. */
  readonly parent: string | null;
}

/** Makes a call, again if it fails and is retried. Waits at most its timeout each time. */
export function call(world: World, request: Request, attempt: Attempt): Answer {
  if (attempt.call.queue !== null) {
    return publish(world, request, attempt, attempt.call.queue);
  }
  let { at } = attempt;
  for (let left = attempt.call.retries; ; left -= 1) {
    const span = nextSpan(request);
    const answer = limited(attempt.call, at, tryOnce(world, request, { ...attempt, at }, span));
    world.emit.called(request, { ...attempt, at, span, end: answer.at, failure: answer.failure });
    if (answer.failure === null || left === 0) {
      return answer;
    }
    at = answer.at + between(world.random, 10, 80);
  }
}

/** What the caller sees of a call, without its limit of patience. */
function tryOnce(world: World, request: Request, attempt: Attempt, span: string): Answer {
  const { random, effects, system } = world;
  const { operation, instance, at } = attempt;
  const { to } = attempt.call;
  const caller = effects.of(operation.place, instance, operation);
  const target = drawInstance(world, to.place);
  const callee = effects.of(to.place, target, to);
  const wayMs = system.networkMs * logNormal(random, 0.3);
  if (chance(random, caller.unresolvedShare)) {
    const reason = `${caller.reason} ${to.place.name}`;
    return failedAt(at + between(random, 1, 12), reason, 503, meet(world, request, operation.place, instance));
  }
  if (chance(random, callee.refusedShare)) {
    return failedAt(at + 2 * wayMs, callee.reason, 503, meetAhead(world, request, to.place, target));
  }
  if (chance(random, callee.hangingShare)) {
    return failedAt(Number.POSITIVE_INFINITY, TIMED_OUT, 504, meetAhead(world, request, to.place, target));
  }
  const lostMs = chance(random, callee.lostShare) ? lossMs(world) : 0;
  if (lostMs === Number.POSITIVE_INFINITY) {
    return failedAt(lostMs, TIMED_OUT, 504, meetAhead(world, request, to.place, target));
  }
  if (lostMs + callee.inMs > 0) {
    meetAhead(world, request, to.place, target);
  }
  if (caller.outMs > 0) {
    meet(world, request, operation.place, instance);
  }
  const slowMs = (callee.inMs + caller.outMs) * between(random, 0.8, 1.2);
  const spanOfCall = operation.place.habit.spans === 'all' ? span : attempt.parent;
  const answer = world.serve(world, request, to, target, at + wayMs + slowMs / 2 + lostMs, spanOfCall);
  const failure = answer.failure === null ? null : { ...answer.failure, ...passedOn(to.place, answer.failure) };
  return { at: answer.at + wayMs + slowMs / 2, failure };
}

const TIMED_OUT = 'deadline exceeded';

function failedAt(at: number, reason: string, status: Failure['status'], fault: number | null): Answer {
  return { at, failure: { reason, status, fault } };
}

/** The fault of a place that the request has not reached. */
function meetAhead(world: World, request: Request, place: Place, instance: number): number | null {
  request.way.push(place.name);
  const fault = meet(world, request, place, instance);
  request.way.pop();
  return fault;
}

/** What a failure of the callee is to its caller. */
function passedOn(place: Place, { status }: Failure): Pick<Failure, 'reason' | 'status'> {
  return { reason: `${place.name} answered ${status}`, status: status === 500 ? 500 : 502 };
}

/** Packets are sent again after 0.2 s, 0.4 s and so on; a third of the calls is lost for good. */
function lossMs({ random }: World): number {
  return chance(random, 1 / 3) ? Number.POSITIVE_INFINITY : pick(random, [200, 200, 600, 1_400]);
}

/** Patience ends. */
function limited({ timeoutMs }: Call, from: number, answer: Answer): Answer {
  if (answer.at - from <= timeoutMs) {
    return answer;
  }
  const failure: Failure = { reason: TIMED_OUT, status: 504, fault: answer.failure?.fault ?? null };
  return { at: from + timeoutMs, failure };
}

function publish(world: World, request: Request, attempt: Attempt, queue: NonNullable<Call['queue']>): Answer {
  const { random, effects, system } = world;
  const { call: made, at } = attempt;
  const span = nextSpan(request);
  const end = at + system.networkMs * logNormal(random, 0.3) + 0.5;
  world.emit.called(request, { ...attempt, span, end, failure: null });
  const waitMs = between(random, 5, 60) + effects.of(made.to.place, 0).backlogMs;
  const isSame = queue.trace === 'same';
  const parent = attempt.operation.place.habit.spans === 'all' ? span : attempt.parent;
  world.handOn({
    operation: made.to,
    at: end + waitMs,
    request: isSame ? request : null,
    parent: isSame ? parent : null,
  });
  return { at: end, failure: null };
}
