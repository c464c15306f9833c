import type { Logger } from 'pino';
import type { Service } from './service/service.ts';

/**
 * Sees to it that somebody can get in: an empty store takes `BOOTSTRAP_API_KEY`, or a key is made.
 *
 * @param options.mayMake whether nobody else provides keys here
 * @returns the key that was made, to be shown this once; null: none was
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
    logger.info('BOOTSTRAP_API_KEY is now the first API key');
  } else if (!(await service.isValidKey(bootstrapKey))) {
    logger.warn('BOOTSTRAP_API_KEY is ignored: there are API keys already, and none that works is this one');
  }
  return null;
}
