import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import ipaddr from 'ipaddr.js';
import type { ResolveName } from './name-resolver.ts';

/** Webhooks must not reach private addresses, so that they give no access to the network that Tocsin runs in. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';

  constructor() {
    super('leads to an address that is not public (WEBHOOK_ALLOW_PRIVATE_ADDRESSES=true allows it)');
  }
}

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

/** Whether others than this machine and its network can reach an address, as far as its name tells. */
export function isReachable({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  return ipaddr.isValid(host)
    ? isPublicAddress(host)
    : host.includes('.') && !/\.(local|localhost|internal|lan)$/.test(host);
}

/** All assigned public addresses (RFC 4291, 2.4, and IANA's registry). */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * A lookup for sockets. Unless private addresses are allowed, it returns public addresses only. A socket connects to one of
 * the returned addresses, so a name that has changed since it was checked gives no access either (DNS rebinding).
 */
export function createLookup(resolve: ResolveName, allowPrivateAddresses: boolean): LookupFunction {
  async function findAllowed(hostname: string): Promise<LookupAddress[]> {
    const found = await resolve(hostname);
    return found.filter(({ address }) => allowPrivateAddresses || isPublicAddress(address));
  }
  const find = callbackify(findAllowed);
  return (hostname, options, callback) => {
    find(hostname, (error, allowed) => {
      const [first] = allowed ?? [];
      if (first === undefined) {
        callback(error ?? new ForbiddenAddressError(), '');
      } else {
        callback(null, options.all === true ? allowed : first.address, first.family);
      }
    });
  };
}
