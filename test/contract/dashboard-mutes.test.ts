import { addHours } from 'date-fns/addHours';
import { expect, it } from 'vitest';
import { MuteList } from '../../src/contract/resources.ts';
import { signIn } from '../support/dashboard.ts';
import { startTestService } from '../support/test-service.ts';

it('shows all mutes, and ends one for those who may act', async () => {
  await using tocsin = await startTestService();
  const until = addHours(new Date(), 2).toISOString();
  for (const value of ['payments', '<b>search</b>']) {
    await tocsin.call('POST', '/mutes', { body: { target: 'service', value, until, user: 'ana', reason: 'upgrade' } });
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
  expect(seen).not.toContain('/end"');
  expect([refused.status, ended.status]).toEqual([403, 303]);
  expect(mutes).toHaveLength(1);
});
