import type { Logger } from 'pino';
import type { Service } from '../service/service.ts';

/**
 * Makes sure that an empty database gets a first API key: `BOOTSTRAP_API_KEY` if it is set, otherwise a new key.
 *
 * @param options.mayMake false if keys are provided in another way
 * @returns the new key, to be shown once; null: none was created
 */
export async function provideFirstKey(options: {
  readonly service: Service;
  readonly bootstrapKey: string | null;
  readonly mayMake: boolean;
  readonly logger: Logger;
}): Promise<string | null> {
  const { service, bootstrapKey, mayMake, logger } = options;
  if (bootstrapKey === null) {
    return mayMake ? service.createFirstKey(null) : null;
  }
  if ((await service.createFirstKey(bootstrapKey)) !== null) {
    logger.info('BOOTSTRAP_API_KEY was stored as the first API key');
  } else if (!(await service.isValidKey(bootstrapKey))) {
    logger.warn('BOOTSTRAP_API_KEY is ignored: the database already has API keys, and this is not a valid one');
  }
  return null;
}
