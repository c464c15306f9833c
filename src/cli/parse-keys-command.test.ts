import { expect, it } from 'vitest';
import { UsageError } from './errors.ts';
import { parseKeysCommand } from './parse-keys-command.ts';

it.each([
  ['create --name collector --scope read-only', { action: 'create', name: 'collector', scope: 'read-only' }],
  ['create --scope=read-write --name=bot', { action: 'create', name: 'bot', scope: 'read-write' }],
  ['create --scope ingest --name shop', { action: 'create', name: 'shop', scope: 'ingest' }],
  ['list', { action: 'list' }],
  ['history', { action: 'history' }],
  ['generate', { action: 'generate' }],
  ['revoke key_1', { action: 'revoke', id: 'key_1' }],
  ['rotate key_1', { action: 'rotate', id: 'key_1', graceMs: 86_400_000 }],
  ['rotate key_1 --grace 15m', { action: 'rotate', id: 'key_1', graceMs: 900_000 }],
  ['rotate --grace 0 key_1', { action: 'rotate', id: 'key_1', graceMs: 0 }],
  ['rotate key_1 --grace 30d', { action: 'rotate', id: 'key_1', graceMs: 2_592_000_000 }],
])('parses keys %s', (words, command) => {
  expect(parseKeysCommand(words.split(' '))).toEqual(command);
});

it.each([
  ['', 'an action is missing after keys'],
  ['drop', 'unknown action "drop"'],
  ['create --name collector', '--scope must be one of read-only, read-write, ingest'],
  ['create --name collector --scope admin', '--scope must be one of read-only, read-write, ingest'],
  ['create --scope read-only', '--name must have 1 to 200 characters'],
  ['create --nam x --scope read-only', "Unknown option '--nam'"],
  ['list all', 'unexpected argument "all"'],
  ['revoke', 'the id of the key is missing'],
  ['revoke key_1 key_2', 'unexpected argument "key_2"'],
  ['rotate key_1 --grace soon', '--grace "soon" is not a duration of up to 30d'],
  ['rotate key_1 --grace 31d', '--grace "31d" is not a duration of up to 30d'],
])('rejects keys %s and shows the usage', (words, fault) => {
  const parse = () => parseKeysCommand(words.split(' '));

  expect(parse).toThrow(UsageError);
  expect(parse).toThrow(fault);
  expect(parse).toThrow('npm start -- keys create --name <name> --scope read-only|read-write|ingest');
});
