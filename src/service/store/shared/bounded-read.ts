import { errorCode } from '../../../database/errors.ts';
import { PURPOSES } from '../../../database/purposes.ts';
import { QueryTooSlowError } from '../../core/errors.ts';

const QUERY_CANCELED = '57014';

/** Runs statements whose cost depends on what the caller asks for. @throws {QueryTooSlowError} */
export async function readWithinLimit<Result>(read: () => Promise<Result>): Promise<Result> {
  try {
    return await read();
  } catch (cause) {
    throw errorCode(cause) === QUERY_CANCELED
      ? new QueryTooSlowError(PURPOSES.reading.statementMs / 1_000, { cause })
      : cause;
  }
}
