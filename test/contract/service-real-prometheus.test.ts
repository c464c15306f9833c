import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addHours } from 'date-fns/addHours';
import { describe, expect, it, vi } from 'vitest';
import { INGEST_PATHS, IntegrationList } from '../../src/contract/integrations.ts';
import { IncidentList, MuteList, SignalList } from '../../src/contract/lists.ts';
import { Incident } from '../../src/contract/resources.ts';
import { HANG_MS } from '../support/hang.ts';
import { startListeningService } from '../support/listening-service.ts';
import { amtool, hasPrometheus, startPrometheus } from '../support/prometheus.ts';
import type { TestService } from '../support/test-service.ts';

const timeout = 60_000;

/** An alert of its own; it is over 14 s after the start. */
function rules(startedAt: number): object[] {
  const expr = `vector(1) and on() (vector(time()) < ${startedAt / 1000 + 14})`;
  const labels = { severity: 'critical', service: 'payments' };
  return [
    {
      name: 'g',
      interval: '1s',
      rules: [{ alert: 'HighErrorRate', expr, labels, annotations: { summary: 'charges fail' } }],
    },
  ];
}

function configOf(url: string, alertmanager: object, credentials: string | null): object {
  const target = { ...alertmanager, static_configs: [{ targets: [new URL(url).host] }] };
  const alertmanagers = [credentials === null ? target : { ...target, authorization: { credentials } }];
  return { global: { evaluation_interval: '1s' }, alerting: { alertmanagers } };
}

async function signals(tocsin: TestService): Promise<SignalList['signals']> {
  return SignalList.parse(await (await tocsin.call('GET', '/signals?type=metric')).json()).signals;
}

describe.skipIf(!hasPrometheus)('the real Prometheus (runs where prometheus and amtool are installed)', () => {
  it('fires and ends an alert that two replicas post again and again', { timeout }, async () => {
    await using service = await startListeningService();
    const { tocsin, url } = service;
    const config = configOf(url, { path_prefix: '/v1/prometheus' }, await service.integrate('prometheus'));
    const startedAt = Date.now();
    await using first = await startPrometheus(config, rules(startedAt));
    await using second = await startPrometheus(config, rules(startedAt));

    const incident = await vi.waitUntil(
      async () => IncidentList.parse(await (await tocsin.call('GET', '/incidents')).json()).incidents[0],
      { timeout: HANG_MS, interval: 200 },
    );
    const ended = await vi.waitUntil(async () => (await signals(tocsin)).find((signal) => signal.ended_at != null), {
      timeout: HANG_MS,
      interval: 200,
    });

    expect([first, second]).toHaveLength(2);
    expect(incident).toMatchObject({ root_service: 'payments', severity: 'critical', signal_count: 1 });
    expect(await signals(tocsin)).toHaveLength(1);
    expect(ended?.occurrences).toBeLessThanOrEqual(2); // not each post; twice if one replica ends it before the other
    expect(ended).toMatchObject({
      summary: 'HighErrorRate: charges fail',
      source: { format: 'prometheus', service_by: 'label service' },
    });
  });

  it.each([
    ['the path', (key: string) => ({ path_prefix: `/v1/prometheus/${key}` }), false],
    ['a header, at the default path', () => ({}), true],
    ['a password', (password: string) => ({ basic_auth: { username: 'prometheus', password } }), false],
  ])('may have the key in %s', { timeout }, async (_, alertmanager, isInHeader) => {
    await using service = await startListeningService();
    const key = await service.integrate('prometheus');
    const config = configOf(service.url, alertmanager(key), isInHeader ? key : null);
    await using prometheus = await startPrometheus(config, rules(Date.now()));

    const incident = await service.tocsin.openIncident();

    expect(prometheus).toBeDefined();
    expect(incident.root_service).toBe('payments');
  });

  it('writes what it records by remote write', { timeout }, async () => {
    await using service = await startListeningService();
    const credentials = await service.integrate('remote_write');
    const remote = { url: service.url + INGEST_PATHS.remote_write, authorization: { credentials } };
    const recorded = [{ name: 'g', interval: '1s', rules: [{ record: 'queue_depth', expr: 'vector(7)' }] }];
    const global = { evaluation_interval: '1s' };
    await using prometheus = await startPrometheus({ global, remote_write: [remote] }, recorded);

    const used = await vi.waitUntil(
      async () => {
        const listed = IntegrationList.parse(await (await service.tocsin.call('GET', '/integrations')).json());
        return listed.integrations.find(({ last_used_at: at }) => at !== null);
      },
      { timeout: HANG_MS, interval: 200 },
    );

    expect(prometheus).toBeDefined();
    expect(used).toMatchObject({ type: 'remote_write', state: 'used', last_error: null, last_unkept: null });
  });

  it('lets amtool add, list and silence', { timeout }, async () => {
    await using service = await startListeningService();
    const key = await service.integrate('prometheus');
    const { tocsin, url } = service;
    const sending = `--alertmanager.url=${url}/v1/prometheus/${key}`;
    const folder = await mkdtemp(join(tmpdir(), 'amtool-'));
    await using cleaning = new AsyncDisposableStack();
    cleaning.defer(() => rm(folder, { recursive: true }));
    const http = join(folder, 'http.yml');
    await writeFile(http, JSON.stringify({ authorization: { credentials: tocsin.readWriteKey } }));
    const managing = [`--alertmanager.url=${url}/v1/prometheus`, `--http.config.file=${http}`];

    const added = await amtool([sending, 'alert', 'add', 'DiskFull', 'service=payments', 'severity=critical']);
    const incident = await tocsin.openIncident();
    const listed = await amtool([...managing, 'alert', 'query', 'DiskFull', 'service=payments', '-o', 'json']);
    const others = await amtool([...managing, 'alert', 'query', 'service=orders', '-o', 'json']);
    const silenced = await amtool([
      ...managing,
      'silence',
      'add',
      'service=payments',
      '-c',
      'moving',
      '-a',
      'ana',
      '-d',
      '2h',
    ]);
    const { mutes } = MuteList.parse(await (await tocsin.call('GET', '/mutes')).json());
    const silences = await amtool([...managing, 'silence', 'query', '-q']);
    const vague = await amtool([...managing, 'silence', 'add', 'severity=critical', '-c', 'c', '-a', 'ana']);
    const forbidden = await amtool([sending, 'alert', 'query']);
    const expired = await amtool([...managing, 'silence', 'expire', silenced.out.trim()]);
    const after = MuteList.parse(await (await tocsin.call('GET', '/mutes')).json());

    expect(added).toMatchObject({ out: '', code: 0 });
    expect(Incident.parse(incident)).toMatchObject({ root_service: 'payments', signal_count: 1 });
    expect(JSON.parse(listed.out)).toMatchObject([
      { labels: { alertname: 'DiskFull', service: 'payments' }, status: { state: 'active' } },
    ]);
    expect(JSON.parse(others.out)).toEqual([]);
    expect(silenced.code).toBe(0);
    expect(mutes).toMatchObject([{ target: 'service', value: 'payments', created_by: 'ana', reason: 'moving' }]);
    expect(silences.out.trim()).toBe(mutes[0]?.id);
    expect(vague).toMatchObject({ code: 1, err: expect.stringMatching(/severity=\S+ cannot be muted/) });
    expect(forbidden.code).toBe(1);
    expect(expired.code).toBe(0);
    expect(after.mutes).toEqual([]);
  });

  it('lets amtool silence labels, also later, list them by matcher and expire them', { timeout }, async () => {
    await using service = await startListeningService();
    const { tocsin, url } = service;
    const folder = await mkdtemp(join(tmpdir(), 'amtool-'));
    await using cleaning = new AsyncDisposableStack();
    cleaning.defer(() => rm(folder, { recursive: true }));
    const http = join(folder, 'http.yml');
    await writeFile(http, JSON.stringify({ authorization: { credentials: tocsin.readWriteKey } }));
    const silence = (...given: string[]) =>
      amtool([`--alertmanager.url=${url}/v1/prometheus`, `--http.config.file=${http}`, 'silence', ...given]);
    const add = (...given: string[]) => silence('add', '-c', 'moving', '-a', 'ana', ...given);
    const mutes = async () => MuteList.parse(await (await tocsin.call('GET', '/mutes')).json()).mutes;
    const start = addHours(new Date(), 5).toISOString();

    const now = await add('-d', '2h', 'team=~payments|billing', 'environment=prod');
    const later = await add('--start', start, '--end', addHours(start, 2).toISOString(), 'cluster=~eu-.*');
    const listed = await mutes();
    const queried = await silence('query', '-o', 'json');
    const ofProd = await silence('query', '-q', 'env=prod');
    const refused = [await add('team!=payments'), await add('team=a', 'pod=~b.*'), await add('team=~[ab]')];
    const expired = await silence('expire', now.out.trim(), later.out.trim());

    expect([now.code, later.code, expired.code]).toEqual([0, 0, 0]);
    expect(listed).toMatchObject([
      { target: 'labels', value: 'env:prod, team:billing, team:payments', starts_at: null },
      { target: 'labels', value: 'cluster:eu-*', starts_at: start },
    ]);
    expect(JSON.parse(queried.out)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          id: now.out.trim(),
          status: { state: 'active' },
          matchers: [
            { name: 'env', value: 'prod', isRegex: false, isEqual: true },
            { name: 'team', value: 'billing|payments', isRegex: true, isEqual: true },
          ],
        }),
        expect.objectContaining({
          id: later.out.trim(),
          status: { state: 'pending' },
          matchers: [{ name: 'cluster', value: 'eu-.*', isRegex: true, isEqual: true }],
        }),
      ]),
    );
    expect(ofProd.out.trim()).toBe(now.out.trim());
    expect(refused.map(({ code }) => code)).toEqual([1, 1, 1]);
    expect(refused.map(({ err }) => /(team!=|pod=~|team=~)\S+ cannot be muted/.exec(err)?.[1])).toEqual([
      'team!=',
      'pod=~',
      'team=~',
    ]);
    expect(await mutes()).toEqual([]);
  });
});
