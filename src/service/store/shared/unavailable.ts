import { DatabaseTimeoutError, describeConnectFailure, ReadOnlyServerError } from '../../../database/errors.ts';
import { LogUnavailableError } from '../../core/errors.ts';

/**
 * Node: no connection. PostgreSQL: classes 08 (no connection), 40 (deadlock), 53 (overload, full disk), 57 (shutdown,
 * cancellation or start), 58 (its disk or its system failed), and a server that became read-only, as one does after a
 * failover.
 */
const TRANSIENT_CODE =
  /^(ECONN\w+|ENOENT|EPIPE|ETIMEDOUT|E(HOST|NET)(UNREACH|DOWN)|ENOTFOUND|EAI_AGAIN|(08|40|53|57|58)\w{3}|25006)$/;

/** Errors of `pg` without a code, for a lost connection or a connect timeout. */
const TRANSIENT_MESSAGE =
  /^(Connection terminated|The server does not support SSL connections|There was an error establishing an SSL connection|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed and is not queryable)/;

/** Whether the error is transient, so that the same request may succeed later. */
export function isStorageUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) {
    return error.errors.some(isStorageUnavailable); // one error per address
  }
  if (!(error instanceof Error)) {
    return false;
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const isOurs =
    error instanceof DatabaseTimeoutError ||
    error instanceof ReadOnlyServerError ||
    error instanceof LogUnavailableError;
  return isOurs || TRANSIENT_CODE.test(code) || TRANSIENT_MESSAGE.test(error.message);
}

/** Why nothing can be stored or read now, for callers. Contains no address. */
export function describeUnavailable(error: unknown): string {
  if (error instanceof LogUnavailableError) {
    return error.message;
  }
  const reason = describeConnectFailure(error);
  return /^(it is read-only|it has no disk space left|it does not answer.*)$/.test(reason)
    ? `the database cannot be used now: ${reason}`
    : 'the database cannot be reached now';
}

/** PostgreSQL: serialization failure, deadlock, and timeout while waiting for a lock. */
const CONFLICTS: ReadonlySet<string> = new Set(['40001', '40P01', '55P03']);

/** Whether two transactions conflicted, so that an immediate retry may succeed. */
export function isConflict(error: unknown): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && CONFLICTS.has(error.code);
}
