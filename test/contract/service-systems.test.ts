import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { Integration, IntegrationList } from '../../src/contract/integrations.ts';
import { IncidentList } from '../../src/contract/lists.ts';
import { Incident, type IncidentSummary } from '../../src/contract/resources.ts';
import { serviceMigrations } from '../../src/service/store/schema/migrations.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { alertNotification } from '../support/alert-notification.ts';
import { signIn } from '../support/dashboard.ts';
import { HANG_MS } from '../support/hang.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

async function createSender(tocsin: TestService, name: string, system?: string, type = 'otlp') {
  const body = { type, name, config: {}, ...(system !== undefined && { system }) };
  const response = await tocsin.call('POST', '/integrations', { body });
  expect(response.status).toBe(201);
  const { id, ingest_key: key } = Integration.parse(await response.json());
  return { id, key: key ?? '' };
}

async function listOpen(tocsin: TestService, query = ''): Promise<readonly IncidentSummary[]> {
  const response = await tocsin.call('GET', `/incidents?status=open${query}`);
  return IncidentList.parse(await response.json()).incidents;
}

/** Moves the clock on until so many incidents are open. */
function waitForOpen(tocsin: TestService, count: number): Promise<readonly IncidentSummary[]> {
  return vi.waitUntil(
    async () => {
      tocsin.advance(1_000);
      const open = await listOpen(tocsin);
      return open.length >= count ? open : null;
    },
    { timeout: HANG_MS },
  );
}

/** Requests through the services, each called by the one before. The last one fails, and so do its callers. */
async function sendFailedCalls(tocsin: TestService, key: string, services: readonly string[]) {
  for (let time = 0; time < 6; time += 1) {
    const body = failedRequest(services, tocsin.now().getTime());
    expect((await tocsin.call('POST', '/traces', { key, body })).status).toBe(200);
  }
}

function failedRequest(services: readonly string[], at: number) {
  const traceId = randomBytes(16).toString('hex');
  let parentSpanId = '';
  const span = (kind: 2 | 3, depth: number) => {
    const spanId = randomBytes(8).toString('hex');
    const made = {
      traceId,
      spanId,
      ...(parentSpanId !== '' && { parentSpanId }),
      name: kind === 2 ? 'POST /charge' : 'POST',
      kind,
      startTimeUnixNano: `${at - 100 + 2 * depth}000000`,
      endTimeUnixNano: `${at - 2 * depth}000000`,
      status: { code: 2, message: 'connection refused' },
    };
    parentSpanId = spanId;
    return made;
  };
  return {
    resourceSpans: services.map((service, index) => ({
      resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
      scopeSpans: [{ spans: [span(2, 2 * index), ...(index < services.length - 1 ? [span(3, 2 * index + 1)] : [])] }],
    })),
  };
}

/** Of Alertmanager. @param endsAt null: it fires */
function alertOf(service: string, endsAt: Date | null = null) {
  const labels = { service, alertname: 'Down', instance: service };
  const notification = alertNotification(new Date(Date.now() - 60_000), endsAt, labels);
  return { ...notification, alerts: notification.alerts.map((alert) => ({ ...alert, fingerprint: service })) };
}

it('judges two systems with equal services apart, each with the right root', async () => {
  await using tocsin = await startTestService();
  const acme = await createSender(tocsin, 'acme collector', 'acme');
  const globex = await createSender(tocsin, 'globex collector', 'globex');

  await sendFailedCalls(tocsin, acme.key, ['web', 'cart', 'payments']);
  await sendFailedCalls(tocsin, globex.key, ['web', 'cart']);
  const open = await waitForOpen(tocsin, 2);
  tocsin.advance(60_000);
  const bySystem = new Map(open.map((incident) => [incident.system, incident]));

  expect(bySystem.get('acme')).toMatchObject({ root_service: 'payments', labels: { system: ['acme'] } });
  expect(bySystem.get('globex')).toMatchObject({ root_service: 'cart', labels: { system: ['globex'] } });
  expect(open).toHaveLength(2);
  expect((await listOpen(tocsin, '&system=acme')).map(({ system }) => system)).toEqual(['acme']);
  for (const { id, system, number = 0 } of open) {
    const whole = Incident.parse(await (await tocsin.call('GET', `/incidents/${number}`)).json());
    expect(whole.id).toBe(id);
    const own = system === 'acme' ? acme.id : globex.id;
    expect(whole.integrations).toEqual([{ id: own, name: `${system} collector` }]);
    expect(whole.similar).toEqual([]);
  }
  expect(new Set(open.map(({ number }) => number))).toEqual(new Set([1, 2]));

  const [one, other] = open;
  const merge = await tocsin.call('POST', `/incidents/${one?.id}/merge`, { body: { user: 'ana', into: other?.id } });
  expect(merge.status).toBe(409);
  expect(await merge.json()).toMatchObject({
    code: 'other-system',
    detail: expect.stringContaining('cannot be merged into one of system'),
  });
});

it('knows an earlier failure only from the same system', async () => {
  await using tocsin = await startTestService();
  const acme = await createSender(tocsin, 'acme alerts', 'acme', 'alertmanager');
  const globex = await createSender(tocsin, 'globex alerts', 'globex', 'alertmanager');
  await tocsin.call('POST', '/alertmanager', { key: acme.key, body: alertOf('payments') });
  const [first] = await waitForOpen(tocsin, 1);
  const note = { body: { user: 'ana', resolution_note: 'restarted it' } };
  expect((await tocsin.call('POST', `/incidents/${first?.id}/resolve`, note)).status).toBe(200);
  await tocsin.call('POST', '/alertmanager', { key: acme.key, body: alertOf('payments', new Date()) });
  tocsin.advance(30 * 60_000);

  await tocsin.call('POST', '/alertmanager', { key: globex.key, body: alertOf('payments') });
  const [ofGlobex] = await waitForOpen(tocsin, 1);
  await tocsin.call('POST', '/alertmanager', { key: acme.key, body: alertOf('payments') });
  const ofAcme = (await waitForOpen(tocsin, 2)).find(({ system }) => system === 'acme');
  const similarTo = async (id: string | undefined) =>
    Incident.parse(await (await tocsin.call('GET', `/incidents/${id}`)).json()).similar?.map(({ number }) => number);

  expect(ofGlobex?.system).toBe('globex');
  expect(await similarTo(ofGlobex?.id)).toEqual([]);
  expect(await similarTo(ofAcme?.id)).toEqual([first?.number]);
});

it('moves an integration: what comes later belongs to the other system, and ends reach what came before', async () => {
  await using tocsin = await startTestService();
  const sender = await createSender(tocsin, 'alerts', undefined, 'alertmanager');
  await tocsin.call('POST', '/alertmanager', { key: sender.key, body: alertOf('payments') });
  const [before] = await waitForOpen(tocsin, 1);

  const moved = await tocsin.call('PATCH', `/integrations/${sender.id}`, { body: { system: 'acme' } });
  await tocsin.call('POST', '/alertmanager', { key: sender.key, body: alertOf('search') });
  const open = await waitForOpen(tocsin, 2);
  await tocsin.call('POST', '/alertmanager', { key: sender.key, body: alertOf('payments', new Date()) });

  expect(before?.system).toBeUndefined();
  expect(before?.labels).toEqual({});
  expect(Integration.parse(await moved.json()).system).toBe('acme');
  expect(Object.fromEntries(open.map(({ root_service: root, system }) => [root, system]))).toEqual({
    payments: undefined,
    search: 'acme',
  });
  await expect
    .poll(
      async () => {
        tocsin.advance(5_000);
        const { activity } = Incident.parse(await (await tocsin.call('GET', `/incidents/${before?.id}`)).json());
        return activity;
      },
      { timeout: HANG_MS },
    )
    .toBe('recovered');
});

it('takes a system only for integrations that send, in a documented form, and hides the default one', async () => {
  await using tocsin = await startTestService();
  const { id } = await createSender(tocsin, 'collector');
  const named = await createSender(tocsin, 'other', 'main');
  const webhook = await tocsin.call('POST', '/integrations', {
    body: { type: 'webhook', config: { url: 'https://example.com/hook' } },
  });
  const receiver = Integration.parse(await webhook.json());
  const patch = (which: string, body: unknown) => tocsin.call('PATCH', `/integrations/${which}`, { body });

  const refused = await Promise.all([
    patch(id, { system: 'Acme' }),
    patch(id, { system: '' }),
    patch(id, { system: 'a'.repeat(41) }),
    patch(id, { sytem: 'acme' }),
    patch(receiver.id, { system: 'acme' }),
    tocsin.call('POST', '/integrations', { body: { type: 'otlp', name: 'x', config: {}, system: '-a' } }),
  ]);
  const missing = await patch(`int_${'0'.repeat(26)}`, { system: 'acme' });
  const list = IntegrationList.parse(await (await tocsin.call('GET', '/integrations')).json());
  const read = await tocsin.call('PATCH', `/integrations/${id}`, {
    key: tocsin.readOnlyKey,
    body: { system: 'acme' },
  });
  const back = await patch(id, { system: 'acme' }).then(() => patch(id, { system: 'main' }));

  expect(refused.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422, 422]);
  expect(await refused[0]?.json()).toMatchObject({
    errors: [{ pointer: '/system', detail: expect.stringContaining('lower-case letters') }],
  });
  expect(missing.status).toBe(404);
  expect(read.status).toBe(403);
  expect(list.integrations.map(({ system }) => system)).toEqual([undefined, undefined, undefined]);
  expect(named.id).not.toBe(id);
  expect(await back.json()).not.toHaveProperty('system');
});

it('creates an integration in a system on the page, once there are two', async () => {
  await using tocsin = await startTestService();
  const admin = await signIn(tocsin, tocsin.readWriteKey);
  const create = (form: Record<string, string>) => admin.visit('/settings/integrations', { form });
  await tocsin.call('POST', '/integrations', { body: { type: 'otlp', name: 'first', config: {}, system: 'acme' } });

  const form = await (await admin.visit('/settings/integrations')).text();
  const wrong = await create({ type: 'otlp', name: 'second', system: 'Not a slug' });
  const made = await create({ type: 'otlp', name: 'second', system: 'acme' });
  const empty = await create({ type: 'otlp', name: 'third', system: '' });
  const hook = await create({ type: 'webhook', name: 'hook', url: 'https://example.com/hook', system: 'main' });

  expect(form).toContain('<option value="acme">');
  expect([wrong.status, made.status, empty.status, hook.status]).toEqual([422, 200, 200, 200]);
  const told = await wrong.text();
  expect(told).toContain('value="Not a slug"');
  expect(told).toContain('lower-case letters and digits');
  const { integrations } = IntegrationList.parse(await (await tocsin.call('GET', '/integrations')).json());
  expect(integrations.map(({ name, system }) => [name, system])).toContainEqual(['second', 'acme']);
});

it('shows systems on pages once there are two, and moves an integration there', async () => {
  await using tocsin = await startTestService();
  const { id, key } = await createSender(tocsin, 'collector');
  const admin = await signIn(tocsin, tocsin.readWriteKey);
  const page = `/settings/integrations/${id}`;
  const textOf = async (path: string) => (await admin.visit(path)).text();

  const alone = [await textOf(page), await textOf('/services'), await textOf('/settings/integrations')];
  const wrong = await admin.visit(`${page}/system`, { form: { system: 'Not a slug' } });
  const moved = await admin.visit(`${page}/system`, { form: { system: 'acme' } });
  await sendFailedCalls(tocsin, key, ['web', 'cart', 'payments']);
  await waitForOpen(tocsin, 1);

  expect(alone[0]).toContain('Judge it apart from the others');
  expect(alone[0]).not.toContain('<dt>System</dt>');
  expect(alone[1]).not.toContain('name="system"');
  expect(alone[2]).not.toContain('System');
  expect(wrong.status).toBe(422);
  expect(await wrong.text()).toContain('lower-case letters and digits');
  expect(moved.status).toBe(303);
  expect(await textOf(page)).toContain('<dd>acme</dd>');
  expect(await textOf('/settings/audit')).toContain('moved to another system');
  expect(await textOf('/services')).not.toContain('>payments<');
  expect(await textOf('/services?system=acme')).toContain('/dashboard/services/payments?system=acme');
  expect(await textOf('/services/payments?system=acme')).toContain('of system acme');
});

it('follows in a system that is new an incident that an earlier version opened without an ordinal', async () => {
  await using tocsin = await startTestService();
  const db = await tocsin.database.open<ServiceTables>(SERVICE_SCHEMA, serviceMigrations);
  const key = (await createSender(tocsin, 'alerts', undefined, 'alertmanager')).key;
  await tocsin.call('POST', '/alertmanager', { key, body: alertOf('payments') });
  const [incident] = await waitForOpen(tocsin, 1);
  await sql`update incidents set ordinal = null`.execute(db);

  await tocsin.call('POST', '/alertmanager', { key, body: alertOf('payments', new Date()) });

  await expect
    .poll(
      async () => {
        tocsin.advance(5_000);
        const { activity } = Incident.parse(await (await tocsin.call('GET', `/incidents/${incident?.id}`)).json());
        return activity;
      },
      { timeout: HANG_MS },
    )
    .toBe('recovered');
});
