import type { Parameters } from './parameters.ts';
import type { Place, Traffic } from './system.ts';

/** What is set instead of drawn. */
export interface Adjustments {
  readonly parameters?: Partial<Parameters>;
  readonly traffic?: Partial<Traffic>;
  readonly place?: (drawn: Place) => Place;
}
