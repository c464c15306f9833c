import { beforeEach, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/test-service.ts';

let tocsin: TestService;
let path: string;

beforeEach(async () => {
  tocsin = await startTestService();
  await tocsin.failIn(['payments']);
  path = `/incidents/${(await tocsin.openIncident()).id}`;
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
  it.each(['', '?signals=none'])('is answered with 304 while nothing has changed, and anew after%s', async (query) => {
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

  it('gives what was read with its signals another tag than without', async () => {
    const response = await tocsin.call('GET', path, { headers: { 'if-none-match': await readTag('?signals=none') } });

    expect(response.status).toBe(200);
  });
});

describe('changing an incident that somebody else has changed', () => {
  it('is refused, and leaves it as it was', async () => {
    const tag = await readTag();
    const ana = await acknowledge(tag, 'ana');

    const acknowledged = await acknowledge(tag, 'ben');
    const resolved = await resolve(tag, 'restarted');

    expect(ana.status).toBe(200);
    for (const refused of [acknowledged, resolved]) {
      expect(refused.status).toBe(412);
      expect(await refused.json()).toMatchObject({ code: 'incident-changed', status: 412 });
      expect(refused.headers.get('etag')).toBe(await readTag('?signals=none'));
    }
    expect(await (await tocsin.call('GET', path)).json()).toMatchObject({ status: 'open', acknowledged_by: 'ana' });
  });

  it('goes through with the tag of the last answer, whether it held the signals or not', async () => {
    const acknowledged = await acknowledge(await readTag('?signals=none'), 'ana');
    const tag = acknowledged.headers.get('etag') ?? '';
    const resolved = await resolve(`"other", ${tag}`, 'restarted');

    expect(await readTag('?signals=none')).not.toBe(tag);
    expect([acknowledged.status, resolved.status]).toEqual([200, 200]);
  });

  it('goes through for whoever takes any state, and for nobody with a weak or broken tag', async () => {
    const tag = await readTag();

    expect((await acknowledge(`W/${tag}`, 'ana')).status).toBe(412);
    expect((await acknowledge('nonsense', 'ana')).status).toBe(412);
    expect((await acknowledge('*', 'ana')).status).toBe(200);
  });

  it('lets one of many win who have read the same', async () => {
    const tag = await readTag();

    const answers = await Promise.all(['ana', 'ben', 'cy', 'di'].map((user) => acknowledge(tag, user)));

    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 412, 412, 412]);
  });

  it('says that there is no such incident before anything else', async () => {
    path = '/incidents/987654321';

    expect((await acknowledge('"x"', 'ana')).status).toBe(404);
  });
});
