import type { Logger } from 'pino';
import type { ServiceClient } from '../../client/service-client.ts';
import type { Delivery } from '../service-writes/service-writes.ts';
import type { SlackApi } from '../slack/methods.ts';
import type { People } from '../slack/people.ts';
import type { Store } from '../store/store.ts';
import type { Health } from '../views/health.ts';

/** What listeners work with. `api` is the lane of people: nothing in the background uses it. */
export interface ListenerDeps {
  readonly service: ServiceClient;
  readonly store: Store;
  readonly delivery: Delivery;
  readonly people: People;
  readonly health: () => Promise<Health>;
  readonly api: SlackApi;
  readonly logger: Logger;
  readonly now: () => Date;
}
