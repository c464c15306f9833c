import { expect, it } from 'vitest';
import { Integration } from '../../src/contract/integrations.ts';
import { IncidentList, SignalList } from '../../src/contract/lists.ts';
import { Incident } from '../../src/contract/resources.ts';
import { signIn } from '../support/dashboard.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const MAPPING = { title: 'body.name', service: 'body.host', key: 'body.name', state: 'body.status', user: 'body.by' };

async function create(tocsin: TestService, config: object) {
  const created = await tocsin.call('POST', '/integrations', { body: { type: 'json', name: 'mine', config } });
  const { id, ingest_key: key = '', config: stored } = Integration.parse(await created.json());
  const send = async (body: object) => (await tocsin.call('POST', '/json', { key, body })).status;
  return { id, send, stored, page: `/settings/integrations/${id}` };
}

async function signals(tocsin: TestService): Promise<SignalList['signals']> {
  return SignalList.parse(await (await tocsin.call('GET', '/signals?type=metric')).json()).signals;
}

const disk = (status: string) => ({ name: 'disk', host: 'web-1', status });

it('asks what an unknown word means, and ends what waits once somebody says that it is the end', async () => {
  await using tocsin = await startTestService();
  const { send, page } = await create(tocsin, { mapping: MAPPING });
  const admin = await signIn(tocsin, tocsin.readWriteKey);

  await send(disk('firing'));
  await send(disk('quenched'));
  const waiting = await signals(tocsin);
  const asked = await (await admin.visit(page)).text();
  const answered = await admin.visit(`${page}/states`, { form: { word: 'quenched', meaning: 'over' } });
  const ended = await signals(tocsin);
  await send(disk('firing'));
  await send(disk('QUENCHED'));

  expect(waiting).toMatchObject([{ occurrences: 1, ended_at: null }]);
  expect(asked).toContain('Is this the end of a failure?');
  expect(asked).toContain('“<bdi>quenched</bdi>”');
  expect(answered.status).toBe(303);
  expect(ended).toMatchObject([{ occurrences: 1, ended_at: expect.any(String) }]);
  expect((await signals(tocsin)).every(({ ended_at }) => ended_at !== null)).toBe(true);
  expect(await (await admin.visit(page)).text()).not.toContain('Is this the end of a failure?');
});

it('counts what waits once somebody says that it still fails', async () => {
  await using tocsin = await startTestService();
  const { send, page } = await create(tocsin, { mapping: MAPPING });
  const admin = await signIn(tocsin, tocsin.readWriteKey);

  await send(disk('firing'));
  await send(disk('smouldering'));
  await admin.visit(`${page}/states`, { form: { word: 'smouldering', meaning: 'fails' } });
  await send(disk('smouldering'));

  expect(await signals(tocsin)).toMatchObject([{ occurrences: 3, ended_at: null }]);
});

it('opens by an unknown word, so that no failure is lost, and takes it back if it was none', async () => {
  await using tocsin = await startTestService();
  const { send, page } = await create(tocsin, { mapping: MAPPING });
  const admin = await signIn(tocsin, tocsin.readWriteKey);

  await send(disk('frobnicated'));
  await send(disk('frobnicated'));
  const opened = await signals(tocsin);
  const asked = await (await admin.visit(page)).text();
  await admin.visit(`${page}/states`, { form: { word: 'frobnicated', meaning: 'ignored' } });
  await send(disk('frobnicated'));

  expect(opened).toMatchObject([{ occurrences: 2, ended_at: null }]);
  expect(asked).toContain('counted as a failure');
  expect(await signals(tocsin)).toMatchObject([{ occurrences: 2, ended_at: expect.any(String) }]);
});

it('lets only admins answer, and only with what an answer can be', async () => {
  await using tocsin = await startTestService();
  const { page } = await create(tocsin, { mapping: MAPPING });
  const [viewer, admin] = [await signIn(tocsin, tocsin.readOnlyKey), await signIn(tocsin, tocsin.readWriteKey)];
  const answer = (meaning: string) => ({ form: { word: 'quenched', meaning } });

  const statuses = [
    (await viewer.visit(`${page}/states`, answer('over'))).status,
    (await admin.visit(`${page}/states`, answer('maybe'))).status,
  ];

  expect(statuses).toEqual([403, 422]);
});

it('acknowledges here what somebody acknowledged at the sender, as its user', async () => {
  await using tocsin = await startTestService();
  const { send } = await create(tocsin, { mapping: MAPPING });

  await send(disk('firing'));
  await tocsin.openIncident();
  const acknowledged = await send({ ...disk('acknowledged'), by: 'ana' });
  const { incidents } = IncidentList.parse(await (await tocsin.call('GET', '/incidents')).json());

  expect(acknowledged).toBe(200);
  expect(incidents).toMatchObject([{ acknowledged_by: 'ana' }]);
  expect(await signals(tocsin)).toMatchObject([{ occurrences: 1 }]);
});

it('keeps a note that somebody wrote at the sender, in the name of its author', async () => {
  await using tocsin = await startTestService();
  const { send } = await create(tocsin, { mapping: { ...MAPPING, note: 'body.comment' } });

  await send(disk('firing'));
  const { id } = await tocsin.openIncident();
  await send({ ...disk('comment added'), by: 'ana', comment: 'the cleaner is off' });
  await send({ ...disk('acknowledged'), by: 'ben', comment: 'I have it' });
  await send({ ...disk('quenched'), by: 'cleo', comment: 'is it out?' });
  await send({ ...disk('resolved'), by: 'dan', comment: 'a fan was replaced' });
  const incident = Incident.parse(await (await tocsin.call('GET', `/incidents/${id}`)).json());

  expect(incident.acknowledged_by).toBe('ben');
  expect(incident.timeline).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ event: 'note', by: 'ana', text: 'the cleaner is off' }),
      expect.objectContaining({ event: 'note', by: 'ben', text: 'I have it' }),
      expect.objectContaining({ event: 'note', by: 'cleo', text: 'is it out?' }),
      expect.objectContaining({ event: 'note', by: 'dan', text: 'a fan was replaced' }),
    ]),
  );
  expect(await signals(tocsin)).toMatchObject([{ occurrences: 1, ended_at: expect.any(String) }]);
});

it('says that an end has ended nothing, and offers the key with which it would', async () => {
  await using tocsin = await startTestService();
  const { send, page } = await create(tocsin, { mapping: { ...MAPPING, key: 'body.id' } });
  const admin = await signIn(tocsin, tocsin.readWriteKey);

  await send({ id: '17', ...disk('firing') });
  await send({ id: '18', ...disk('resolved') });
  const shown = await (await admin.visit(page)).text();
  const better = hiddenIn(shown);
  const saved = await admin.visit(`${page}/mapping`, { form: better });
  const after = await (await admin.visit(page)).text();

  expect(shown).toContain('ended nothing: no failure with its key was open');
  expect(shown).toContain('Use this key');
  expect(better.key).not.toContain('body.id');
  expect(saved.status).toBe(303);
  expect(after).not.toContain('Use this key');
  expect(after).toContain('ends “disk”');
});

it('changes the key with the one answer that a word is the end, where that end would end nothing', async () => {
  await using tocsin = await startTestService();
  const { send, page } = await create(tocsin, { mapping: { ...MAPPING, key: 'body.id' } });
  const admin = await signIn(tocsin, tocsin.readWriteKey);

  await send({ id: '17', ...disk('kindled') });
  await send({ id: '18', ...disk('looked at') });
  await send({ id: '19', ...disk('quenched') });
  const question = questionOf(await (await admin.visit(page)).text(), 'quenched');
  const answered = await admin.visit(`${page}/mapping`, { form: hiddenIn(question) });
  await send({ id: '20', ...disk('kindled') });
  await send({ id: '21', ...disk('quenched') });

  expect(question).toContain('also changes the key of the mapping');
  expect(answered.status).toBe(303);
  expect(await (await admin.visit(page)).text()).not.toContain('“<bdi>quenched</bdi>”');
  const [newest] = await signals(tocsin);
  expect(newest).toMatchObject({ occurrences: 1, ended_at: expect.any(String) });
});

/** The form that asks about a word. */
function questionOf(page: string, word: string): string {
  const forms = page.match(/<form.*?<\/form>/gs) ?? [];
  return forms.find((form) => form.includes(`name="word" value="${word}"`)) ?? '';
}

/** What a form sends beside what people type. */
function hiddenIn(form: string): Record<string, string> {
  const fields = [...form.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g)];
  return Object.fromEntries(
    fields.flatMap(([, name = '', value = '']) => (name === '_csrf' ? [] : [[name, value.replaceAll('&quot;', '"')]])),
  );
}

it('begins with the mapping of a product, which people can change', async () => {
  await using tocsin = await startTestService();
  const { send, stored, page } = await create(tocsin, { preset: 'uptime_robot' });
  const admin = await signIn(tocsin, tocsin.readWriteKey);
  const down = { monitorID: '7', monitorFriendlyName: 'web', alertType: '1', alertDetails: 'timeout' };

  const statuses = [await send(down), await send({ ...down, alertType: '2' })];
  const shown = await (await admin.visit(`${page}/mapping/preset`, { form: { preset: 'healthchecks' } })).text();
  const unknown = await tocsin.call('POST', '/integrations', {
    body: { type: 'json', name: 'other', config: { preset: 'nobody' } },
  });

  expect(statuses).toEqual([200, 200]);
  expect(await signals(tocsin)).toMatchObject([{ summary: 'web: timeout', ended_at: expect.any(String) }]);
  expect(stored).toMatchObject({ preset: 'uptime_robot', mapping: { key: expect.stringContaining('monitorID') } });
  expect(shown).toContain('did not report in time');
  expect(unknown.status).toBe(422);
});
