import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { INGEST_PATHS } from '../../src/contract/integrations.ts';
import { startDebianServer } from '../support/debian-server.ts';
import { startListeningService, untilOver, untilSignals } from '../support/listening-service.ts';
import { startPrometheus } from '../support/prometheus.ts';

/** Counts the files that wait in a folder, each second, and shows its values to Prometheus on its port. */
async function startCollectd(more: string) {
  const server = await startDebianServer({
    binary: '/usr/sbin/collectd',
    package: 'collectd-core',
    files: (port, folder) => ({
      spool: null,
      'collectd.conf': `
        Hostname "web-1"
        BaseDir "${folder}"
        PIDFile "${folder}/collectd.pid"
        PluginDir "/usr/lib/collectd"
        TypesDB "/usr/share/collectd/types.db"
        Interval 1
        LoadPlugin filecount
        <Plugin filecount>
          <Directory "${folder}/spool">
            Instance "spool"
          </Directory>
        </Plugin>
        LoadPlugin write_prometheus
        <Plugin write_prometheus>
          Host "127.0.0.1"
          Port "${port}"
        </Plugin>
        ${more}
`,
    }),
    args: ['-f', '-C', 'collectd.conf'],
  });
  return {
    port: server.port,
    /** So many files wait. */
    async fill(count: number) {
      const spool = join(server.folder, 'spool');
      await rm(spool, { recursive: true });
      await mkdir(spool);
      for (let number = 0; number < count; number += 1) {
        await writeFile(join(spool, String(number)), 'a mail');
      }
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const THRESHOLD = `
  LoadPlugin threshold
  <Plugin threshold>
    <Plugin filecount>
      Instance "spool"
      <Type files>
        WarningMax 1
        FailureMax 3
        Persist true
      </Type>
    </Plugin>
  </Plugin>`;

it('reads the notifications of collectd, as the page says, until one says that all is well', {
  timeout: 60_000,
}, async () => {
  await using service = await startListeningService();
  const { tocsin } = service;
  const { text = '' } = (await service.setUp('prometheus')).find(({ title }) => title.startsWith('collectd')) ?? {};
  await using collectd = await startCollectd(text + THRESHOLD);

  await collectd.fill(5);
  const opened = await tocsin.openIncident();
  await collectd.fill(0);
  const over = await untilOver(tocsin, opened.id);

  expect(opened).toMatchObject({
    root_service: 'web-1',
    severity: 'error',
    signals: [
      { summary: expect.stringContaining('collectd_filecount_files: Host web-1'), source: { format: 'prometheus' } },
    ],
  });
  expect(over).toMatchObject({ status: 'open', signal_count: 1 });
});

it('takes the values of collectd by Prometheus: its rules fire, and it writes them by remote write', {
  timeout: 60_000,
}, async () => {
  await using service = await startListeningService();
  const { tocsin, url } = service;
  await using collectd = await startCollectd('');
  const [alerts, written] = [await service.integrate('prometheus'), await service.integrate('remote_write')];
  const expr = 'collectd_filecount_files > 3';
  const rule = {
    alert: 'MailWaits',
    expr,
    labels: { severity: 'critical' },
    annotations: { summary: '{{ $value }} mails wait' },
  };
  await using prometheus = await startPrometheus(
    {
      global: { evaluation_interval: '1s', scrape_interval: '1s' },
      scrape_configs: [{ job_name: 'collectd', static_configs: [{ targets: [`127.0.0.1:${collectd.port}`] }] }],
      remote_write: [{ url: url + INGEST_PATHS.remote_write, authorization: { credentials: written } }],
      alerting: {
        alertmanagers: [
          {
            path_prefix: '/v1/prometheus',
            authorization: { credentials: alerts },
            static_configs: [{ targets: [new URL(url).host] }],
          },
        ],
      },
    },
    [{ name: 'g', interval: '1s', rules: [rule] }],
  );

  await collectd.fill(5);
  const opened = await tocsin.openIncident();
  await collectd.fill(0);
  const over = await untilOver(tocsin, opened.id);

  expect(prometheus).toBeDefined();
  expect(opened).toMatchObject({ root_service: 'web-1', severity: 'critical' });
  expect(over).toMatchObject({ status: 'open', signal_count: 1 });
  expect(await untilSignals(tocsin, () => true)).toMatchObject([{ summary: 'MailWaits: 5 mails wait' }]);
});
