/** Of Node: no connection. Of PostgreSQL: class 08 the same, 40 deadlock, 53 overloaded, 57 stopped, cancelled or not up yet. */
const PASSING_CODE = /^(ECONN\w+|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|(08|40|53|57)\w{3})$/;

/** What `pg` throws without a code when a connection breaks or cannot be had in time. */
const PASSING_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** True when the database could not do it now, so that the same request may succeed later. */
export function isStorageUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) {
    return error.errors.some(isStorageUnavailable); // one for each address that was tried
  }
  if (!(error instanceof Error)) {
    return false;
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return PASSING_CODE.test(code) || PASSING_MESSAGE.test(error.message);
}
