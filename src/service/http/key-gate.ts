import { createHash } from 'node:crypto';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { atMost } from '../../runtime/cache-limit.ts';
import type { ApiKeyStore } from '../store/keys/api-key-store.ts';
import { createRateLimit } from './rate-limit.ts';

/** How long a refused key is refused again without a look. Somebody may create it meanwhile at another process. */
const REFUSED_MS = 10_000;
const MAX_KEYS = 10_000;
/** Refused keys a minute of one network, before only keys that have worked here are looked up. */
const REFUSED_PER_NETWORK = 60;

export type KeyLookup = Pick<ApiKeyStore, 'authenticate'>;

/** @param address where the request came from; undefined: not known, so without a limit */
export type KeyGate = (address: string | undefined) => KeyLookup;

/**
 * Bounds what requests with bad keys cost the database, on whose connections everybody waits. A sender that shares its
 * address with one of those is not locked out: its key has worked.
 */
export function createKeyGate(keys: KeyLookup, now: () => Date): KeyGate {
  const refused = new LRUCache<string, number>(atMost(MAX_KEYS));
  const proven = new LRUCache<string, true>(atMost(MAX_KEYS));
  const ofNetwork = createRateLimit({ name: 'refused API keys', quota: REFUSED_PER_NETWORK, now });
  return (address) => ({
    async authenticate(rawKey, at) {
      const digest = createHash('sha256').update(rawKey).digest('base64');
      const refusedMs = at.getTime() - (refused.get(digest) ?? Number.NEGATIVE_INFINITY);
      if (refusedMs >= 0 && refusedMs < REFUSED_MS) {
        return null;
      }
      const network = address === undefined ? null : networkOf(address);
      if (network !== null && !proven.has(digest) && !ofNetwork.isLeft(network)) {
        ofNetwork.take(network); // throws
      }
      const key = await keys.authenticate(rawKey, at);
      if (key !== null) {
        proven.set(digest, true);
        return key;
      }
      proven.delete(digest);
      refused.set(digest, at.getTime());
      if (network !== null) {
        ofNetwork.spend(network, 1);
      }
      return null;
    },
  });
}

/** One person may have all addresses of an IPv6 network of 64 bits, so they count as one. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) {
    return address;
  }
  const parsed = ipaddr.process(address); // an IPv4 address in IPv6 becomes IPv4
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(':') : parsed.toString();
}
