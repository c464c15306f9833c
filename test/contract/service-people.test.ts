import { addDays } from 'date-fns/addDays';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { Person, PersonList, Schedule, ShiftList, Swap } from '../../src/contract/on-call.ts';
import { Policy, Way, WayList } from '../../src/contract/waking.ts';
import { COLUMNS_OF_PEOPLE } from '../../src/service/store/people/merge-people.ts';
import { SERVICE_SCHEMA } from '../../src/service/store/schema/tables.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { openTables } from '../support/webhook-receiver.ts';

let tocsin: TestService;
beforeEach(async () => {
  tocsin = await startTestService();
  return () => tocsin[Symbol.asyncDispose]();
});

async function ask<Schema extends z.ZodType>(schema: Schema, method: string, path: string, body?: object) {
  const response = await tocsin.call(method, path, body && { body });
  expect([200, 201]).toContain(response.status);
  return schema.parse(await response.json());
}
const save = (reference: string, body: object) => ask(Person, 'PUT', `/people/${reference}`, body);
const daily = (people: readonly string[]) => ({
  people,
  every: { count: 1, unit: 'day' },
  at: '00:00',
  anchor: addDays(tocsin.now(), -1).toISOString().slice(0, 10),
});
const createSchedule = (layers: readonly object[]) =>
  ask(Schedule, 'POST', '/schedules', { name: 'Payments', time_zone: 'UTC', layers });

describe('two records of one person', () => {
  it('become one by their verified address, with schedules, swaps, ways and policies', async () => {
    const signedIn = await save('email:ana@example.com', { name: 'Ana at the dashboard' });
    const quiet_hours = { from: '22:00', until: '06:30' };
    const inSlack = await save('slack:U1', { name: 'Ana in Slack', quiet_hours });
    const ben = await save('slack:U2', { name: 'Ben' });
    const { id } = await createSchedule([daily([inSlack.id, ben.id])]);
    const to = addDays(tocsin.now(), 3).toISOString();
    await ask(Swap, 'POST', `/schedules/${id}/swaps`, { asker: ben.id, taker: inSlack.id, to });
    const way = { kind: 'slack', address: 'U1' };
    await ask(Way, 'POST', `/people/${inSlack.id}/ways`, way);
    await ask(Way, 'POST', `/people/${signedIn.id}/ways`, way);
    const steps = [{ after_s: 0, to: [{ kind: 'person', id: inSlack.id }] }];
    await ask(Policy, 'POST', '/policies', { name: 'All', user: 'ana', steps });
    const times = `from=${addDays(tocsin.now(), -1).toISOString()}&to=${to}`;
    const before = await ask(ShiftList, 'GET', `/schedules/${id}/shifts?${times}`);

    const one = await save('slack:U1', { name: 'Ana', email: 'Ana@example.com' });

    expect(one).toMatchObject({ id: signedIn.id, slack_user_id: 'U1', email: 'ana@example.com', name: 'Ana' });
    expect(one).toMatchObject({ quiet_hours });
    const { people } = await ask(PersonList, 'GET', '/people');
    expect(people.map(({ name }) => name)).toEqual(['Ana', 'Ben']);
    expect((await ask(Person, 'GET', `/people/${inSlack.id}`)).id).toBe(one.id);
    const after = await ask(ShiftList, 'GET', `/schedules/${id}/shifts?${times}`);
    expect(after.shifts.map(({ person }) => person?.id)).toEqual(
      before.shifts.map(({ person }) => (person?.id === inSlack.id ? one.id : person?.id)),
    );
    expect((await ask(WayList, 'GET', `/people/${one.id}/ways`)).ways).toHaveLength(1);
    expect(await (await tocsin.call('GET', '/policies')).json()).toMatchObject({
      policies: [{ steps: [{ to: [{ id: one.id }] }] }],
    });
    expect(await (await tocsin.call('GET', `/schedules/${id}/swaps`)).json()).toMatchObject({
      swaps: [{ taker: { id: one.id, name: 'Ana' } }],
    });
  });

  it('become one in every column that names somebody', async () => {
    const { rows } = await sql<{ name: string }>`
      select distinct col.table_name || '.' || col.column_name as name
      from information_schema.columns as col
      left join information_schema.key_column_usage as key using (table_schema, table_name, column_name)
      left join information_schema.constraint_column_usage as target
        on target.constraint_name = key.constraint_name and target.table_name = 'people' and key.table_name <> 'people'
      where col.table_schema = ${SERVICE_SCHEMA} and (target.table_name is not null or col.column_name = 'person_id')
    `.execute(await openTables(tocsin));

    expect(COLUMNS_OF_PEOPLE.map((names) => names.join('.')).toSorted()).toEqual(
      rows.map(({ name }) => name).toSorted(),
    );
  });

  it('stay two where something else says so, and are never one by their name', async () => {
    const old = await save('slack:U1', { name: 'Ana', email: 'ana@example.com' });
    const namesake = await save('slack:U2', { name: 'Ana' });

    const second = await save('slack:U2', { name: 'Ana', email: 'ana@example.com' });

    expect([second.id, second.email]).toEqual([namesake.id, null]);
    expect(await ask(Person, 'GET', '/people/email:ana@example.com')).toMatchObject({
      id: old.id,
      slack_user_id: 'U1',
    });
  });
});

it('tells of nobody else what is told of an unknown id', async () => {
  const ana = await save('email:ana@example.com', { name: 'Ana' });

  const body = { name: 'Bob', email: 'ana@example.com' };
  const refused = await tocsin.call('PUT', `/people/${ana.id.slice(0, -1)}0`, { body });

  expect(refused.status).toBe(404);
  expect(await ask(Person, 'GET', `/people/${ana.id}`)).toEqual(ana);
});

describe('a swap that was taken', () => {
  it('is given back within ten minutes, and asked again', async () => {
    const [ana, ben] = [await save('slack:U1', { name: 'Ana' }), await save('slack:U2', { name: 'Ben' })];
    const { id } = await createSchedule([daily([ana.id])]);
    const to = addDays(tocsin.now(), 1).toISOString();
    const swap = await ask(Swap, 'POST', `/schedules/${id}/swaps`, { asker: ana.id, to });
    const say = (body: object) => tocsin.call('POST', `/swaps/${swap.id}/answer`, { body });
    const onCall = async () => (await ask(Schedule, 'GET', `/schedules/${id}`)).on_call?.name;

    const early = await say({ answer: 'undone' });
    const taken = Swap.parse(await (await say({ answer: 'taken', person: ben.id })).json());
    const during = await onCall();
    tocsin.advance(9 * 60_000);
    const undone = Swap.parse(await (await say({ answer: 'undone' })).json());
    const after = await onCall();
    await say({ answer: 'taken', person: ben.id });
    tocsin.advance(10 * 60_000);
    const late = await say({ answer: 'undone' });

    expect(early.status).toBe(409);
    expect(taken.undo_until).not.toBeNull();
    expect([during, after]).toEqual(['Ben', 'Ana']);
    expect(undone).toMatchObject({ state: 'asked', taker: null, undo_until: null });
    expect(late.status).toBe(409);
    expect(await onCall()).toBe('Ben');
  });
});

describe('a Slack user group', () => {
  it('gives a schedule its people, and whoever is on call stays until the hand-over', async () => {
    const people = [];
    for (const number of [1, 2, 3]) {
      people.push(await save(`slack:U${number}`, { name: `P${number}` }));
    }
    const { id } = await createSchedule([daily(['slack:U1', 'slack:U2'])]);
    const before = (await ask(Schedule, 'GET', `/schedules/${id}`)).on_call;
    const group = { id: 'S1', direction: 'read' };
    const members = ['slack:U3', 'slack:U1', 'slack:U2'].filter(
      (user) => user !== `slack:${before?.name.replace('P', 'U')}`,
    );

    const changed = await ask(Schedule, 'PUT', `/schedules/${id}/slack-group`, { group, people: members });
    const again = await ask(Schedule, 'PUT', `/schedules/${id}/slack-group`, { group, people: members });

    expect(changed).toMatchObject({ slack_group: group, on_call: before });
    expect(again).toEqual(changed);
    const [from, to] = [addDays(tocsin.now(), 1), addDays(tocsin.now(), 9)].map((at) => at.toISOString());
    const { shifts } = await ask(ShiftList, 'GET', `/schedules/${id}/shifts?from=${from}&to=${to}`);
    expect(new Set(shifts.map(({ person }) => person?.name))).toEqual(
      new Set(people.map(({ name }) => name).filter((name) => name !== before?.name)),
    );
    const none = await ask(Schedule, 'PUT', `/schedules/${id}/slack-group`, { group: null });
    expect(none.slack_group).toBeNull();
  });

  it('gives people to a schedule that has none', async () => {
    await save('slack:U1', { name: 'Ana' });
    const { id } = await createSchedule([]);

    const body = { group: { id: 'S1', direction: 'read' }, people: ['slack:U1'] };

    expect(await ask(Schedule, 'PUT', `/schedules/${id}/slack-group`, body)).toMatchObject({
      on_call: { name: 'Ana' },
    });
  });
});
