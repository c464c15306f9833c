import type { ResourceAttributes } from '../../core/resource-attributes.ts';
import { FATEFUL, type Fateful } from '../../core/telemetry-item.ts';

/** A value of a `FATEFUL` attribute, as `host=node-7`. */
export type Whereabouts = string;

/** Where something ran, in every way that it may share with others. */
export function whereaboutsOf(ranAt: ResourceAttributes): Whereabouts[] {
  return FATEFUL.flatMap((attribute) => {
    const value = ranAt[attribute];
    return value === undefined ? [] : [toWhereabouts(attribute, value)];
  });
}

export function toWhereabouts(attribute: Fateful, value: string): Whereabouts {
  return `${attribute}=${value}`;
}
