import { STATUS_CODES } from 'node:http';
import type { Logger } from 'pino';
import type { Problem } from '../../contract/problem.ts';
import { DomainError } from '../core/errors.ts';
import { describeUnavailable, isStorageUnavailable } from '../store/shared/unavailable.ts';

/** The only place that maps errors to HTTP statuses. Codes are part of the API: never renamed. */
export const STATUS_BY_CODE = {
  'invalid-query': 400,
  'invalid-json': 400,
  'invalid-idempotency-key': 400,
  unauthorized: 401,
  'insufficient-scope': 403,
  'not-found': 404,
  'incident-not-found': 404,
  'signal-not-found': 404,
  'integration-not-found': 404,
  'delivery-not-found': 404,
  'mute-not-found': 404,
  'person-not-found': 404,
  'schedule-not-found': 404,
  'override-not-found': 404,
  'swap-not-found': 404,
  'feed-not-found': 404,
  'policy-not-found': 404,
  'way-not-found': 404,
  'attempt-not-found': 404,
  'method-not-allowed': 405,
  'incident-closed': 409,
  'incident-merged': 409,
  'incident-not-merged': 409,
  'same-incident': 409,
  'other-system': 409,
  'too-many-notes': 409,
  'too-many-changes': 409,
  'too-many-cards': 409,
  'too-many-mutes': 409,
  'too-many-schedules': 409,
  'too-many-overrides': 409,
  'too-many-feeds': 409,
  'schedule-name-taken': 409,
  'schedule-in-use': 409,
  'swap-answered': 409,
  'too-many-policies': 409,
  'policy-name-taken': 409,
  'too-many-ways': 409,
  'request-in-flight': 409,
  'not-a-webhook': 409,
  'integration-disabled': 409,
  'event-gone': 410,
  'incident-changed': 412,
  'schedule-changed': 412,
  'request-expired': 412,
  'body-too-large': 413,
  'unsupported-media-type': 415,
  'invalid-body': 422,
  'empty-layer': 422,
  'invalid-way': 422,
  'wrong-code': 422,
  'idempotency-key-reused': 422,
  'rate-limited': 429,
  'too-many-reads': 429,
  'too-many-tests': 429,
  'too-many-streams': 429,
  'client-gone': 499, // not a registered status; nobody receives it
  internal: 500,
  'storage-unavailable': 503,
  'query-too-slow': 503,
  overloaded: 503,
  'mapping-paused': 503,
} as const satisfies Readonly<Record<string, number>>;

export type ProblemCode = keyof typeof STATUS_BY_CODE;

/** How long a sender should wait when storage is behind or unreachable, or too much is sent at once. */
const RETRY_AFTER_SECONDS = '2';

/** A request that is invalid by itself. The caller sees the message. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly code: ProblemCode;
  readonly errors: Problem['errors'];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ProblemCode,
    message: string,
    extra: { readonly errors?: Problem['errors']; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.code = code;
    this.errors = extra.errors;
    this.headers = extra.headers ?? {};
  }
}

/** The public part of an error, independent of the response format. */
export interface Fault {
  readonly code: ProblemCode;
  readonly detail?: string;
  readonly errors?: Problem['errors'];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Unexpected errors are logged and not shown. */
export function faultOf(error: unknown, requestId: string, logger: Logger): Fault {
  if (error instanceof RequestError) {
    return { code: error.code, detail: error.message, errors: error.errors, headers: error.headers };
  }
  if (error instanceof DomainError && isProblemCode(error.code)) {
    return describeFault(error.code, error.message);
  }
  logger.error({ err: error, requestId }, 'request failed');
  return isStorageUnavailable(error)
    ? describeFault('storage-unavailable', `${describeUnavailable(error)}; try again`)
    : { code: 'internal' };
}

function describeFault(code: ProblemCode, detail: string): Fault {
  return STATUS_BY_CODE[code] === 503 || STATUS_BY_CODE[code] === 429
    ? { code, detail, headers: { 'retry-after': RETRY_AFTER_SECONDS } }
    : { code, detail };
}

/** Problem details (RFC 9457). */
export function problemResponse(error: unknown, requestId: string, logger: Logger): Response {
  const { code, detail, errors, headers } = faultOf(error, requestId, logger);
  const status = STATUS_BY_CODE[code];
  const problem: Problem = {
    type: 'about:blank',
    title: STATUS_CODES[status],
    status,
    code,
    detail,
    request_id: requestId,
    errors,
  };
  return Response.json(problem, { status, headers: { ...headers, 'content-type': 'application/problem+json' } });
}

function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(STATUS_BY_CODE, code);
}
