import { Hono } from 'hono';
import { expect, it } from 'vitest';
import type { DashboardEnv } from '../dashboard-env.ts';
import { demandPublicHost } from './public-host.ts';

async function isServed(publicUrl: string, host: string): Promise<boolean> {
  const app = new Hono<DashboardEnv>();
  app.onError((_, c) => c.body(null, 421));
  app.use(demandPublicHost(publicUrl));
  app.get('/', (c) => c.text('served'));
  return (await app.request('/', { headers: { host } })).status === 200;
}

it.each([
  ['https://tocsin.test', 'tocsin.test', true],
  ['https://tocsin.test', 'tocsin.test:443', true],
  ['https://tocsin.test', 'TOCSIN.test', true],
  ['https://tocsin.test', 'tocsin.test:3000', false],
  ['https://tocsin.test', 'tocsin.test@evil.test', false],
  ['https://tocsin.test', 'evil.test', false],
  ['https://tocsin.test', '', false],
  ['http://127.0.0.1:3000', 'localhost:3000', true],
  ['http://localhost:3000', '[::1]:3000', true],
  ['http://127.0.0.1:3000', 'localhost:3001', false],
  ['http://127.0.0.1:3000', 'evil.test:3000', false],
])('with PUBLIC_URL %s a request for %s is served: %s', async (publicUrl, host, served) => {
  expect(await isServed(publicUrl, host)).toBe(served);
});
