import { expect, it } from 'vitest';
import { clientAddressOf, isProxyEntry, listProxies } from './client-address.ts';

const PROXIES = listProxies(['10.0.0.0/8', '192.0.2.7', 'fd00::/8']);

it.each([
  ['nobody is trusted unless named', '203.0.113.5', '198.51.100.1', '203.0.113.5'],
  ['a trusted proxy names the client', '10.1.2.3', '198.51.100.1', '198.51.100.1'],
  ['a client that makes up an address is not believed', '10.1.2.3', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
  ['two proxies in a row', '10.1.2.3', '1.1.1.1, 198.51.100.1, 192.0.2.7', '198.51.100.1'],
  ['a proxy over IPv4 on an IPv6 socket', '::ffff:10.1.2.3', '198.51.100.1', '198.51.100.1'],
  ['IPv6', 'fd00::1', '2001:db8::9', '2001:db8::9'],
  ['something that is no address', '10.1.2.3', '198.51.100.1, unknown', '10.1.2.3'],
  ['no header', '10.1.2.3', undefined, '10.1.2.3'],
  ['only proxies', '10.1.2.3', '10.9.9.9', '10.9.9.9'],
])('%s', (_name, peer, forwardedFor, client) => {
  expect(clientAddressOf(peer, forwardedFor, PROXIES)).toBe(client);
});

it.each([
  ['10.0.0.1', true],
  ['10.0.0.0/8', true],
  ['fd00::/64', true],
  ['10.0.0.0/33', false],
  ['10.0.0.0/', false],
  ['proxy.example.com', false],
  ['', false],
])('%j is an address or a range: %s', (entry, isOne) => {
  expect(isProxyEntry(entry)).toBe(isOne);
});
