import { createHash } from 'node:crypto';
import type { Fault } from './faults.ts';

export const CALL_FAULTS = ['rate_limited', 'stored-then-502', 'error', 'latency'] as const;
export const PLANNED_FAULTS = [...CALL_FAULTS, 'dropped-ack', 'duplicate-event'] as const;

/** Random faults. The same seed gives the same calls the same faults. */
export interface FaultPlan {
  readonly seed: string;
  /** Probability that a call or delivery fails, 0 to 1. */
  readonly rate: number;
  readonly kinds: readonly (typeof PLANNED_FAULTS)[number][];
  /** Absent: every method. */
  readonly methods?: readonly string[] | undefined;
}

export interface PlannedFaults {
  forCall(method: string): Fault | null;
  dropsAck(): boolean;
  doublesEvent(): boolean;
}

/**
 * The fault of the n-th call of a method depends only on the seed, the method and n. Two runs whose calls interleave
 * differently still get the same faults.
 */
export function followPlan({ seed, rate, kinds, methods }: FaultPlan): PlannedFaults {
  const counts = new Map<string, number>();
  const callKinds = CALL_FAULTS.filter((kind) => kinds.includes(kind));

  /** Gives numbers from 0 up to 1 for this turn, or null when it passes without a fault. */
  function draw(stream: string): ((what: string) => number) | null {
    const turn = counts.get(stream) ?? 0;
    counts.set(stream, turn + 1);
    const chance = (what: string): number => fraction(JSON.stringify([seed, stream, turn, what]));
    return chance('whether') < rate ? chance : null;
  }

  return {
    forCall(method) {
      const isMeant = methods === undefined || methods.includes(method);
      const chance = isMeant && callKinds.length > 0 ? draw(`call ${method}`) : null;
      const kind = chance === null ? undefined : callKinds[Math.floor(chance('kind') * callKinds.length)];
      switch (kind) {
        case 'rate_limited':
          return { kind, retryAfterSeconds: 1 + Math.floor((chance?.('size') ?? 0) * 30) };
        case 'latency':
          return { kind, ms: 100 + Math.floor((chance?.('size') ?? 0) * 2_900) };
        case 'error':
          return { kind, error: 'internal_error' };
        case 'stored-then-502':
          return { kind };
        case undefined:
          return null;
      }
    },
    dropsAck: () => kinds.includes('dropped-ack') && draw('ack') !== null,
    doublesEvent: () => kinds.includes('duplicate-event') && draw('event') !== null,
  };
}

function fraction(text: string): number {
  return createHash('sha256').update(text).digest().readUIntBE(0, 6) / 2 ** 48;
}
