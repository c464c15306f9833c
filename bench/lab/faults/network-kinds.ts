import { between } from '../random.ts';
import type { Place } from '../systems/system.ts';
import type { FaultKind } from './kinds.ts';

const isService = ({ kind }: Place) => kind === 'service';
const callsOthers = (
  place: Place,
  operations: readonly { readonly place: Place; readonly calls: readonly unknown[] }[],
) => operations.some((operation) => operation.place === place && operation.calls.length > 0);

/** Faults between places: the ones at both ends are well. */
export const NETWORK_KINDS: Readonly<Record<string, FaultKind>> = {
  'dead process': {
    suits: isService,
    draw: () => () => ({ refusedShare: 1, reason: 'connect ECONNREFUSED' }),
  },
  hang: { suits: isService, draw: () => () => ({ hangingShare: 1 }) },
  'slow network in': {
    suits: isService,
    draw: (random) => {
      const inMs = between(random, 100, 900);
      return () => ({ inMs });
    },
  },
  'slow network out': {
    suits: (place, { operations }) => isService(place) && callsOthers(place, operations),
    draw: (random) => {
      const outMs = between(random, 100, 900);
      return () => ({ outMs });
    },
  },
  'packet loss': {
    suits: isService,
    draw: (random) => {
      const lostShare = between(random, 0.2, 0.5);
      return () => ({ lostShare });
    },
  },
  'name resolution fails': {
    suits: (place, { operations }) => isService(place) && callsOthers(place, operations),
    draw: (random) => {
      const unresolvedShare = between(random, 0.7, 1);
      return () => ({ unresolvedShare, reason: 'getaddrinfo ENOTFOUND' });
    },
  },
  'expired certificate': {
    suits: ({ kind }) => kind === 'service' || kind === 'vendor',
    draw: () => () => ({ refusedShare: 1, reason: 'certificate has expired' }),
  },
};
