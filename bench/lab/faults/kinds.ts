import type { Random } from '../random.ts';
import type { Place, System } from '../systems/system.ts';
import type { Family } from '../vocabulary/vocabulary.ts';
import { FAILING_KINDS } from './failing-kinds.ts';
import type { Effect } from './fault.ts';
import { HELD_KINDS } from './held-kinds.ts';
import { NETWORK_KINDS } from './network-kinds.ts';
import { PEER_KINDS } from './peer-kinds.ts';
import { RESOURCE_KINDS } from './resource-kinds.ts';
import { SLOW_KINDS } from './slow-kinds.ts';

/** A way to fail: where it can happen, and what it does there. */
export interface FaultKind {
  /** Whether it makes sense at a place; all kinds ask for traffic besides. */
  readonly suits: (place: Place, system: System) => boolean;
  readonly hitsOneInstance?: boolean;
  readonly hitsOneOperation?: boolean;
  readonly hasChange?: boolean;
  /** @returns what it does, by its progress from 0 to 1 */
  readonly draw: (random: Random, place: Place) => (progress: number) => Partial<Effect>;
}

const OPEN_KINDS: Readonly<Record<string, FaultKind>> = {
  ...FAILING_KINDS,
  ...SLOW_KINDS,
  ...NETWORK_KINDS,
  ...RESOURCE_KINDS,
  ...PEER_KINDS,
};

export const KINDS: Readonly<Record<Family, Readonly<Record<string, FaultKind>>>> = {
  open: OPEN_KINDS,
  held: { ...OPEN_KINDS, ...HELD_KINDS },
};
