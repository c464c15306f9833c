import type { ResourceAttribute } from './resource-attributes.ts';

/**
 * What lost and good requests are compared by, in the order in which it is shown. `operation`: of the service. `call`: the
 * caller's operation, where the service sent no span. `entry`: service and operation where the request came in.
 */
export type ComparedAttribute = ResourceAttribute | 'instance' | 'operation' | 'caller' | 'call' | 'entry';
export const COMPARED_ATTRIBUTES = [
  'version',
  'instance',
  'pod',
  'host',
  'zone',
  'region',
  'environment',
  'operation',
  'caller',
  'call',
  'entry',
] as const satisfies readonly ComparedAttribute[];

/** The requests that a service lost, beside those that went well there. Counts have the weights of sampling in them. */
export interface Comparison {
  readonly service: string;
  readonly lost: number;
  readonly good: number;
  /** Start of the time from which the good requests are; the lost ones are those of the present failure. */
  readonly since: number;
  /** How many requests it stands on: fewer than `lost` and `good`, if senders send a sample. */
  readonly kept: number;
  /** What could be compared. */
  readonly attributes: readonly ComparedAttribute[];
  /** What differs most, first; empty: nothing differs beyond chance. */
  readonly differences: readonly Difference[];
}

/** A value that lost requests have more often than good ones. */
export interface Difference {
  readonly attribute: ComparedAttribute;
  readonly value: string;
  /** Lost requests with the value, of those whose value is known. */
  readonly lost: number;
  readonly lostOf: number;
  readonly good: number;
  readonly goodOf: number;
}
