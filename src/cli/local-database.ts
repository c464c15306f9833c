import { type Config, readConfig } from '../config/config.ts';
import { type Database, openDatabase } from '../database/database.ts';
import { createLogger } from '../runtime/logger.ts';
import { CommandError } from './errors.ts';

/**
 * Opens the database of the service of this machine.
 *
 * @param what is stored there, for the error
 * @throws OperatorError when the service is remote, a setting is wrong, or the database cannot be opened
 */
export async function openLocalDatabase(
  env: Readonly<Record<string, string | undefined>>,
  what: string,
): Promise<{ config: Config; database: Database }> {
  const config = readConfig(env, ['service']);
  if (config.service.kind === 'remote') {
    throw new CommandError(
      `INCIDENTS_BASE_URL names a remote service, and ${what} are stored where the service runs: run this command there`,
    );
  }
  return { config, database: await openDatabase({ ...config.database, logger: createLogger('warn') }) };
}
