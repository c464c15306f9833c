import { between } from '../random.ts';
import type { FaultKind } from './kinds.ts';

/** Faults of places that send no telemetry: only their callers can tell. */
export const PEER_KINDS: Readonly<Record<string, FaultKind>> = {
  'database gone': {
    suits: ({ kind }) => kind === 'database',
    draw: () => () => ({ refusedShare: 1, reason: 'connection refused' }),
  },
  'database slow': {
    suits: ({ kind }) => kind === 'database',
    draw: (random) => {
      const selfMs = between(random, 150, 1_200);
      return () => ({ selfMs });
    },
  },
  'vendor fails': {
    suits: ({ kind }) => kind === 'vendor',
    draw: (random) => {
      const failedShare = between(random, 0.4, 1);
      return () => ({ failedShare, reason: 'HTTP 503' });
    },
  },
  'vendor slow': {
    suits: ({ kind }) => kind === 'vendor',
    draw: (random) => {
      const selfMs = between(random, 800, 4_000);
      return () => ({ selfMs });
    },
  },
  'cache cold': {
    suits: (place, { operations }) =>
      place.kind === 'cache' &&
      operations.some(({ calls }) =>
        calls.some((call, index) => call.to.place === place && calls.some((other) => other.onMissOf === index)),
      ),
    draw: (random) => {
      const selfMs = between(random, 20, 120);
      return () => ({ missShare: 1, selfMs });
    },
  },
  'cache gone': {
    suits: ({ kind }) => kind === 'cache',
    draw: () => () => ({ refusedShare: 1, reason: 'connection refused' }),
  },
  'optional callee gone': {
    suits: (place, { operations }) => {
      if (place.kind === 'cache') {
        return false;
      }
      const calls = operations.flatMap((operation) => operation.calls).filter((call) => call.to.place === place);
      return calls.length > 0 && calls.every((call) => call.isOptional);
    },
    draw: () => () => ({ refusedShare: 1, reason: 'connection refused' }),
  },
};
