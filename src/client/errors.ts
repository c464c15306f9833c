import type { Problem } from '../contract/problem.ts';

/**
 * What is known of the effect of a call that failed. `not-sent`: the service never saw it. `refused`: it said no.
 * `unknown`: a write may have happened, so read the state back before saying anything of it.
 */
export type Outcome = 'not-sent' | 'refused' | 'unknown';

interface Ending {
  /** Method and path, such as `POST /incidents/7/resolve`. */
  readonly call: string;
  readonly outcome: Outcome;
  readonly retryable: boolean;
  /** Absent: it was never sent. */
  readonly traceId?: string;
}

/** Base of the three ways in which a call fails. Nothing in them ever holds the API key. */
export abstract class ServiceClientError extends Error {
  readonly call: string;
  readonly outcome: Outcome;
  /** Whether the very same call is safe to make again and may end better. */
  readonly retryable: boolean;
  /** The trace that the call was sent in (W3C), to be found in the log of the service; null: it was in none. */
  readonly traceId: string | null;

  constructor(message: string, ending: Ending, options?: ErrorOptions) {
    super(`${ending.call}: ${message}`, options);
    this.call = ending.call;
    this.outcome = ending.outcome;
    this.retryable = ending.retryable;
    this.traceId = ending.traceId ?? null;
  }
}

/** No answer came: no connection, a broken one, or nothing in time. */
export class ServiceUnreachableError extends ServiceClientError {
  override readonly name = 'ServiceUnreachableError';
}

/** The service answered, and not with success. */
export class ServiceResponseError extends ServiceClientError {
  override readonly name = 'ServiceResponseError';
  readonly status: number;
  /** Read from a body of any kind; `title` is always there. */
  readonly problem: Problem;
  /** null: the service did not say. */
  readonly retryAfterSeconds: number | null;

  constructor(status: number, problem: Problem, retryAfterSeconds: number | null, ending: Ending) {
    const detail = problem.detail === undefined ? '' : `: ${problem.detail}`;
    super(`the service answered ${status} ${problem.title ?? ''}`.trimEnd() + detail, ending);
    this.status = status;
    this.problem = problem;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The service claims success with an answer that cannot be understood. Never retried. */
export class ContractViolationError extends ServiceClientError {
  override readonly name = 'ContractViolationError';

  constructor(message: string, call: string, options?: ErrorOptions) {
    super(message, { call, outcome: 'unknown', retryable: false }, options);
  }
}
