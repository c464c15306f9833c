import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';

export interface Deps {
  readonly config: Config;
  readonly logger: Logger;
  readonly now: () => Date;
  /** Told what is done next while the parts start, in a few words. */
  readonly onStep: (step: string) => void;
}
