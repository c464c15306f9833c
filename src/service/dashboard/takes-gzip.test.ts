import { Hono } from 'hono';
import { expect, it } from 'vitest';
import { takesGzip } from './takes-gzip.ts';

const app = new Hono().get('/', (c) => c.json(takesGzip(c)));

it.each([
  ['gzip', true],
  ['gzip, deflate, br', true],
  ['br;q=1, GZIP;q=0.5', true],
  ['gzip;q=0', false],
  ['gzip;q=0.0, identity', false],
  ['br', false],
  ['', false],
  [null, false],
])('a reader that accepts %j takes gzip: %j', async (accepted, expected) => {
  const headers = accepted === null ? {} : { 'accept-encoding': accepted };

  expect(await (await app.request('/', { headers })).json()).toBe(expected);
});
