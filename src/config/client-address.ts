import { BlockList, isIP } from 'node:net';

/** @param entries addresses and ranges: `10.0.0.7`, `10.0.0.0/8`, `fd00::/8` */
export function listProxies(entries: readonly string[]): BlockList {
  const proxies = new BlockList();
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/');
    const family = familyOf(address);
    if (prefix === undefined) {
      proxies.addAddress(address, family);
    } else {
      proxies.addSubnet(address, Number(prefix), family);
    }
  }
  return proxies;
}

/** Whether `listProxies` can read it. */
export function isProxyEntry(entry: string): boolean {
  const [address = '', prefix, ...more] = entry.split('/');
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return (
    bits > 0 && more.length === 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits))
  );
}

/**
 * The address that a request came from. Each proxy appends the peer of its connection to `X-Forwarded-For`, but entries
 * further left may be forged. So the header is read from the right, as long as trusted proxies wrote the entries.
 *
 * @param peer the other end of the connection
 */
export function clientAddressOf(peer: string, forwardedFor: string | undefined, proxies: BlockList): string {
  let client = peer;
  for (const entry of (forwardedFor ?? '').split(',').toReversed()) {
    const address = entry.trim();
    if (isIP(address) === 0 || !proxies.check(client, familyOf(client))) {
      break;
    }
    client = address;
  }
  return client;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
