/**
 * Node: no connection. PostgreSQL: classes 08 (no connection), 40 (deadlock), 53 (overload), 57 (shutdown, cancellation or
 * start).
 */
const TRANSIENT_CODE = /^(ECONN\w+|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|(08|40|53|57)\w{3})$/;

/** Errors of `pg` without a code, for a lost connection or a connect timeout. */
const TRANSIENT_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** Whether the error is transient, so that the same request may succeed later. */
export function isStorageUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) {
    return error.errors.some(isStorageUnavailable); // one error per address
  }
  if (!(error instanceof Error)) {
    return false;
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return TRANSIENT_CODE.test(code) || TRANSIENT_MESSAGE.test(error.message);
}
