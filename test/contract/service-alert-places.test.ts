import { describe, expect, it, vi } from 'vitest';
import { IncidentList } from '../../src/contract/lists.ts';
import { Incident } from '../../src/contract/resources.ts';
import { HANG_MS } from '../support/hang.ts';
import { SETTLE_MS, startTestService, type TestService } from '../support/test-service.ts';

const NEVER = '0001-01-01T00:00:00Z';

interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** One notification of Alertmanager. */
function notification(alerts: readonly Alert[], endsAt = NEVER) {
  return {
    version: '4',
    receiver: 'tocsin',
    alerts: alerts.map(({ labels, annotations = {} }, index) => ({
      status: endsAt === NEVER ? 'firing' : 'resolved',
      labels,
      annotations,
      startsAt: new Date(Date.now() - 60_000).toISOString(),
      endsAt,
      fingerprint: `fp-${JSON.stringify(labels)}-${index}`.slice(0, 200),
    })),
  };
}

/** Waits for that many incidents, the oldest first. */
function incidents(tocsin: TestService, count: number): Promise<Incident[]> {
  tocsin.advance(SETTLE_MS);
  return vi.waitUntil(
    async () => {
      const list = IncidentList.parse(await (await tocsin.call('GET', '/incidents?limit=50')).json());
      const all = await Promise.all(
        list.incidents.map(async ({ id }) =>
          Incident.parse(await (await tocsin.call('GET', `/incidents/${id}`)).json()),
        ),
      );
      return all.length === count ? all.toSorted((a, b) => (a.number ?? 0) - (b.number ?? 0)) : null;
    },
    { timeout: HANG_MS },
  );
}

const titles = (all: readonly Incident[]) =>
  all.map(({ title = '' }) => title).toSorted((one, other) => one.localeCompare(other));

/** The labels that a scrape of node-exporter in Kubernetes gives to all of its alerts. */
const EXPORTER = {
  job: 'node-exporter',
  service: 'prometheus-node-exporter',
  container: 'node-exporter',
  namespace: 'monitoring',
};

describe('alerts of one name on two machines', () => {
  it('are two incidents that name them, and end each by itself', async () => {
    await using tocsin = await startTestService();
    const load = { alertname: 'Avg. Load (1 min) Alert', scope: 'area', severity: 'host/node' };
    const alerts = ['cache-3', 'mail-1'].map((host) => ({
      labels: { ...load, host },
      annotations: { summary: 'Load average is high', description: 'The average is above the limit' },
    }));

    await tocsin.call('POST', '/alertmanager', { body: notification(alerts) });
    const opened = await incidents(tocsin, 2);
    const over = notification(alerts.slice(0, 1), new Date().toISOString());
    await tocsin.call('POST', '/alertmanager', { body: over });

    expect(titles(opened)).toEqual([
      'cache-3: Avg. Load (1 min) Alert: Load average is high',
      'mail-1: Avg. Load (1 min) Alert: Load average is high',
    ]);
    tocsin.advance(2_000);
    await vi.waitUntil(
      async () => (await incidents(tocsin, 2)).filter(({ signals_ended_at: endedAt }) => endedAt !== null).length === 1,
      { timeout: HANG_MS },
    );
  });

  it('have the text that says where, and no label of the exporter', async () => {
    await using tocsin = await startTestService();
    const labels = {
      alertname: 'NodeFilesystemAlmostOutOfSpace',
      ...EXPORTER,
      instance: '192.0.2.33:9100',
      device: '/dev/sdb1',
      mountpoint: '/mnt/volumes',
      team: 'storage',
      severity: 'critical',
    };
    const annotations = {
      summary: 'Filesystem has less than 3% space left.',
      description: 'Filesystem on /dev/sdb1, mounted on /mnt/volumes, at 192.0.2.33:9100 is full.',
    };

    await tocsin.call('POST', '/alertmanager', { body: notification([{ labels, annotations }]) });
    const [incident] = await incidents(tocsin, 1);

    expect(incident).toMatchObject({
      title: `192.0.2.33: NodeFilesystemAlmostOutOfSpace: ${annotations.description}`,
      labels: { team: ['storage'] },
      correlation: { alerts: [{ service: '192.0.2.33', place: '/mnt/volumes' }] },
    });
  });
});

it('names both places of alerts that share a machine', async () => {
  await using tocsin = await startTestService();
  const alerts = ['/mnt/a', '/mnt/b'].map((mountpoint) => ({
    labels: { alertname: 'Full', ...EXPORTER, instance: '192.0.2.33:9100', mountpoint },
    annotations: { summary: 'Less than 3% space left.' },
  }));

  await tocsin.call('POST', '/alertmanager', { body: notification(alerts) });
  const [incident] = await incidents(tocsin, 1);

  expect(incident?.title).toBe('192.0.2.33 (/mnt/a and /mnt/b): Full: Less than 3% space left.');
});

it('opens an incident for the second alert of a name that only a label of its own tells apart', async () => {
  await using tocsin = await startTestService();
  const send = (work: string) =>
    tocsin.call('POST', '/alertmanager', {
      body: notification([{ labels: { alertname: 'probe_failed', stage: 'x', work, severity: 'critical' } }]),
    });

  await send('nightly-copy');
  await incidents(tocsin, 1);
  await send('tax-report');

  expect(titles(await incidents(tocsin, 2))).toEqual(['probe_failed', 'probe_failed tax-report']);
});

it('tells what Grafana says of an alert without labels', async () => {
  await using tocsin = await startTestService();
  const alert = { labels: {}, annotations: {} };
  const body = {
    ...notification([alert]),
    version: '1',
    title: '[FIRING:1]  (Checkout latency EU)',
    message: 'Checkout latency is 4 s in EU.',
  };

  await tocsin.call('POST', '/grafana', { body });

  expect(titles(await incidents(tocsin, 1))).toEqual(['Checkout latency EU: Checkout latency is 4 s in EU.']);
});
