import { addDays } from 'date-fns/addDays';
import { addHours } from 'date-fns/addHours';
import { hoursToMilliseconds } from 'date-fns/hoursToMilliseconds';
import { beforeEach, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import {
  GapList,
  ON_CALL_LIMITS,
  Person,
  PersonList,
  Schedule,
  ScheduleList,
  ScheduleOverride,
  ShiftList,
  Swap,
  SwapList,
} from '../../src/contract/on-call.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

let tocsin: TestService;
let ana: Person;
let ben: Person;
let cem: Person;

beforeEach(async () => {
  tocsin = await startTestService();
  ana = await save('slack:U1', { name: 'Ana', time_zone: 'Europe/Berlin' });
  ben = await save('slack:U2', { name: 'Ben' });
  cem = await save('email:cem@example.com', { name: 'Cem' });
  return () => tocsin[Symbol.asyncDispose]();
});

async function ask<Schema extends z.ZodType>(
  schema: Schema,
  method: string,
  path: string,
  body?: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<z.infer<Schema>> {
  const response = await tocsin.call(method, path, { ...(body && { body }), headers });
  expect([200, 201]).toContain(response.status);
  return schema.parse(await response.json());
}

const save = (reference: string, body: object) => ask(Person, 'PUT', `/people/${reference}`, body);

/** Turns of a day each, from the beginning of yesterday in UTC on. */
const daily = (people: readonly (string | null)[], more: object = {}) => ({
  people,
  every: { count: 1, unit: 'day' },
  at: '00:00',
  anchor: addDays(tocsin.now(), -1).toISOString().slice(0, 10),
  ...more,
});

const wanted = (layers: readonly object[], more: object = {}) => ({
  name: 'Payments',
  time_zone: 'UTC',
  layers,
  ...more,
});

const create = (layers: readonly object[]) => ask(Schedule, 'POST', '/schedules', wanted(layers));
const read = (id: string) => ask(Schedule, 'GET', `/schedules/${id}`);

function shifts(id: string, from: Date, to: Date): Promise<ShiftList> {
  return ask(ShiftList, 'GET', `/schedules/${id}/shifts?from=${from.toISOString()}&to=${to.toISOString()}`);
}

const names = ({ shifts: all }: ShiftList) => all.map(({ person }) => person?.name ?? null);

describe('people', () => {
  it('are one person by what says who they are, and two where only the name is the same', async () => {
    const again = await save('slack:U1', { name: 'Ana Lima', email: 'Ana@Example.com' });
    const byAddress = await save('email:ana@example.com', { name: 'Ana L.' });
    const namesake = await save('slack:U9', { name: 'Ana L.' });

    expect([again.id, byAddress.id]).toEqual([ana.id, ana.id]);
    expect(byAddress).toMatchObject({ name: 'Ana L.', email: 'ana@example.com', slack_user_id: 'U1' });
    expect(namesake.id).not.toBe(ana.id);
    expect((await ask(PersonList, 'GET', '/people')).people.map(({ name }) => name)).toEqual([
      'Ana L.',
      'Ana L.',
      'Ben',
      'Cem',
    ]);
  });

  it('show their address only to keys that may write', async () => {
    const response = await tocsin.call('GET', `/people/${cem.id}`, { key: tocsin.readOnlyKey });

    expect(cem.email).toBe('cem@example.com');
    expect(await response.text()).not.toContain('cem@example.com');
  });

  it('leave and come back', async () => {
    expect((await save('slack:U2', { name: 'Ben', is_gone: true })).gone_at).not.toBeNull();
    expect((await save('slack:U2', { name: 'Ben' })).gone_at).not.toBeNull();
    expect((await save('slack:U2', { name: 'Ben', is_gone: false })).gone_at).toBeNull();
  });

  it('are not made up', async () => {
    const save = (id: string) => tocsin.call('PUT', `/people/${id}`, { body: { name: 'Dora' } });

    expect([(await save('Dora')).status, (await save('person_x')).status]).toEqual([404, 404]);
    const bodies = [{ layers: [daily(['email:dora@example.com'])] }, { layers: [daily(['Ana'])] }];
    for (const body of bodies) {
      const response = await tocsin.call('POST', '/schedules', { body: { ...wanted([]), ...body } });
      expect([response.status, await response.text()]).toEqual([422, expect.stringContaining('/layers/0/people/0')]);
    }
  });
});

describe('a schedule', () => {
  it('says who is on call now and who is next', async () => {
    const schedule = await create([daily(['slack:U2', 'slack:U1', null])]);

    expect(schedule.on_call).toEqual({ id: ana.id, name: 'Ana' });
    expect(schedule.next?.person).toBeNull();
    expect(schedule.layers[0]?.people).toEqual([ben.id, ana.id, null]);
    expect(await read(schedule.id)).toEqual(schedule);
    expect((await ask(ScheduleList, 'GET', '/schedules')).schedules).toEqual([schedule]);
  });

  it('changes ahead as the preview said, and stays as it was behind', async () => {
    const schedule = await create([daily(['slack:U1', 'slack:U2'])]);
    const created = tocsin.now();
    tocsin.advance(hoursToMilliseconds(50));
    const before = await read(schedule.id);
    const past = await shifts(schedule.id, addDays(created, -3), tocsin.now());
    const change = wanted([{ ...before.layers[0], people: [cem.id, ben.id, ana.id] }, daily(['slack:U2'])]);

    const preview = await ask(ShiftList, 'POST', `/schedules/${schedule.id}/preview`, change);
    const untouched = await read(schedule.id);
    const after = await ask(Schedule, 'PUT', `/schedules/${schedule.id}`, change);

    expect(untouched).toEqual(before);
    expect(after.on_call).toEqual(before.on_call);
    const ahead = await shifts(schedule.id, tocsin.now(), addDays(tocsin.now(), 29));
    expect(names(ahead)).toEqual(names(preview).slice(0, names(ahead).length));
    expect(ahead.shifts.slice(1, -1)).toEqual(preview.shifts.slice(1, names(ahead).length - 1));
    expect(new Set(names(ahead))).toEqual(new Set(['Ana', 'Ben', 'Cem']));
    const [from, to] = [addDays(created, -3), new Date(past.shifts.at(-1)?.to ?? '')];
    expect(JSON.stringify(await shifts(schedule.id, from, to))).toBe(JSON.stringify(past));
  });

  it('is not changed by somebody who has not seen the change before', async () => {
    const schedule = await create([]);
    const etag = (await tocsin.call('GET', `/schedules/${schedule.id}`)).headers.get('etag') ?? '';
    const put = async (name: string, tags: string) => {
      const headers = { 'if-match': tags };
      return (await tocsin.call('PUT', `/schedules/${schedule.id}`, { body: wanted([], { name }), headers })).status;
    };

    expect(await put('First', `"other", ${etag}`)).toBe(200);
    expect([await put('Second', etag), await put('Second', `W/${etag}`), await put('Second', '"x"')]).toEqual(
      Array(3).fill(412),
    );
    expect((await read(schedule.id)).name).toBe('First');
    expect(await put('Second', '*')).toBe(200);
  });

  it('gets a name that others want at once, and they are refused', async () => {
    const all = [];
    for (const name of ['A', 'B', 'C', 'D', 'E', 'F']) {
      all.push(await ask(Schedule, 'POST', '/schedules', wanted([], { name })));
    }
    const rename = ({ id }: Schedule) =>
      tocsin.call('PUT', `/schedules/${id}`, { body: wanted([], { name: 'Payments' }) });

    const answers = await Promise.all(all.map(rename));

    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
      200, 409, 409, 409, 409, 409,
    ]);
  });

  it('keeps its past when it is deleted, and gives its name away', async () => {
    const schedule = await create([daily(['slack:U1'])]);
    tocsin.advance(hoursToMilliseconds(30));
    const past = await shifts(schedule.id, addDays(tocsin.now(), -2), addHours(tocsin.now(), -1));

    expect((await tocsin.call('DELETE', `/schedules/${schedule.id}?user=ana`)).status).toBe(204);

    tocsin.advance(hoursToMilliseconds(30));
    const [from, to] = [past.shifts[0]?.from ?? '', past.shifts.at(-1)?.to ?? ''];
    expect(await shifts(schedule.id, new Date(from), new Date(to))).toEqual(past);
    expect(await read(schedule.id)).toMatchObject({ on_call: null, layers: [] });
    expect((await ask(ScheduleList, 'GET', '/schedules')).schedules).toEqual([]);
    expect((await create([])).name).toBe('Payments');
  });

  it('has at most 10 layers, and says where a layer is wrong', async () => {
    const many = Array.from({ length: ON_CALL_LIMITS.layers + 1 }, () => daily(['slack:U1']));
    const post = (layers: readonly object[], more: object = {}) =>
      tocsin.call('POST', '/schedules', { body: wanted(layers, more) });

    expect((await post(many.slice(1))).status).toBe(201);
    expect((await post(many, { name: 'Other' })).status).toBe(422);
    const wrong = [
      { at: '24:00' },
      { anchor: '2027-02-30' },
      { time_zone: 'Mars/Base' },
      { every: { count: 0, unit: 'day' } },
    ];
    for (const field of wrong) {
      const response = await post([daily(['slack:U1'], field)], { name: 'Other' });
      expect([response.status, await response.text()]).toEqual([422, expect.stringContaining('/layers/0/')]);
    }
  });

  it('finds when nobody is on call, or somebody who left', async () => {
    const schedule = await create([daily(['slack:U1', 'slack:U2', null])]);
    await save('slack:U2', { name: 'Ben', is_gone: true });

    const { gaps } = await ask(GapList, 'GET', `/schedules/${schedule.id}/gaps`);

    expect(new Set(gaps.map(({ person }) => person?.name ?? null))).toEqual(new Set(['Ben', null]));
    expect(gaps.length).toBeGreaterThanOrEqual(19);
  });

  it('tells the hours, nights and weekends of each, also as CSV', async () => {
    const schedule = await create([daily(['slack:U1', 'slack:U2'])]);
    const named = await save('slack:U1', { name: '=cmd()|"Ana"' });
    const from = new Date(`${addDays(tocsin.now(), 7).toISOString().slice(0, 10)}T00:00:00Z`);
    const path = `/schedules/${schedule.id}/shifts?from=${from.toISOString()}&to=${addDays(from, 14).toISOString()}`;

    const list = await ask(ShiftList, 'GET', path);
    const response = await tocsin.call('GET', path, { headers: { accept: 'text/csv' } });

    const total = (key: 'hours' | 'night_hours' | 'weekend_hours') =>
      list.people.reduce((sum, person) => sum + person[key], 0);
    expect([total('hours'), total('night_hours'), total('weekend_hours')]).toEqual([336, 112, 96]);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const lines = (await response.text()).split('\r\n');
    expect(lines[0]).toBe('"person","name","hours","night_hours","weekend_hours","pages"');
    expect(lines.join('\n')).toContain(`"${named.id}","'=cmd()|""Ana""","168","56","48"`);
  });
});

describe('an override', () => {
  it('puts somebody on call now, and is taken back', async () => {
    const schedule = await create([daily(['slack:U1'])]);
    const path = `/schedules/${schedule.id}/overrides`;
    const body = { person: 'slack:U2', to: addHours(tocsin.now(), 2), reason: 'I take it', user: 'Ben' };

    const override = await ask(ScheduleOverride, 'POST', path, body);
    expect(await read(schedule.id)).toMatchObject({ on_call: { name: 'Ben' }, next: { from: override.to } });
    tocsin.advance(60_000);
    expect((await tocsin.call('DELETE', `/overrides/${override.id}`)).status).toBe(204);

    expect((await read(schedule.id)).on_call?.name).toBe('Ana');
    expect((await tocsin.call('DELETE', `/overrides/${override.id}`)).status).toBe(404);
    const past = await shifts(schedule.id, new Date(override.from), tocsin.now());
    expect(names(past)).toContain('Ben'); // for that minute
  });

  it('does not reach into the past', async () => {
    const schedule = await create([daily(['slack:U1'])]);
    tocsin.advance(hoursToMilliseconds(5));
    const path = `/schedules/${schedule.id}/overrides`;
    const [from, ended] = [addHours(tocsin.now(), -3), addHours(tocsin.now(), -1)];

    const made = await ask(ScheduleOverride, 'POST', path, { person: 'slack:U2', from, to: addHours(tocsin.now(), 1) });
    const past = await tocsin.call('POST', path, { body: { person: 'slack:U2', from, to: ended } });

    expect(new Date(made.from).getTime()).toBeGreaterThan(from.getTime() + hoursToMilliseconds(2));
    expect(past.status).toBe(422);
  });
});

describe('a swap', () => {
  it('puts who takes it on call instead of who asked, once', async () => {
    const schedule = await create([daily(['slack:U1'])]);
    const body = { asker: 'slack:U1', to: addHours(tocsin.now(), 3) };
    const swap = await ask(Swap, 'POST', `/schedules/${schedule.id}/swaps`, body);
    const answer = (given: object) => tocsin.call('POST', `/swaps/${swap.id}/answer`, { body: given });

    expect((await answer({ answer: 'taken' })).status).toBe(422); // by whom?
    const taken = await answer({ answer: 'taken', person: 'email:cem@example.com' });

    expect(Swap.parse(await taken.json())).toMatchObject({ state: 'taken', taker: { name: 'Cem' } });
    expect((await read(schedule.id)).on_call?.name).toBe('Cem');
    expect((await answer({ answer: 'taken', person: 'slack:U2' })).status).toBe(409);
    expect((await ask(SwapList, 'GET', `/schedules/${schedule.id}/swaps`)).swaps).toMatchObject([{ id: swap.id }]);
  });

  it('is answered once, by whichever of many', async () => {
    const schedule = await create([daily(['slack:U1'])]);
    const body = { asker: 'slack:U1', to: addHours(tocsin.now(), 3) };
    const swap = await ask(Swap, 'POST', `/schedules/${schedule.id}/swaps`, body);
    const taken = { answer: 'taken', person: 'slack:U2' };

    const answers = await Promise.all(
      Array.from({ length: 40 }, () => tocsin.call('POST', `/swaps/${swap.id}/answer`, { body: taken })),
    );

    const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other);
    expect(statuses).toEqual([200, ...Array.from({ length: 39 }, () => 409)]);
  });

  it('of somebody who took it from another is one as well', async () => {
    const schedule = await create([daily(['slack:U1'])]);
    const to = addHours(tocsin.now(), 3);
    for (const [asker, taker] of [
      ['slack:U1', 'slack:U2'],
      ['slack:U2', 'email:cem@example.com'],
    ]) {
      const { id } = await ask(Swap, 'POST', `/schedules/${schedule.id}/swaps`, { asker, taker, to });
      await ask(Swap, 'POST', `/swaps/${id}/answer`, { answer: 'taken' });
    }

    expect((await read(schedule.id)).on_call?.name).toBe('Cem');
  });
});
