import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { IncidentList } from '../../src/contract/lists.ts';
import { Incident } from '../../src/contract/resources.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { signIn, stranger, type Visitor } from '../support/dashboard.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

/** Sends a form while somebody has locked the incidents and sessions. */
async function sendInTrouble(
  { database }: TestService,
  visitor: Visitor,
  path: string,
  form: Record<string, string>,
): Promise<{ readonly status: number; readonly html: string }> {
  const other = await database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  return await other.transaction().execute(async (tx) => {
    await sql`lock table incidents, sessions in access exclusive mode`.execute(tx);
    const response = await visitor.visit(path, { form });
    return { status: response.status, html: await response.text() };
  });
}

/** The hidden fields of a page, by name. */
function hiddenIn(html: string): Record<string, string> {
  const fields = html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g);
  return Object.fromEntries([...fields].map(([, name = '', value = '']) => [name, value]));
}

it('declares one incident when a form is sent again that a silent database had left open', async () => {
  await using tocsin = await startTestService();
  const ana = await signIn(tocsin, tocsin.readWriteKey, 'ana');
  const hidden = hiddenIn(await (await ana.visit('/incidents/declare')).text());
  const form = { title: 'unpaid', service: 'payments', severity: 'critical', note: '', ...hidden };

  const { status, html } = await sendInTrouble(tocsin, ana, '/incidents/declare', form);
  const kept = hiddenIn(html);
  await ana.visit('/incidents/declare', { form: kept });
  await ana.visit('/incidents/declare', { form: kept });

  expect(status).toBe(503);
  expect(kept).toMatchObject(form);
  const { incidents } = IncidentList.parse(await (await tocsin.call('GET', '/incidents')).json());
  const [{ id } = { id: '' }] = incidents;
  const { timeline = [] } = Incident.parse(await (await tocsin.call('GET', `/incidents/${id}`)).json());
  expect([incidents.length, timeline.filter(({ event }) => event === 'declared').length]).toEqual([1, 1]);
});

it('asks for a key again that it does not show back, and says so', async () => {
  await using tocsin = await startTestService();
  const form = { key: tocsin.readWriteKey, name: 'Ana', return_to: '/dashboard/signals' };

  const { status, html } = await sendInTrouble(tocsin, stranger(tocsin), '/sign-in', form);

  expect(status).toBe(503);
  expect(html).toMatch(/<input name="key" type="password" required/);
  expect(html).toContain('name="return_to" value="/dashboard/signals"');
  expect(html).not.toContain(tocsin.readWriteKey);
  expect(html).not.toContain('Nothing that you typed is lost');
});

it('keeps a note once that the same person sends again, and a new one', async () => {
  await using tocsin = await startTestService();
  await tocsin.failIn(['payments']);
  const { number } = await tocsin.openIncident();
  const [ana, ben] = [
    await signIn(tocsin, tocsin.readWriteKey, 'ana'),
    await signIn(tocsin, tocsin.readWriteKey, 'ben'),
  ];

  for (const [who, note] of [
    [ana, 'rolling back'],
    [ana, 'rolling back'],
    [ben, 'rolling back'],
    [ana, 'it works again'],
  ] as const) {
    const { status } = await who.visit(`/incidents/${number}/notes`, { form: { note } });
    expect(status).toBe(303);
  }

  const { timeline = [] } = Incident.parse(await (await tocsin.call('GET', `/incidents/${number}`)).json());
  const notes = timeline.filter(({ event }) => event === 'note');
  expect(notes.map(({ by, text }) => [by, text])).toEqual([
    ['ana', 'rolling back'],
    ['ben', 'rolling back'],
    ['ana', 'it works again'],
  ]);
});
