import { addHours } from 'date-fns/addHours';
import { expect, it } from 'vitest';
import { MuteList } from '../../src/contract/lists.ts';
import { signIn } from '../support/dashboard.ts';
import { startTestService } from '../support/test-service.ts';

it('shows all mutes, and ends one for those who may act', async () => {
  await using tocsin = await startTestService();
  const until = addHours(new Date(), 2).toISOString();
  for (const [value, reason] of [['payments', 'upgrade'], ['<b>search</b>']] as const) {
    await tocsin.call('POST', '/mutes', { body: { target: 'service', value, until, user: 'ana', reason } });
  }
  const [admin, viewer] = [await signIn(tocsin, tocsin.readWriteKey), await signIn(tocsin, tocsin.readOnlyKey)];
  const pageOf = async (visitor: typeof admin) => (await visitor.visit('/settings/mutes')).text();

  const [before, seen] = [await pageOf(admin), await pageOf(viewer)];
  const [, end = ''] = /action="\/dashboard(\/settings\/mutes\/[^"]+\/end)"/.exec(before) ?? [];
  const refused = await viewer.visit(end, { form: {} });
  const ended = await admin.visit(end, { form: {} });
  const { mutes } = MuteList.parse(await (await tocsin.call('GET', '/mutes')).json());

  expect(before).toContain('payments');
  expect(before).toContain('&lt;b&gt;search&lt;/b&gt;');
  expect(seen).toContain('upgrade');
  expect(seen).toContain('none given');
  expect(seen).not.toContain('/end"');
  expect([refused.status, ended.status]).toEqual([403, 303]);
  expect(mutes).toHaveLength(1);
});

it('mutes a service by the form, keeps what was typed when it refuses, and lets no viewer', async () => {
  await using tocsin = await startTestService();
  const [admin, viewer] = [await signIn(tocsin, tocsin.readWriteKey, 'ana'), await signIn(tocsin, tocsin.readOnlyKey)];
  const mute = (visitor: typeof admin, form: Readonly<Record<string, string>>) =>
    visitor.visit('/settings/mutes', { form });

  const refused = await mute(admin, { service: ' ', minutes: '60', reason: 'a <b>reason</b>' });
  const kept = await refused.text();
  const tooLong = await mute(admin, { service: 'payments', minutes: '43201', reason: '' });
  const byViewer = await mute(viewer, { service: 'payments', minutes: '60', reason: '' });
  const muted = await mute(admin, { service: 'payments', minutes: '60', reason: 'upgrade' });
  const { mutes } = MuteList.parse(await (await tocsin.call('GET', '/mutes')).json());
  const page = await (await viewer.visit('/settings/mutes')).text();

  expect([refused.status, tooLong.status, byViewer.status, muted.status]).toEqual([422, 422, 403, 303]);
  expect(kept).toContain('A mute needs a service');
  expect(kept).toContain('value="a &lt;b&gt;reason&lt;/b&gt;"');
  expect(mutes).toMatchObject([{ target: 'service', value: 'payments', reason: 'upgrade', created_by: 'ana' }]);
  expect(page).toContain('payments');
  expect(page).not.toContain('Mute a service');
});
