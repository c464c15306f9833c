import { hash } from 'node:crypto';
import type { LogItem } from '../../core/telemetry-item.ts';
import { dropOldest, increase } from '../bounded-map.ts';
import { LIMITS } from '../constants.ts';
import { HASH_CHARACTERS, LOST_SLOTS } from './constants.ts';

/** Lines of a span, or of a service in a trace, that has not come. */
export interface WaitingLines {
  readonly traceId: string;
  /** Who sent the first of them. */
  readonly sender: string;
  readonly service: string;
  /** Slot in which the first of them was written. */
  readonly slot: number;
  readonly features: Map<string, number>;
}

/** Equal lines of a span that never came, or came late. */
export interface LostLines {
  readonly sender: string;
  readonly service: string;
  readonly feature: string;
  readonly lines: number;
}

/**
 * Keeps a line until its span comes, or one of its service.
 *
 * @returns false when too many wait
 */
export function addWaitingLine(
  lines: Map<string, WaitingLines>,
  key: string,
  { traceId, sender, service, slot, feature }: Omit<WaitingLines, 'features'> & Pick<LostLines, 'feature'>,
): boolean {
  const known = lines.get(key);
  if (known === undefined && lines.size >= LIMITS.pending) {
    return false;
  }
  const own = known ?? { traceId, sender, service, slot, features: new Map() };
  increase(own.features, feature, 1, LIMITS.features);
  lines.set(key, own);
  return true;
}

/**
 * Takes out the lines of a span.
 *
 * @param runKey of the lines that name no span: the first span of their service has them
 */
export function takeLines(
  lines: Map<string, WaitingLines>,
  spanKey: string,
  runKey: string,
): ReadonlyMap<string, number> {
  const own = take(lines, spanKey);
  const others = take(lines, runKey);
  if (own === null || others === null) {
    return own ?? others ?? NO_LINES;
  }
  for (const [feature, count] of others) {
    increase(own, feature, count, LIMITS.features);
  }
  return own;
}

function take(lines: Map<string, WaitingLines>, key: string): Map<string, number> | null {
  const taken = lines.get(key);
  lines.delete(key);
  return taken?.features ?? null;
}

const NO_LINES: ReadonlyMap<string, number> = new Map();

/**
 * Takes out the lines whose span has not come for a while.
 *
 * @param isPending whether a trace has not been judged: its lines wait as long as its spans do
 */
export function takeLost(
  lines: Map<string, WaitingLines>,
  slotNow: number,
  isPending: (traceId: string) => boolean,
): LostLines[] {
  const lastSlot = slotNow - LOST_SLOTS;
  const lost: LostLines[] = [];
  for (const [key, { traceId, sender, service, slot, features }] of lines) {
    if (slot > lastSlot) {
      break; // the rest is younger, or lost a little later
    }
    if (isPending(traceId)) {
      continue;
    }
    lines.delete(key);
    lost.push(...[...features].map(([feature, count]) => ({ sender, service, feature, lines: count })));
  }
  return lost;
}

/** Whether a line came before: senders repeat a batch whose answer they did not get. Spans have ids for that. */
export function isSentAgain(
  seen: Set<string>,
  { service, at, traceId, spanId, text }: LogItem,
  sender: string,
): boolean {
  const key = hash('sha1', [sender, service, at, traceId, spanId, text].join('|'), 'base64').slice(0, HASH_CHARACTERS);
  if (seen.has(key)) {
    return true;
  }
  seen.add(key);
  dropOldest(seen, LIMITS.seen);
  return false;
}
