import { expect, it, vi } from 'vitest';
import { IncidentList } from '../../src/contract/lists.ts';
import { Mute } from '../../src/contract/mute.ts';
import { Incident, type IncidentSummary } from '../../src/contract/resources.ts';
import { alertNotification } from '../support/alert-notification.ts';
import { signIn } from '../support/dashboard.ts';
import { HANG_MS } from '../support/hang.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

function alert(service: string, labels: Readonly<Record<string, string>>): object {
  const notification = alertNotification(new Date(), null, { service, alertname: `${service} fails`, ...labels });
  return { ...notification, alerts: notification.alerts.map((each) => ({ ...each, fingerprint: service })) };
}

async function list(tocsin: TestService, query: string): Promise<IncidentList> {
  return IncidentList.parse(await (await tocsin.call('GET', `/incidents${query}`)).json());
}

/** Sends alerts, and waits until each has an incident. */
async function openAll(tocsin: TestService, alerts: readonly object[]): Promise<readonly IncidentSummary[]> {
  for (const body of alerts) {
    await tocsin.call('POST', '/alertmanager', { body });
  }
  return vi.waitUntil(
    async () => {
      tocsin.advance(1_000);
      const { incidents } = await list(tocsin, '');
      return incidents.length === alerts.length ? incidents : null;
    },
    { timeout: HANG_MS },
  );
}

const namesOf = ({ incidents }: IncidentList) => incidents.map(({ root_service: name }) => name).toSorted();

it('gives incidents the labels of their signals, and filters by them', async () => {
  await using tocsin = await startTestService();
  const opened = await openAll(tocsin, [
    alert('payments', { team: 'payments', environment: 'prod', namespace: 'shop' }),
    alert('search', { team: 'search', env: 'prod' }),
    alert('mailer', { team: 'payments', env: 'staging' }),
    alert('billing', {}),
  ]);

  const ofTeam = await list(tocsin, '?team=payments');
  const labels = Object.fromEntries(opened.map((incident) => [incident.root_service, incident.labels]));

  expect(labels).toEqual({
    payments: { team: ['payments'], env: ['prod'], namespace: ['shop'] },
    search: { team: ['search'], env: ['prod'] },
    mailer: { team: ['payments'], env: ['staging'] },
    billing: {},
  });
  expect(namesOf(ofTeam)).toEqual(['mailer', 'payments']);
  expect(ofTeam.total).toBe(2);
  expect(namesOf(await list(tocsin, '?team=payments&env=prod&status=open'))).toEqual(['payments']);
  expect(namesOf(await list(tocsin, '?namespace=nowhere'))).toEqual([]);
  expect((await tocsin.call('GET', '/incidents?squad=payments')).status).toBe(400);
});

it('filters the list of the dashboard, which offers the labels, and shows them with the incident', async () => {
  await using tocsin = await startTestService();
  await openAll(tocsin, [alert('payments', { team: 'payments' }), alert('search', { team: 'search' })]);
  const dashboard = await signIn(tocsin, tocsin.readWriteKey);

  const page = await (await dashboard.visit('/incidents?label=team:payments')).text();
  const number = /\/dashboard\/incidents\/(\d+)/.exec(page)?.[1];
  const incident = await (await dashboard.visit(`/incidents/${number}`)).text();

  expect(page).toContain('<option value="team:search">');
  expect(page).toContain('payments fails');
  expect(page).not.toContain('search fails');
  expect(incident).toContain('<a href="/dashboard/incidents?label=team%3Apayments"><bdi>team:payments</bdi></a>');
});

it('mutes the incidents that have all labels of a mute and no other values of them', async () => {
  await using tocsin = await startTestService();
  const until = new Date(tocsin.now().getTime() + 86_400_000).toISOString();
  const mute = (value: string) =>
    tocsin.call('POST', '/mutes', { body: { target: 'labels', value, until, user: 'ana' } });
  const mutedOnes = async () => {
    const { incidents } = await list(tocsin, '');
    return Object.fromEntries(incidents.map(({ root_service: name, mute: by }) => [name, by?.value ?? null]));
  };
  const before = await mute('team:payments, env:prod_eu*');
  await openAll(tocsin, [
    alert('payments', { team: 'payments', env: 'prod_eu1' }),
    alert('mailer', { team: 'payments', env: 'prodXeu1' }),
    alert('search', { team: 'search', env: 'prod_eu1' }),
    alert('billing', {}),
  ]);

  const atOpening = await mutedOnes();
  const { id } = Mute.parse(await before.json());
  await mute('service:bill*, service:none');
  await mute('Team: search');
  const afterwards = await mutedOnes();
  await tocsin.call('DELETE', `/mutes/${id}?user=ben`);
  const [payments] = (await list(tocsin, '?team=payments&env=prod_eu1')).incidents;
  const { timeline } = Incident.parse(await (await tocsin.call('GET', `/incidents/${payments?.id}`)).json());

  expect(atOpening).toEqual({ payments: 'env:prod_eu*, team:payments', mailer: null, search: null, billing: null });
  expect(afterwards).toEqual({
    payments: 'env:prod_eu*, team:payments',
    mailer: null,
    search: 'team:search',
    billing: 'service:bill*, service:none',
  });
  expect(payments?.mute).toBeNull();
  expect(timeline?.at(-1)).toMatchObject({ event: 'unmuted', by: 'ben' });
});
