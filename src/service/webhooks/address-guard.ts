import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Of an address that webhooks are not to reach, so that they open no door into the network Tocsin runs in. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';

  constructor() {
    super('leads to an address that is not public (WEBHOOK_ALLOW_PRIVATE_ADDRESSES=true allows it)');
  }
}

/** Finds all addresses of a name, as `dns.lookup` does. */
export type ResolveName = (
  hostname: string,
  done: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

/**
 * What no webhook may have as its address, as far as the address alone tells: a name is resolved when something is
 * sent.
 *
 * @returns what is wrong with it, to follow the words "the url"; null: nothing
 */
export function describeForbiddenUrl(url: URL, allowPrivateAddresses: boolean): string | null {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return 'must begin with https:// or http://';
  }
  if (url.username !== '' || url.password !== '') {
    return 'must hold no user and no password';
  }
  // The parser has turned 127.1, 0x7f000001, 2130706433 and their like into 127.0.0.1.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (allowPrivateAddresses || !ipaddr.isValid(host) || isPublicAddress(host)) {
    return null;
  }
  return new ForbiddenAddressError().message;
}

/** False also for what is reserved, or carries an IPv4 address inside an IPv6 one by way of a tunnel. */
export function isPublicAddress(text: string): boolean {
  const address = ipaddr.process(text); // an IPv4-mapped one becomes the IPv4 address
  if (address.range() !== 'unicast') {
    return false;
  }
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST);
}

/** All that is given out (RFC 4291, 2.4, and the registry of IANA). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Resolves a name for a socket, which then can connect to nothing but what was looked at here. */
export function createGuardedLookup(resolve: ResolveName): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, (error, found) => {
      if (error !== null) {
        callback(error, '');
        return;
      }
      const allowed = found.filter(({ address }) => isPublicAddress(address));
      const [first] = allowed;
      if (first === undefined) {
        callback(new ForbiddenAddressError(), '');
        return;
      }
      callback(null, options.all === true ? allowed : first.address, first.family);
    });
  };
}
