import { expect, it } from 'vitest';
import { DatabaseTimeoutError, ReadOnlyServerError } from '../../../database/errors.ts';
import { describeUnavailable, isStorageUnavailable } from './unavailable.ts';

it.each([
  new ReadOnlyServerError('it is read-only'),
  new DatabaseTimeoutError('the database did not answer within 5 s'),
  Object.assign(new Error('cannot execute INSERT in a read-only transaction'), { code: '25006' }),
  new Error('Connection terminated unexpectedly'),
  new Error('There was an error establishing an SSL connection'),
  new Error('Client was closed and is not queryable'), // cut in use, as another server took over
  ...['EHOSTUNREACH', 'EHOSTDOWN', 'ENETUNREACH', 'ENETDOWN', '58030', '58P01'].map((code) =>
    Object.assign(new Error(code), { code }),
  ),
  new AggregateError([Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })]),
])('counts %s as a database that is away for now', (error) => {
  expect(isStorageUnavailable(error)).toBe(true);
  expect(describeUnavailable(error)).toMatch(/^the database cannot be/);
});

it('does not count a fault of a statement', () => {
  expect(isStorageUnavailable(Object.assign(new Error('no such table'), { code: '42P01' }))).toBe(false);
});
