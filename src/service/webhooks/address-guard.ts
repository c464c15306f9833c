import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Webhooks must not reach private addresses, so that they give no access to the network that Tocsin runs in. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';

  constructor() {
    super('leads to an address that is not public (WEBHOOK_ALLOW_PRIVATE_ADDRESSES=true allows it)');
  }
}

/** Finds all addresses of a name, like `dns.lookup`. */
export type ResolveName = (
  hostname: string,
  done: (error: NodeJS.ErrnoException | null, found: LookupAddress[]) => void,
) => void;

/**
 * Checks a webhook's URL. Host names are checked when they are resolved for sending.
 *
 * @returns what is wrong, as a continuation of "the url"; null: nothing
 */
export function describeForbiddenUrl(url: URL, allowPrivateAddresses: boolean): string | null {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return 'must begin with https:// or http://';
  }
  if (url.username !== '' || url.password !== '') {
    return 'must contain no user name and no password';
  }
  // The parser has converted forms like 127.1, 0x7f000001 and 2130706433 to 127.0.0.1.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (allowPrivateAddresses || !ipaddr.isValid(host) || isPublicAddress(host)) {
    return null;
  }
  return new ForbiddenAddressError().message;
}

/** False also for reserved addresses, and for IPv6 addresses of tunnels that contain an IPv4 address. */
export function isPublicAddress(text: string): boolean {
  const address = ipaddr.process(text); // converts IPv4-mapped addresses to IPv4
  if (address.range() !== 'unicast') {
    return false;
  }
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST);
}

/** All assigned public addresses (RFC 4291, 2.4, and IANA's registry). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** A lookup for sockets that returns public addresses only. */
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
