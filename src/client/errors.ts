import type { Problem } from '../contract/problem.ts';

/**
 * The effect of a failed call. `not-sent`: the service never received it. `refused`: the service rejected it. `unknown`: a
 * write may have happened, so the state must be read back.
 */
export type Effect = 'not-sent' | 'refused' | 'unknown';

interface Ending {
  /** Method and path, such as `POST /incidents/7/resolve`. */
  readonly call: string;
  readonly effect: Effect;
  readonly retryable: boolean;
  /** Absent: the call was never sent. */
  readonly traceId?: string;
}

/** Base class of the three kinds of failure. They never contain the API key. */
export abstract class ServiceClientError extends Error {
  readonly call: string;
  readonly effect: Effect;
  /** Whether the call can be repeated safely and may then succeed. */
  readonly retryable: boolean;
  /** W3C trace id of the call, for the log of the service; null: the call was never sent. */
  readonly traceId: string | null;

  constructor(message: string, ending: Ending, options?: ErrorOptions) {
    super(`${ending.call}: ${message}`, options);
    this.call = ending.call;
    this.effect = ending.effect;
    this.retryable = ending.retryable;
    this.traceId = ending.traceId ?? null;
  }
}

/** No response: no connection, a broken connection, or a timeout. */
export class ServiceUnreachableError extends ServiceClientError {
  override readonly name = 'ServiceUnreachableError';
}

/** A response with an error status. */
export class ServiceResponseError extends ServiceClientError {
  override readonly name: string = 'ServiceResponseError';
  readonly status: number;
  /** Parsed from any kind of body; `title` is always set. */
  readonly problem: Problem;
  /** null: no `Retry-After`. */
  readonly retryAfterSeconds: number | null;

  constructor(status: number, problem: Problem, retryAfterSeconds: number | null, ending: Ending) {
    const detail = problem.detail === undefined ? '' : `: ${problem.detail}`;
    super(`the service answered ${status} ${problem.title ?? ''}`.trimEnd() + detail, ending);
    this.status = status;
    this.problem = problem;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The service does not know this route, which is one of our additions to the API document. Nothing was changed. */
export class NotOfferedError extends ServiceResponseError {
  override readonly name: string = 'NotOfferedError';
}

/** A 2xx response that breaks the contract. Never retried. */
export class ContractViolationError extends ServiceClientError {
  override readonly name = 'ContractViolationError';

  constructor(message: string, call: string, options?: ErrorOptions) {
    super(message, { call, effect: 'unknown', retryable: false }, options);
  }
}
