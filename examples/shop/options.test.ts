import { expect, it } from 'vitest';
import { readOptions } from './options.ts';
import { readApiKey } from './tocsin.ts';

it('lists the faults with what Tocsin should do', () => {
  expect(String(readOptions(['--list'])).match(/(root: \S+|no incident)$/gm)).toEqual([
    'root: payments',
    'root: orders-db',
    'root: inventory',
    'root: bank-gateway',
    'root: orders-db',
    'root: catalog',
    'root: card-network',
    'root: catalog',
    'no incident',
  ]);
});

it.each([
  [['--break', 'payments,coffee'], /^There is no fault coffee; choose one of these:\n {2}payments /],
  [['--rate', 'fast'], /^--rate fast is invalid/],
  [['--brake', 'payments'], /^Unknown option '--brake'/],
])('rejects %j', (args, message) => {
  expect(() => readOptions(args)).toThrow(message);
});

it('says what to do without a key', async () => {
  await expect(readApiKey({ DATA_DIR: '/nowhere' }, undefined)).rejects.toThrow(
    /^There is no readable API key at \S+shop\.key: start Tocsin first/,
  );
});
