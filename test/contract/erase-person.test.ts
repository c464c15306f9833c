import { expect, it } from 'vitest';
import { BOT_SCHEMA } from '../../src/bot/tables.ts';
import { runVerb } from '../../src/cli/run-verb.ts';
import { SERVICE_SCHEMA } from '../../src/service/store/schema/tables.ts';
import { cookieOf, stranger, visitorWith } from '../support/dashboard.ts';
import type { TestDatabase } from '../support/database.ts';
import { startRealTeam } from '../support/real-team.ts';
import { startTestService } from '../support/test-service.ts';

/** Every row of both parts, as text. */
async function rowsOf(database: TestDatabase): Promise<string[]> {
  const client = await database.connect();
  const { rows: tables } = await client.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = any($1)`,
    [[SERVICE_SCHEMA, BOT_SCHEMA]],
  );
  const all: string[] = [];
  for (const { name } of tables) {
    const { rows } = await client.query<{ row: string }>(`select (t)::text as row from ${name} t`);
    all.push(...rows.map(({ row }) => `${name} ${row}`));
  }
  await client.end();
  return all;
}

it('takes who a person was out of all that is stored, and leaves what was done and by how many', async () => {
  await using real = await startRealTeam();
  const { team, service } = real;
  const { database } = service;
  const erase = (id: string) =>
    runVerb('erase-person', [id], { env: { DATABASE_URL: database.url }, now: () => service.now() });
  await service.failIn(['payments']);
  const { id, number } = await service.openIncident();
  const card = await team.card(/payments/);
  await team.slack.as('ana').click(card, 'Acknowledge');
  await team.ephemeral('ana', /You acknowledged/);
  await team.slack.as('ana').command('incidents', `/incidents snooze ${number} 1h`);
  await team.ephemeral('ana', /snoozed/i);
  await team.slack.as('ben').command('incidents', `/incidents assign ${number} <@U0ANA00001|ana>`);
  await team.ephemeral('ben', /ana/i);
  await team.slack.as('ana').command('incidents', '/incidents snooze service:ben@example.com 2h planned work');
  await expect
    .poll(async () => (await rowsOf(database)).some((row) => row.startsWith('tocsin_service.mutes')))
    .toBe(true);
  const closing = { user: 'ben', resolution_note: 'ana restarted the pods' };
  expect((await service.call('POST', `/incidents/${id}/resolve`, { body: closing })).status).toBe(200);
  const person = { name: 'ana', email: 'ana@example.com' };
  expect((await service.call('PUT', '/people/slack:U0ANA00001', { body: person })).status).toBe(200);
  expect(await rowsOf(database)).toContainEqual(expect.stringMatching(/U0ANA00001/));

  const { output } = await erase('email:ana@example.com');

  const [, name = ''] = /^\d+ rows now say "(former member \w{8})"\.$/.exec(output) ?? [];
  const left = (await rowsOf(database)).filter((row) => /U0ANA00001|ana duarte|ana@example\.com|\bana\b/i.test(row));
  expect(left.filter((row) => !row.includes('ana restarted the pods'))).toEqual([]);
  const mutes = (await rowsOf(database)).filter((row) => row.startsWith('tocsin_service.mutes'));
  expect(mutes).toContainEqual(expect.stringContaining('service,ben@example.com,')); // the service, not the colleague of that name
  const incident = await (await service.call('GET', `/incidents/${id}`)).json();
  expect(incident).toMatchObject({ acknowledged_by: name, resolved_by: 'ben' });
  await expect(erase('slack:U0ANA00001')).rejects.toThrow('nothing is stored about slack:U0ANA00001');
});

it('takes a person out of the histories and of what was taught, where the name is all that people see', async () => {
  await using service = await startTestService();
  const { database } = service;
  const actor = { user: 'Eva Stone', user_id: 'slack:U0EVA00001' };
  const person = { ...actor, name: 'Eva Stone', slack_user_id: 'U0EVA00001' };
  const link = await service.call('POST', '/sign-in-links', { body: { ...person, role: 'admin' } });
  const { pathname } = new URL(Object(await link.json()).url);
  const used = await stranger(service).visit(pathname.replace('/dashboard', ''), { form: {} });
  const eva = await visitorWith(service, cookieOf(used));
  await eva.visit('/settings/api-keys', { form: { name: 'ci', scope: 'read-only' } });
  const known = await service.call('PUT', '/people/slack:U0EVA00001', { body: { name: 'Eva Stone' } });
  const layer = {
    every: { count: 1, unit: 'week' },
    at: '09:00',
    anchor: '2026-11-27',
    people: [Object(await known.json()).id],
  };
  const plan = { name: 'Payments', time_zone: 'UTC', layers: [layer], ...actor };
  const { id: schedule } = Object(await (await service.call('POST', '/schedules', { body: plan })).json());
  const to = new Date(service.now().getTime() + 3_600_000).toISOString();
  await service.call('POST', `/schedules/${schedule}/overrides`, { body: { to, person: null, ...actor } });
  await service.call('POST', `/schedules/${schedule}/feeds?${new URLSearchParams(actor).toString()}`);
  await service.failIn(['payments']);
  const { id } = await service.openIncident();
  const closing = { ...actor, resolution_note: 'expected', not_a_problem: true };
  await service.call('POST', `/incidents/${id}/resolve`, { body: closing });
  const declared = { ...actor, service: 'cart', title: 'carts are empty', severity: 'error' };
  expect((await service.call('POST', '/incidents', { body: declared })).status).toBe(201);
  const about = async () => (await rowsOf(database)).filter((row) => /Eva Stone|U0EVA00001/.test(row));
  const tables = (await about()).map((row) => row.split(' ')[0]?.replace('tocsin_service.', ''));
  expect(tables).toEqual(
    expect.arrayContaining([
      'api_key_events',
      'sign_in_events',
      'events',
      'lessons',
      'schedule_changes',
      'schedule_overrides',
      'schedule_feeds',
    ]),
  );

  await runVerb('erase-person', ['slack:U0EVA00001'], { env: { DATABASE_URL: database.url }, now: service.now });

  expect(await about()).toEqual([]);
  const signedIn = (await rowsOf(database)).filter((row) => row.includes('sign_in_events'));
  expect(signedIn).toEqual([expect.stringMatching(/"former member \w+","former member \w+",admin,link,"","",/)]);
});

it('demands an id, because people may share a name', async () => {
  await expect(runVerb('erase-person', ['Ana'], { env: {}, now: () => new Date() })).rejects.toThrow(
    'name the person by an id',
  );
});
