import { addHours } from 'date-fns/addHours';
import { expect, it } from 'vitest';
import { MuteList } from '../../src/contract/lists.ts';
import { signIn, type Visitor } from '../support/dashboard.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

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

it('names a snoozed incident by its number and title, with a link, and says so in the list', async () => {
  await using tocsin = await startTestService();
  await tocsin.failIn(['payments']);
  const { id, number, title } = await tocsin.openIncident();
  const until = addHours(tocsin.now(), 2).toISOString();
  await tocsin.call('POST', '/mutes', {
    body: { target: 'incident', value: id, until, user: 'ana', reason: 'vendor' },
  });

  const visitor = await signIn(tocsin, tocsin.readWriteKey);
  const page = await (await visitor.visit('/settings/mutes')).text();
  const list = await (await visitor.visit('/incidents')).text();

  expect(list).toContain('Snoozed until <time');
  expect(page).toContain(`<a href="/dashboard/incidents/${number}">#${number} <bdi>${title}</bdi></a>`);
  expect(page).toContain(`End the mute of incident #${number}`);
  expect(page).not.toContain(`>${id}<`);
});

/** The form as a browser sends it. */
const FORM = { what: 'payments', start: '', minutes: '60', repeat: '', zone: 'Europe/Berlin', reason: '' };

async function muteBy(visitor: Visitor, form: Partial<typeof FORM>) {
  const response = await visitor.visit('/settings/mutes', { form: { ...FORM, ...form } });
  return { status: response.status, text: await response.text() };
}

async function mutesOf(tocsin: TestService) {
  return MuteList.parse(await (await tocsin.call('GET', '/mutes')).json()).mutes;
}

it('mutes a service by the form, keeps what was typed when it refuses, and lets no viewer', async () => {
  await using tocsin = await startTestService();
  const [admin, viewer] = [await signIn(tocsin, tocsin.readWriteKey, 'ana'), await signIn(tocsin, tocsin.readOnlyKey)];

  const refused = await muteBy(admin, { what: ' ', reason: 'a <b>reason</b>' });
  const tooLong = await muteBy(admin, { minutes: '43201' });
  const byViewer = await muteBy(viewer, {});
  const muted = await muteBy(admin, { reason: 'upgrade' });
  const page = await (await viewer.visit('/settings/mutes')).text();

  expect([refused.status, tooLong.status, byViewer.status, muted.status]).toEqual([422, 422, 403, 303]);
  expect(refused.text).toContain('A mute needs a service or labels');
  expect(refused.text).toContain('value="a &lt;b&gt;reason&lt;/b&gt;"');
  expect(await mutesOf(tocsin)).toMatchObject([
    { target: 'service', value: 'payments', reason: 'upgrade', created_by: 'ana', starts_at: null },
  ]);
  expect(page).toContain('payments');
  expect(page).not.toContain('Mute a service');
});

it('mutes labels later and again, in the time zone of the form, and cancels it', async () => {
  await using tocsin = await startTestService();
  const admin = await signIn(tocsin, tocsin.readWriteKey, 'ana');
  const start = `${new Date().getUTCFullYear() + 1}-01-15T22:30`; // in winter

  const muted = await muteBy(admin, { what: 'team:payments, env:prod*', start, repeat: 'week' });
  const [mute] = await mutesOf(tocsin);
  const page = await (await admin.visit('/settings/mutes')).text();
  const [, end = ''] = /action="\/dashboard(\/settings\/mutes\/[^"]+\/end)"/.exec(page) ?? [];
  await admin.visit(end, { form: {} });

  expect(muted.status).toBe(303);
  expect(mute).toMatchObject({ target: 'labels', value: 'env:prod*, team:payments', repeat: 'week' });
  expect(mute?.starts_at).toContain('-01-15T21:30:00');
  expect(mute?.until).toContain('-01-15T22:30:00');
  expect(page).toContain('every week');
  expect(page).toContain('Cancel');
  expect(await mutesOf(tocsin)).toEqual([]);
});

it.each([
  [{ what: 'team:a, severity:critical' }, 'What is muted must be labels'],
  [{ zone: 'Europe/Nowhere' }, 'The time zone must be the name of a time zone'],
  [{ zone: 'Europe/Nowhere', start: '2030-01-01T10:00' }, 'The time zone must be'],
  [{ start: '2999-01-01T10:00' }, 'The start must be at most'],
  [{ minutes: '10080', repeat: 'day' }, 'The repetition must not be shorter'],
  [{ start: 'tomorrow' }, 'A mute needs'],
])('refuses %j with a sentence', async (form, sentence) => {
  await using tocsin = await startTestService();
  const admin = await signIn(tocsin, tocsin.readWriteKey);

  const refused = await muteBy(admin, form);

  expect(refused.status).toBe(422);
  expect(refused.text).toContain(sentence);
  expect(await mutesOf(tocsin)).toEqual([]);
});
