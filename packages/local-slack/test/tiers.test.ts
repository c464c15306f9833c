import { expect, it } from 'vitest';
import { createVirtualClock } from '../src/local-slack.ts';
import { client, startFixture } from './fixture.ts';

it('limits each method to the calls per minute of its tier', async () => {
  const clock = createVirtualClock(new Date());
  await using fixture = await startFixture({ clock });
  const web = client(fixture.slack, undefined, { rejectRateLimitedCalls: true });
  const list = async (): Promise<unknown> => await web.conversations.list({});

  for (let call = 0; call < 20; call += 1) {
    await list();
  }

  await expect(list()).rejects.toMatchObject({ retryAfter: 3 }); // 20 a minute: one more every three seconds
  await expect(web.conversations.info({ channel: 'C0PLAYGRND' })).resolves.toMatchObject({ ok: true });
  await clock.advance(3_000);
  await expect(list()).resolves.toMatchObject({ ok: true });
  await expect(list()).rejects.toMatchObject({ retryAfter: 3 });
});
