import { LRUCache } from 'lru-cache';
import type { SpanItem, TelemetryItem } from '../core/telemetry-item.ts';

/** Names that a sender may bring at once, and per minute after that. A name that is known costs nothing. */
const BURST = 2_000;
const PER_MINUTE = 500;
/** Names that are remembered for a sender; the oldest go first. */
const MAX_NAMES = 20_000;
/** At once, because a set that loses its first entry again and again gets slow. */
const EVICTED_NAMES = 2_000;
const MAX_SENDERS = 1_000;

/** The operation of spans whose own name is beyond the limit. */
export const OTHER_OPERATION = '(other)';

/**
 * Limits the names of operations, services and peers that one sender makes up, because correlation learns what is usual
 * for each. The signals of failed spans keep their names.
 */
export interface NameLimits {
  limit(sender: string | null, items: readonly TelemetryItem[], now: Date): Limited;
}

export interface Limited {
  readonly items: readonly TelemetryItem[];
  /** Spans that lost a name. */
  readonly folded: number;
}

interface Known {
  readonly names: Set<string>;
  credit: number;
  refilledAt: number;
}

export function createNameLimits(): NameLimits {
  const senders = new LRUCache<string, Known>({ max: MAX_SENDERS });

  function knownOf(sender: string, now: number): Known {
    const known = senders.get(sender) ?? { names: new Set(), credit: BURST, refilledAt: now };
    senders.set(sender, known);
    const minutes = Math.max(0, now - known.refilledAt) / 60_000; // the clock may be set back
    known.credit = Math.min(BURST, known.credit + minutes * PER_MINUTE);
    known.refilledAt = now;
    return known;
  }

  return {
    limit(sender, items, now) {
      const known = knownOf(sender ?? '', now.getTime());
      let folded = 0;
      const kept = items.flatMap((item): readonly TelemetryItem[] => {
        if (item.kind !== 'span') {
          return [item];
        }
        const limited = limitSpan(known, item);
        folded += limited === item ? 0 : 1;
        return limited === null ? [] : [limited];
      });
      return { items: folded === 0 ? items : kept, folded };
    },
  };
}

/** @returns null: its service is beyond the limit */
function limitSpan(known: Known, span: SpanItem): SpanItem | null {
  const { service, operation, peer } = span;
  if (!admit(known, service)) {
    return null;
  }
  const mayName = admit(known, `${service}\n${operation}`);
  const mayCall = peer === null || admit(known, `${service}>${peer}`);
  return mayName && mayCall
    ? span
    : { ...span, operation: mayName ? operation : OTHER_OPERATION, peer: mayCall ? peer : null };
}

function admit(known: Known, name: string): boolean {
  const { names } = known;
  if (names.has(name)) {
    return true;
  }
  if (known.credit < 1) {
    return false;
  }
  known.credit -= 1;
  names.add(name);
  if (names.size > MAX_NAMES) {
    for (const oldest of [...names].slice(0, EVICTED_NAMES)) {
      names.delete(oldest);
    }
  }
  return true;
}
