import { expect, it } from 'vitest';
import { client, startFixture } from './local-slack-fixture.ts';

it('lets each method be called as often a minute as its tier says', async () => {
  let nowMs = Date.now();
  await using fixture = await startFixture({ now: () => new Date(nowMs) });
  const web = client(fixture.slack, undefined, { rejectRateLimitedCalls: true });
  const list = async (): Promise<unknown> => await web.conversations.list({});

  for (let call = 0; call < 20; call += 1) {
    await list();
  }

  await expect(list()).rejects.toMatchObject({ retryAfter: 3 }); // 20 a minute: one more every three seconds
  await expect(web.conversations.info({ channel: 'C0INCIDENT' })).resolves.toMatchObject({ ok: true });
  nowMs += 3_000;
  await expect(list()).resolves.toMatchObject({ ok: true });
  await expect(list()).rejects.toMatchObject({ retryAfter: 3 });
});
