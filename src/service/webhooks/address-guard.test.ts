import type { LookupAddress } from 'node:dns';
import { describe, expect, it } from 'vitest';
import { createLookup, describeForbiddenUrl, ForbiddenAddressError, isReachable } from './address-guard.ts';

const NOT_PUBLIC = [
  ['loopback', 'http://127.0.0.1/'],
  ['loopback, short form', 'http://127.1:8080/'],
  ['loopback as one decimal number', 'http://2130706433/'],
  ['loopback in hexadecimal', 'http://0x7f.0.0.1/'],
  ['loopback in octal', 'http://0177.0.0.1/'],
  ['loopback of IPv6', 'http://[::1]/'],
  ['loopback, IPv4-mapped', 'http://[::ffff:127.0.0.1]/'],
  ['loopback, IPv4-mapped in hexadecimal', 'http://[::ffff:7f00:1]/'],
  ['loopback, IPv4-compatible', 'http://[::127.0.0.1]/'],
  ['unspecified', 'http://0.0.0.0/'],
  ['unspecified of IPv6', 'http://[::]/'],
  ['private, class A', 'https://10.0.0.1/'],
  ['private, class B', 'https://172.16.0.1/'],
  ['private, class C', 'https://192.168.1.1/'],
  ['carrier-grade NAT', 'https://100.64.0.1/'],
  ['link-local, where clouds keep credentials', 'http://169.254.169.254/latest/meta-data/'],
  ['link-local of IPv6', 'http://[fe80::1]/'],
  ['unique local, where clouds keep credentials', 'http://[fd00:ec2::254]/'],
  ['multicast', 'http://224.0.0.1/'],
  ['multicast of IPv6', 'http://[ff02::1]/'],
  ['broadcast', 'http://255.255.255.255/'],
  ['reserved', 'http://240.0.0.1/'],
  ['documentation', 'http://192.0.2.1/'],
  ['loopback by 6to4', 'http://[2002:7f00:1::]/'],
  ['private by NAT64', 'http://[64:ff9b::10.0.0.1]/'],
  ['Teredo', 'http://[2001::1]/'],
] as const;

describe('describeForbiddenUrl', () => {
  it.each(NOT_PUBLIC)('refuses %s, unless private addresses are allowed', (_name, address) => {
    expect(describeForbiddenUrl(new URL(address), false)).toContain('not public');
    expect(describeForbiddenUrl(new URL(address), true)).toBeNull();
  });

  it.each(['https://hooks.example.com/x', 'http://93.184.215.14:8080/', 'https://[2606:4700::6810:84e5]/'])(
    'accepts %s',
    (address) => {
      expect(describeForbiddenUrl(new URL(address), false)).toBeNull();
    },
  );

  it.each([
    ['file:///etc/passwd', 'http://'],
    ['gopher://example.com/', 'http://'],
    ['https://user:password@example.com/', 'no password'],
  ])('refuses %s, whatever is allowed', (address, reason) => {
    expect(describeForbiddenUrl(new URL(address), true)).toContain(reason);
  });
});

describe('createLookup', () => {
  const PUBLIC = { address: '93.184.215.14', family: 4 };
  const PUBLIC_6 = { address: '2606:4700::6810:84e5', family: 6 };

  /** Like `net.connect`, for all addresses or for one. */
  function look(found: LookupAddress[], all: boolean, failure: Error | null = null): Promise<unknown> {
    const lookup = createLookup(async () => {
      if (failure !== null) {
        throw failure;
      }
      return found;
    }, false);
    return new Promise((done) => lookup('hooks.example.com', { all }, (error, address) => done(error ?? address)));
  }

  it.each(NOT_PUBLIC.map(([name, address]) => [name, new URL(address).hostname.replace(/^\[|\]$/g, '')] as const))(
    'refuses a name that resolves to %s',
    async (_name, address) => {
      const found = [{ address, family: address.includes(':') ? 6 : 4 }];

      expect(await look(found, true)).toBeInstanceOf(ForbiddenAddressError);
      expect(await look(found, false)).toBeInstanceOf(ForbiddenAddressError);
    },
  );

  it('returns public addresses only', async () => {
    const mixed = [{ address: '10.0.0.1', family: 4 }, PUBLIC, { address: '::1', family: 6 }, PUBLIC_6];

    expect(await look(mixed, true)).toEqual([PUBLIC, PUBLIC_6]);
    expect(await look(mixed, false)).toBe(PUBLIC.address);
  });

  it('passes on the reason when a name cannot be resolved', async () => {
    const failure = Object.assign(new Error('not found'), { code: 'ENOTFOUND' });

    expect(await look([], true, failure)).toBe(failure);
  });
});

it('tells what others can reach by its name', () => {
  const reachable = ['https://tocsin.example.com/x', 'http://8.8.8.8:3000', 'https://[2001:4860:4860::8888]'];
  const hidden = ['http://localhost:3000', 'http://127.0.0.1', 'http://tocsin', 'http://tocsin.local', 'http://[::1]'];

  expect([...reachable, ...hidden].filter((url) => isReachable(new URL(url)))).toEqual(reachable);
});
