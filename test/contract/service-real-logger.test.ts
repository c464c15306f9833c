import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { Integration } from '../../src/contract/integrations.ts';
import { SignalList } from '../../src/contract/lists.ts';
import { openSyslog } from '../../src/service/ingest/formats/syslog/syslog-server.ts';
import { HANG_MS } from '../support/hang.ts';
import { silentLogger } from '../support/logger.ts';
import { PUBLIC_URL, startTestService } from '../support/test-service.ts';

const run = promisify(execFile);

/** `logger` of util-linux, which every Debian has. */
it.each([
  ['the new form over TCP', ['--tcp', '--rfc5424']],
  ['the new form over TCP, with lengths', ['--tcp', '--rfc5424', '--octet-count']],
  ['the old form over TCP', ['--tcp', '--rfc3164']],
  ['the new form over UDP', ['--udp', '--rfc5424']],
  ['the old form over UDP', ['--udp', '--rfc3164']],
])('reads what the program logger sends by syslog: %s', async (_name, how) => {
  await using tocsin = await startTestService();
  const created = await tocsin.call('POST', '/integrations', { body: { type: 'syslog' } });
  const { ingest_key: key = '' } = Integration.parse(await created.json());
  const headers = { authorization: `Bearer ${key}` };
  await using syslog = await openSyslog('127.0.0.1', 0, {
    post: async (body) =>
      tocsin.service.fetch(new Request(`${PUBLIC_URL}/v1/syslog`, { method: 'POST', headers, body })),
    logger: silentLogger,
  });
  const to = ['--server', '127.0.0.1', '--port', String(syslog.port), ...how];

  await run('logger', [...to, '--tag', 'backup', '--priority', 'cron.err', 'no space left on device']);
  await run('logger', [...to, '--tag', 'backup', '--priority', 'cron.info', 'the backup begins']);

  const signals = async () => SignalList.parse(await (await tocsin.call('GET', '/signals')).json()).signals;
  await expect.poll(signals, { timeout: HANG_MS }).toHaveLength(1);
  expect(await signals()).toMatchObject([{ service: 'backup', summary: 'no space left on device', severity: 'error' }]);
});
