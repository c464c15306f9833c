import { addDays } from 'date-fns/addDays';
import { addHours } from 'date-fns/addHours';
import { hoursToMilliseconds } from 'date-fns/hoursToMilliseconds';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Integration } from '../../src/contract/integrations.ts';
import { IncidentList, MuteList } from '../../src/contract/lists.ts';
import { Mute } from '../../src/contract/mute.ts';
import { Incident } from '../../src/contract/resources.ts';
import { MAX_MUTES } from '../../src/service/store/mutes/mute-store.ts';
import { HANG_MS } from '../support/hang.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

let tocsin: TestService;
let incident: Incident;

beforeEach(async () => {
  tocsin = await startTestService();
  await tocsin.failIn(['payments']);
  incident = await tocsin.openIncident();
  return () => tocsin[Symbol.asyncDispose]();
});

const inHours = (hours: number) => addHours(tocsin.now(), hours).toISOString();

function post(body: object): Promise<Response> {
  return tocsin.call('POST', '/mutes', { body: { user: 'ana', until: inHours(1), ...body } });
}

/** From in two hours until in three. */
const planned = (body: object) => ({
  target: 'service',
  value: 'x',
  starts_at: inHours(2),
  until: inHours(3),
  ...body,
});

async function mute(body: object): Promise<Mute> {
  const response = await post(body);
  expect(response.status).toBe(201);
  return Mute.parse(await response.json());
}

async function read<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.infer<Schema>> {
  return schema.parse(await (await tocsin.call('GET', path)).json());
}

const readIncident = () => read(`/incidents/${incident.id}`, Incident);
const timeline = async () => (await readIncident()).timeline?.map(({ event, by, text }) => [event, by, text]);

describe('a mute', () => {
  it.each([
    ['incident', () => incident.id],
    ['service', () => 'payments'],
  ])('of the %s is on the incident, single and in lists', async (target, value) => {
    const created = await mute({ target, value: value(), reason: 'planned work' });

    expect(created).toMatchObject({ target, value: value(), reason: 'planned work', created_by: 'ana' });
    expect((await readIncident()).mute).toEqual(created);
    expect((await read('/incidents?status=open', IncidentList)).incidents[0]?.mute).toEqual(created);
    expect(await read('/mutes', MuteList)).toEqual({ mutes: [created] });
    expect((await timeline())?.at(-1)).toEqual(['muted', 'ana', `until ${created.until}: planned work`]);
  });

  it('of an incident may name it by its number', async () => {
    expect(await mute({ target: 'incident', value: String(incident.number) })).toMatchObject({ value: incident.id });
  });

  it('of an integration applies to incidents of which all signals come from it', async () => {
    const created = await tocsin.call('POST', '/integrations', { body: { type: 'generic', name: 'backups' } });
    const { id, ingest_key: key = null } = Integration.parse(await created.json());
    const send = (sender: string | null, service: string, dedup: string) =>
      tocsin.call('POST', '/generic', { key: sender, body: { service, summary: 'it failed', dedup_key: dedup } });
    await send(key, 'nightly', 'a');
    await send(key, 'shared', 'a');
    await send(tocsin.readWriteKey, 'shared', 'b');
    const readAll = async () => (await read('/incidents', IncidentList)).incidents;
    await vi.waitUntil(async () => (await readAll()).filter(({ signal_count: count }) => count > 0).length === 3, {
      timeout: HANG_MS,
    });

    const muted = await mute({ target: 'integration', value: id });

    const byRoot = new Map((await readAll()).map((each) => [each.root_service, each]));
    expect(byRoot.get('nightly')).toMatchObject({ mute: muted, integrations: [{ id, name: 'backups' }] });
    await vi.waitUntil(
      async () =>
        (await readAll()).some(({ root_service, signal_count }) => root_service === 'shared' && signal_count === 2),
      {
        timeout: HANG_MS,
      },
    );
    expect((await readAll()).find(({ root_service: root }) => root === 'shared')).toMatchObject({
      mute: null,
      integrations: [{ id, name: 'backups' }],
    });
    expect(byRoot.get('payments')).toMatchObject({ mute: null, integrations: [] });
  });

  it('replaces the one before of the same target and value; of several that apply, the last to end is shown', async () => {
    await mute({ target: 'service', value: 'payments', until: inHours(8) });
    const shorter = await mute({ target: 'service', value: 'payments', until: inHours(2) });
    await mute({ target: 'incident', value: incident.id, until: inHours(1) });

    expect((await readIncident()).mute).toEqual(shorter);
    expect((await read('/mutes', MuteList)).mutes).toHaveLength(2);
  });

  it('applies to incidents that open while it lasts, which open all the same', async () => {
    const muted = await mute({ target: 'service', value: 'stock' });
    await tocsin.failIn(['stock']);

    expect(await tocsin.openIncident()).toMatchObject({ root_service: 'stock', status: 'open', mute: muted });
  });

  it('does not apply to a closed incident', async () => {
    await mute({ target: 'service', value: 'payments' });
    await tocsin.call('POST', `/incidents/${incident.id}/resolve`, { body: { resolution_note: 'restarted' } });

    expect((await readIncident()).mute).toBeNull();
    expect((await post({ target: 'incident', value: incident.id })).status).toBe(409);
  });
});

describe('a mute that starts later', () => {
  it('is listed, begins at its time, is announced then, and ends', async () => {
    const created = await mute({ target: 'service', value: 'payments', starts_at: inHours(2), until: inHours(4) });
    await mute({ target: 'service', value: 'payments', until: inHours(1) }); // does not take its place
    const listed = await read('/mutes', MuteList);
    const before = await timeline();

    tocsin.advance(hoursToMilliseconds(2));
    await vi.waitUntil(async () => (await readIncident()).mute?.id === created.id, { timeout: HANG_MS });
    const after = await timeline();
    const begun = await read('/mutes', MuteList);
    tocsin.advance(hoursToMilliseconds(2));

    expect(listed.mutes).toMatchObject([{ starts_at: null }, { id: created.id, starts_at: created.starts_at }]);
    expect(before).not.toContainEqual(['muted', 'ana', `until ${created.until}`]);
    expect(after).toContainEqual(['muted', 'ana', `until ${created.until}`]);
    expect(begun.mutes).toMatchObject([{ id: created.id, starts_at: null, until: created.until }]);
    expect((await readIncident()).mute).toBeNull();
    await vi.waitUntil(async () => (await timeline())?.at(-1)?.[0] === 'unmuted', { timeout: HANG_MS });
  });

  it('is replaced by one with the same start, may be cancelled, and then never begins', async () => {
    const body = planned({ value: 'payments' });
    const first = await mute(body);
    const second = await mute({ ...body, reason: 'upgrade' });

    const cancelled = await tocsin.call('DELETE', `/mutes/${second.id}?user=ben`);
    const again = await tocsin.call('DELETE', `/mutes/${first.id}?user=ben`);
    const left = await read('/mutes', MuteList);

    expect([cancelled.status, again.status]).toEqual([204, 404]);
    expect(left.mutes).toEqual([]);
  });

  it('may be replaced when there are as many as may be', async () => {
    const plan = planned({ value: 'service 0' });
    for (let number = 0; number < MAX_MUTES; number += 1) {
      await mute({ ...plan, value: `service ${number}` });
    }

    const replaced = await post({ ...plan, reason: 'longer than thought' });
    const added = await post({ ...plan, value: 'one more' });

    expect([replaced.status, added.status]).toEqual([201, 409]);
  });

  it('does not shorten one that lasts longer', async () => {
    await mute(planned({ value: 'payments' }));
    const longer = await mute({ target: 'service', value: 'payments', until: inHours(8) });

    tocsin.advance(hoursToMilliseconds(2));
    await vi.waitUntil(async () => (await read('/mutes', MuteList)).mutes.length === 1, { timeout: HANG_MS });

    expect(await read('/mutes', MuteList)).toEqual({ mutes: [longer] });
  });

  it('comes back each day at its time', async () => {
    const body = { target: 'service', value: 'payments', until: inHours(2), repeat: 'day', time_zone: 'Europe/Berlin' };
    const now = await mute(body);
    const [, next] = (await read('/mutes', MuteList)).mutes;
    tocsin.advance(hoursToMilliseconds(25));
    const second = await vi.waitUntil(
      async () =>
        (await read('/mutes', MuteList)).mutes.find(({ starts_at: start, id }) => start === null && id !== now.id),
      { timeout: HANG_MS },
    );

    expect(now).toMatchObject({ starts_at: null, repeat: null });
    expect(next).toMatchObject({ repeat: 'day', time_zone: 'Europe/Berlin', value: 'payments' });
    expect(second.until).toBe(next?.until);
    expect((await read('/mutes', MuteList)).mutes).toMatchObject([{ id: second.id }, { repeat: 'day' }]);
  });

  it('missed while the service was down is left out', async () => {
    await mute(planned({ value: 'payments' }));

    tocsin.advance(hoursToMilliseconds(5));
    await vi.waitUntil(async () => (await read('/mutes', MuteList)).mutes.length === 0, { timeout: HANG_MS });

    expect((await timeline())?.map(([event]) => event)).not.toContain('muted');
  });
});

describe('the end of a mute', () => {
  it('comes by its time, and is announced', async () => {
    await mute({ target: 'service', value: 'payments' });
    tocsin.advance(hoursToMilliseconds(1));

    expect((await readIncident()).mute).toBeNull();
    expect(await read('/mutes', MuteList)).toEqual({ mutes: [] });
    await vi.waitUntil(async () => (await timeline())?.at(-1)?.[0] === 'unmuted', { timeout: HANG_MS });
    expect((await timeline())?.at(-1)).toEqual(['unmuted', undefined, undefined]);
  });

  it('may be sooner, by a person', async () => {
    const { id } = await mute({ target: 'incident', value: incident.id });

    const ended = await tocsin.call('DELETE', `/mutes/${id}?user=ben`);
    const again = await tocsin.call('DELETE', `/mutes/${id}?user=ben`);

    expect([ended.status, again.status]).toEqual([204, 404]);
    expect(await again.json()).toMatchObject({ code: 'mute-not-found' });
    expect((await readIncident()).mute).toBeNull();
    expect((await timeline())?.at(-1)).toEqual(['unmuted', 'ben', undefined]);
  });
});

it('sends an event of each incident that it touches, with the mute in it', async () => {
  const stream = await tocsin.call('GET', '/events');
  const { id } = await mute({ target: 'service', value: 'payments' });
  await tocsin.call('DELETE', `/mutes/${id}?user=ben`);

  let sent = '';
  for await (const text of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    sent += text;
    if (sent.match(/^data: .*\n/gm)?.length === 2) {
      break;
    }
  }

  const types = [...sent.matchAll(/^event: (.*)$/gm)].map(([, type]) => type);
  expect(types).toEqual(['incident.updated', 'incident.unmuted']);
  const mutes = [...sent.matchAll(/^data: (.*)$/gm)].map(
    ([, data]) => z.object({ incident: Incident }).parse(JSON.parse(data ?? '')).incident.mute?.id ?? null,
  );
  expect(mutes).toEqual([id, null]);
});

it.each([
  ['a time that has passed', () => ({ target: 'service', value: 'x', until: inHours(-1) }), '/until'],
  [
    'more than 30 days',
    () => ({ target: 'service', value: 'x', until: addDays(tocsin.now(), 31).toISOString() }),
    '/until',
  ],
  ['no time', () => ({ target: 'service', value: 'x', until: 'tomorrow' }), '/until'],
  ['an unknown target', () => ({ target: 'team', value: 'x' }), '/target'],
  ['an unknown incident', () => ({ target: 'incident', value: '999' }), '/value'],
  ['an incident that is no reference', () => ({ target: 'incident', value: 'x' }), '/value'],
  ['an unknown integration', () => ({ target: 'integration', value: 'int_x' }), '/value'],
  ['words that are no labels', () => ({ target: 'labels', value: 'payments' }), '/value'],
  ['a start a year and a week ahead', () => planned({ starts_at: addDays(tocsin.now(), 373) }), '/starts_at'],
  ['an end before the start', () => planned({ starts_at: inHours(2), until: inHours(1) }), '/until'],
  ['an end that is 31 days after the start', () => planned({ until: addDays(tocsin.now(), 32) }), '/until'],
  ['a mute that lasts longer than its repetition', () => planned({ until: inHours(27), repeat: 'day' }), '/repeat'],
  ['an unknown time zone', () => planned({ time_zone: 'Europe/Nowhere' }), '/time_zone'],
  ['a long reason', () => ({ target: 'service', value: 'x', reason: 'y'.repeat(1_001) }), '/reason'],
])('refuses %s', async (_name, body, pointer) => {
  const refused = await post(body());

  expect(refused.status).toBe(422);
  expect(await refused.json()).toMatchObject({ code: 'invalid-body', errors: [{ pointer }] });
});

it('accepts 30 days and a reason of 1,000 characters', async () => {
  const until = addDays(tocsin.now(), 30).toISOString();

  expect((await post({ target: 'service', value: 'x', until, reason: 'y'.repeat(1_000) })).status).toBe(201);
});
