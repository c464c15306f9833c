import {
  ContractViolationError,
  NotOfferedError,
  ServiceClientError,
  ServiceResponseError,
  ServiceUnreachableError,
} from '../../client/errors.ts';
import type { Failure } from '../../effects/carry-out.ts';
import type { KeptReason, RefusedReason } from './action.ts';

export function keptReason(error: ServiceClientError): KeptReason {
  if (error instanceof ServiceUnreachableError) {
    return 'unreachable';
  }
  return isKeyRefused(error) ? 'key' : 'failing';
}

export function isKeyRefused(error: unknown): boolean {
  return error instanceof ServiceResponseError && (error.status === 401 || error.status === 403);
}

/** The reason why the service refused the action for good. @returns null: a retry may succeed */
export function refusedReason(error: ServiceClientError): RefusedReason | null {
  if (!(error instanceof ServiceResponseError) || isKeyRefused(error) || error.effect === 'unknown') {
    return null;
  }
  if (error instanceof NotOfferedError) {
    return { kind: 'not-offered' };
  }
  if (error.status === 404 || error.status === 410) {
    return { kind: 'unknown-incident' };
  }
  const isFinal = error.status >= 400 && error.status < 500 && ![408, 412, 425, 429].includes(error.status);
  return isFinal ? { kind: 'rejected', detail: error.problem.detail ?? error.problem.title ?? null } : null;
}

/** A 409 may mean that another write came first, or an earlier attempt, so the state is read again. */
export function failureOf(error: unknown): Failure | null {
  if (!(error instanceof ServiceClientError)) {
    return null;
  }
  const status = error instanceof ServiceResponseError ? error.status : null;
  if (status === 412) {
    return 'overtaken';
  }
  return error.effect === 'unknown' || status === 409 ? 'unknown' : 'nothing done';
}

/** Whether the write certainly did not happen. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ServiceClientError && error.effect === 'refused';
}

/** A 2xx with an unreadable body. It does not confirm a write, because a proxy's sign-in page looks the same. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof ContractViolationError;
}
