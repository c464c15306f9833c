import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import type { FrontDoor } from './front-door.ts';

export interface Deps {
  readonly config: Config;
  readonly logger: Logger;
  readonly now: () => Date;
  /** Told what is done next while the parts start, in a few words. */
  readonly onStep: (step: string) => void;
}

/** What every part beside local Slack uses. */
export interface Shared {
  readonly database: Database;
  readonly door: FrontDoor;
  readonly registry: Registry;
}
