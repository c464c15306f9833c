import { expect, it } from 'vitest';
import { cookieOf, stranger } from '../support/dashboard.ts';
import { PUBLIC_URL, startTestService, type TestService } from '../support/test-service.ts';

async function visitAs(tocsin: TestService, host: string, path = '/dashboard/incidents', cookie = '') {
  return tocsin.service.fetch(new Request(`http://${host}${path}`, { headers: { host, cookie } }));
}

it('serves the dashboard at the host of PUBLIC_URL alone, and the API at any', async () => {
  await using tocsin = await startTestService({ isPublicUrlSet: true });
  const cookie = cookieOf(await stranger(tocsin).visit('/sign-in', { form: { key: tocsin.readWriteKey } }));
  const { host } = new URL(PUBLIC_URL);

  const own = await visitAs(tocsin, host.toUpperCase(), '/dashboard/incidents', cookie);
  const strange = await Promise.all(
    ['evil.test:3000', 'tocsin.test', 'tocsin.test.evil.test:3000', '127.0.0.1:3000'].map((name) =>
      visitAs(tocsin, name, '/dashboard/incidents', cookie),
    ),
  );
  const signInPage = await visitAs(tocsin, 'evil.test:3000', '/dashboard/sign-in');
  const api = await tocsin.service.fetch(
    new Request('http://tocsin.internal/v1/incidents', {
      headers: { host: 'tocsin.internal', authorization: `Bearer ${tocsin.readOnlyKey}` },
    }),
  );

  expect(own.status).toBe(200);
  expect(strange.map(({ status }) => status)).toEqual([421, 421, 421, 421]);
  expect(signInPage.status).toBe(421);
  expect(await signInPage.text()).toContain(`This dashboard is at ${PUBLIC_URL}/dashboard.`);
  expect(api.status).toBe(200);
});

it('serves the dashboard at every host while PUBLIC_URL is not set', async () => {
  await using tocsin = await startTestService();

  expect((await visitAs(tocsin, 'laptop.test:4000', '/dashboard/sign-in')).status).toBe(200);
});
