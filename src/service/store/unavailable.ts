/** Faults of the connection, as Node and PostgreSQL name them: classes 08 and 53, 57P (shut down, starting up). */
const CONNECTION_CODE = /^(ECONN\w+|ENOENT|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN|08\w{3}|53\w{3}|57P\w{2})$/;

/** What `pg` throws without a code when a connection breaks or cannot be had in time. */
const CONNECTION_MESSAGE =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** True when the database could not be asked, so that the same request may succeed later. */
export function isStorageUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) {
    return error.errors.some(isStorageUnavailable); // one for each address that was tried
  }
  if (!(error instanceof Error)) {
    return false;
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return CONNECTION_CODE.test(code) || CONNECTION_MESSAGE.test(error.message);
}
