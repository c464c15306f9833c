import { OperatorError } from '../runtime/operator-error.ts';

/** The database cannot be opened. The message tells a person at a terminal what to do. */
export class DatabaseStartError extends OperatorError {
  override readonly name = 'DatabaseStartError';
}

/** PostgreSQL does not respond. */
export class DatabaseUnreachableError extends Error {
  override readonly name = 'DatabaseUnreachableError';
}

/** PostgreSQL did not answer in time: a connection, a free connection of the pool, or a statement. */
export class DatabaseTimeoutError extends Error {
  override readonly name = 'DatabaseTimeoutError';
}

/** The server answers, but accepts no writes. */
export class ReadOnlyServerError extends Error {
  override readonly name = 'ReadOnlyServerError';
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOENT: 'nothing listens there',
  ENOTFOUND: 'its host name is not known',
  EAI_AGAIN: 'its host name could not be looked up',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'no route to host',
  EHOSTDOWN: 'no route to host',
  ENETUNREACH: 'no route to host',
  ENETDOWN: 'no route to host',
  '28P01': 'it refused the user name or the password',
  '28000': 'it refused the user name or the password',
  '3D000': 'it has no database of that name',
  '53300': 'too many connections',
  '25006': 'it is read-only',
  '53100': 'it has no disk space left',
  '57014': 'it does not answer in time',
  '57P03': 'it is starting up or shutting down',
};

/** Why a connection failed, as a continuation of "PostgreSQL at …: ". Contains neither password nor address. */
export function describeConnectFailure(error: unknown): string {
  const code = errorCode(error);
  const known = code === null ? undefined : REASONS[code];
  if (known !== undefined) {
    return known;
  }
  if (error instanceof DatabaseTimeoutError || (error instanceof Error && /timeout/i.test(error.message))) {
    return 'it does not answer';
  }
  return error instanceof Error && error.message !== '' ? error.message : 'the connection failed';
}

/** The `code` of an error of Node, PostgreSQL or SQLite. An AggregateError gives that of its first error. */
export function errorCode(error: unknown): string | null {
  if (error instanceof AggregateError) {
    return errorCode(error.errors[0]);
  }
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
