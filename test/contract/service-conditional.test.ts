import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { Incident } from '../../src/contract/resources.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

let tocsin: TestService;
let path: string;

beforeEach(async () => {
  tocsin = await startTestService();
  const body = { title: 'no payments', service: 'payments', severity: 'error' }; // without telemetry, only people change it
  path = `/incidents/${Incident.parse(await (await tocsin.call('POST', '/incidents', { body })).json()).id}`;
  return () => tocsin[Symbol.asyncDispose]();
});

async function readTag(query = ''): Promise<string> {
  const response = await tocsin.call('GET', path + query);
  expect(response.status).toBe(200);
  return response.headers.get('etag') ?? '';
}

const acknowledge = (tag: string, user: string) =>
  tocsin.call('POST', `${path}/acknowledge`, { headers: { 'if-match': tag }, body: { user } });
const resolve = (tag: string, note: string) =>
  tocsin.call('POST', `${path}/resolve`, { headers: { 'if-match': tag }, body: { resolution_note: note } });

describe('reading an incident again', () => {
  it.each(['', '?signals=none'])('is answered with 304 until something changes%s', async (query) => {
    const read = (tag: string) => tocsin.call('GET', path + query, { headers: { 'if-none-match': tag } });
    const tag = await readTag(query);

    const same = await read(tag);
    const amongOthers = await read(`"other", W/${tag}`);
    const any = await read('*');
    const stranger = await read('"other"');
    await tocsin.call('POST', `${path}/acknowledge`, { body: { user: 'ana' } });
    const changed = await read(tag);

    expect(tag).toMatch(/^"[\w.-]+"$/);
    expect([same, amongOthers, any, stranger, changed].map(({ status }) => status)).toEqual([304, 304, 304, 200, 200]);
    expect(await same.text()).toBe('');
    expect(same.headers.get('etag')).toBe(tag);
    expect(same.headers.has('x-request-id')).toBe(true);
    expect(changed.headers.get('etag')).not.toBe(tag);
  });

  it('uses different tags with and without signals', async () => {
    const response = await tocsin.call('GET', path, { headers: { 'if-none-match': await readTag('?signals=none') } });

    expect(response.status).toBe(200);
  });
});

describe('a compressed answer', () => {
  const GZIP = { 'accept-encoding': 'gzip' };

  it('is the same, with a strong tag of its own that changes and questions take', async () => {
    const plain = await tocsin.call('GET', path);
    const packed = await tocsin.call('GET', path, { headers: GZIP });
    const tag = packed.headers.get('etag') ?? '';

    const again = await tocsin.call('GET', path, { headers: { ...GZIP, 'if-none-match': tag } });
    const changed = await acknowledge(tag, 'ana');

    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(packed.headers.get('vary')).toMatch(/accept-encoding/i);
    expect(gunzipSync(await packed.arrayBuffer()).toString()).toBe(await plain.text());
    expect(tag).toBe(plain.headers.get('etag')?.replace(/"$/, '-gzip"'));
    expect([again.status, changed.status]).toEqual([304, 200]);
  });
});

describe('changing an incident that somebody else has changed', () => {
  it('is refused, and changes nothing', async () => {
    const tag = await readTag();
    const ana = await acknowledge(tag, 'ana');

    const acknowledged = await acknowledge(tag, 'ben');
    const resolved = await resolve(tag, 'restarted');

    expect(ana.status).toBe(200);
    for (const refused of [acknowledged, resolved]) {
      expect(refused.status).toBe(412);
      expect(await refused.json()).toMatchObject({
        code: 'incident-changed',
        status: 412,
        detail: expect.stringMatching(/\(last: acknowledged by ana at .+Z\)/),
      });
      expect(refused.headers.get('etag')).toBe(await readTag('?signals=none'));
    }
    expect(await (await tocsin.call('GET', path)).json()).toMatchObject({ status: 'open', acknowledged_by: 'ana' });
  });

  it('succeeds with the tag of the last response, with or without signals', async () => {
    const acknowledged = await acknowledge(await readTag('?signals=none'), 'ana');
    const tag = acknowledged.headers.get('etag') ?? '';
    const resolved = await resolve(`"other", ${tag}`, 'restarted');

    expect(await readTag('?signals=none')).not.toBe(tag);
    expect([acknowledged.status, resolved.status]).toEqual([200, 200]);
  });

  it('succeeds with *, and not with a weak or invalid tag', async () => {
    const tag = await readTag();

    expect((await acknowledge(`W/${tag}`, 'ana')).status).toBe(412);
    expect((await acknowledge('nonsense', 'ana')).status).toBe(412);
    expect((await acknowledge('*', 'ana')).status).toBe(200);
  });

  it('succeeds after new signals, because nobody was faster', async () => {
    await tocsin.failIn(['cart']);
    path = `/incidents/${(await tocsin.openIncident()).id}`;
    const tag = await readTag();
    const { signal_count: before } = Incident.parse(await (await tocsin.call('GET', path)).json());
    await tocsin.failIn(['cart'], { name: 'another call' });
    await expect
      .poll(async () => {
        tocsin.advance(1_000);
        return Incident.parse(await (await tocsin.call('GET', path)).json()).signal_count;
      })
      .toBeGreaterThan(before);

    expect(await readTag()).not.toBe(tag);
    expect((await acknowledge(tag, 'ana')).status).toBe(200);
  });

  it('lets one of many callers win who have read the same state', async () => {
    const tag = await readTag();

    const answers = await Promise.all(['ana', 'ben', 'cy', 'di'].map((user) => acknowledge(tag, user)));

    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 412, 412, 412]);
  });

  it('is refused after the deadline of the request, by the clock that each response shows', async () => {
    const shown = Date.parse((await tocsin.call('GET', path)).headers.get('tocsin-time') ?? '');
    const send = (aheadMs: number) =>
      tocsin.call('POST', `${path}/acknowledge`, {
        headers: { 'tocsin-deadline': new Date(shown + aheadMs).toISOString() },
        body: { user: 'ana' },
      });

    const late = await send(0);
    const inTime = await send(60_000);

    expect([late.status, inTime.status]).toEqual([412, 200]);
    expect(await late.json()).toMatchObject({ code: 'request-expired' });
    expect(Date.parse(late.headers.get('tocsin-time') ?? '')).toBeGreaterThanOrEqual(shown);
  });

  it('reports an unknown incident before anything else', async () => {
    path = '/incidents/987654321';

    expect((await acknowledge('"x"', 'ana')).status).toBe(404);
  });
});
