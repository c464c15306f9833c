import { expect, it } from 'vitest';
import { findInHosts } from './hosts-file.ts';

const HOSTS = `
127.0.0.1\tlocalhost  # the machine itself
# 10.0.0.9 receiver
10.0.0.7   receiver.internal Receiver
fd00::7    receiver.internal
receiver.internal 10.0.0.8
::1        localhost`;

it.each([
  ['localhost', ['127.0.0.1', '::1']],
  ['receiver', ['10.0.0.7']],
  ['receiver.internal', ['10.0.0.7', 'fd00::7']],
  ['internal', []],
  ['10.0.0.8', []],
])('finds the addresses of %s', (name, addresses) => {
  expect(findInHosts(HOSTS, name).map(({ address }) => address)).toEqual(addresses);
});

it('gives the family of each address', () => {
  expect(findInHosts(HOSTS, 'localhost').map(({ family }) => family)).toEqual([4, 6]);
});
