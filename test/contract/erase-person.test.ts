import { expect, it } from 'vitest';
import { BOT_SCHEMA } from '../../src/bot/tables.ts';
import { runVerb } from '../../src/cli/run-verb.ts';
import { SERVICE_SCHEMA } from '../../src/service/store/schema/tables.ts';
import type { TestDatabase } from '../support/database.ts';
import { startRealTeam } from '../support/real-team.ts';

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

it('demands an id, because people may share a name', async () => {
  await expect(runVerb('erase-person', ['Ana'], { env: {}, now: () => new Date() })).rejects.toThrow(
    'name the person by an id',
  );
});
