import {
  ContractViolationError,
  NotOfferedError,
  ServiceClientError,
  ServiceResponseError,
  ServiceUnreachableError,
} from '../../client/errors.ts';
import type { KeptReason, RefusedReason } from '../domain/action.ts';

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
  if (!(error instanceof ServiceResponseError) || isKeyRefused(error)) {
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

/** Whether a failed write may have happened, or was refused because another write came first. */
export function isWorthReadingBack(error: unknown): boolean {
  return (
    error instanceof ServiceClientError &&
    (error.effect === 'unknown' || (error instanceof ServiceResponseError && error.status === 409))
  );
}

/** Whether the incident changed between reading and writing. */
export function isOvertaken(error: unknown): boolean {
  return error instanceof ServiceResponseError && error.status === 412;
}

/** Whether the write certainly did not happen. */
export function isRefusal(error: unknown): boolean {
  return error instanceof ServiceClientError && error.effect === 'refused';
}

/** A 2xx with an unreadable body. It does not confirm a write, because a proxy's sign-in page looks the same. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof ContractViolationError;
}
