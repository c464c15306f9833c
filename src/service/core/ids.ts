import { TypeID } from 'typeid-js';

/**
 * Prefixes of the ids of incidents, signals, integrations, API keys, events, webhook deliveries, mutes, lessons and sessions;
 * of people, schedules, layers, overrides, swaps and feeds; of policies, ways, pages and attempts.
 */
export type IdPrefix =
  | 'inc'
  | 'sig'
  | 'int'
  | 'key'
  | 'evt'
  | 'dlv'
  | 'mut'
  | 'les'
  | 'ses'
  | 'policy'
  | 'way'
  | 'page'
  | 'attempt'
  | 'person'
  | 'sched'
  | 'layer'
  | 'ovr'
  | 'swap'
  | 'feed';

/**
 * A TypeID: the prefix, `_`, and the 26 base32 characters of a UUIDv7. Ids sort by the time they contain.
 *
 * @param at the time that the id contains, in milliseconds
 */
export function createId(prefix: IdPrefix, at: Date): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  const view = new DataView(bytes.buffer);
  view.setUint16(0, Math.floor(at.getTime() / 2 ** 32));
  view.setUint32(2, at.getTime() % 2 ** 32);
  view.setUint8(6, 0x70 | (view.getUint8(6) & 0x0f)); // version 7 (RFC 9562, 5.7)
  view.setUint8(8, 0x80 | (view.getUint8(8) & 0x3f)); // variant 10
  return TypeID.fromUUIDBytes(prefix, bytes).toString();
}

/** The time that the id contains, or null when the text is not an id with this prefix. */
export function findTimeOfId(prefix: IdPrefix, text: string): Date | null {
  try {
    const bytes = TypeID.fromString(text, prefix).toUUIDBytes();
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return new Date(view.getUint16(0) * 2 ** 32 + view.getUint32(2));
  } catch {
    return null;
  }
}
