import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import { IncidentList } from '../../src/contract/lists.ts';
import { openSyslog } from '../../src/service/ingest/formats/syslog/syslog-server.ts';
import { startDebianServer } from '../support/debian-server.ts';
import { HANG_MS } from '../support/hang.ts';
import { type ListeningService, startListeningService, untilSignals } from '../support/listening-service.ts';
import { silentLogger } from '../support/logger.ts';

const run = promisify(execFile);

/** A service that takes syslog on a port, as with SYSLOG_PORT and SYSLOG_KEY, and what its page says to paste. */
async function startService(aheadMs = 0) {
  await using stack = new AsyncDisposableStack();
  const service = stack.use(await startListeningService({ aheadMs }));
  const [environment, rule] = await service.setUp('syslog');
  const forRsyslog = rule?.text ?? '';
  const [, key = ''] = /^SYSLOG_KEY=(\S+)$/m.exec(environment?.text ?? '') ?? [];
  const disposables = stack.move();
  return { service, forRsyslog, key, [Symbol.asyncDispose]: () => disposables.disposeAsync() };
}

function open(service: ListeningService, key: string, port = 0) {
  const headers = { authorization: `Bearer ${key}` };
  const post = (body: string) => fetch(`${service.url}/v1/syslog`, { method: 'POST', headers, body });
  return openSyslog('127.0.0.1', port, { post, logger: silentLogger });
}

/** A relay: what it takes by syslog, it sends on by the rule. */
function startRsyslog(rule: string) {
  return startDebianServer({
    binary: '/usr/sbin/rsyslogd',
    package: 'rsyslog',
    files: (port, folder) => ({
      'rsyslog.conf': `
        global(workDirectory="${folder}")
        module(load="imtcp")
        input(type="imtcp" address="127.0.0.1" port="${port}")
        ${rule}`,
    }),
    args: ['-n', '-f', 'rsyslog.conf', '-i', '$folder/rsyslogd.pid'],
  });
}

function log(port: number, priority: string, text: string): Promise<unknown> {
  const to = ['--server', '127.0.0.1', '--port', String(port), '--tcp', '--rfc5424'];
  return run('logger', [...to, '--tag', 'backup', '--priority', priority, text]);
}

it.each([
  ['the new form over TCP, as its page says', (rule: string) => rule],
  ['the new form over UDP', (rule: string) => rule.replace('"tcp"', '"udp"')],
  [
    'the old form over TCP, where it adds no colon',
    (rule: string) => rule.replace('SyslogProtocol23', 'TraditionalForward'),
  ],
  [
    'the old form with full times over UDP',
    (rule: string) => rule.replace('SyslogProtocol23', 'Forward').replace('"tcp"', '"udp"'),
  ],
  [
    'the new form over TCP, with lengths',
    (rule: string) => rule.replace('protocol="tcp"', 'protocol="tcp" TCP_Framing="octet-counted"'),
  ],
])('reads what rsyslog sends: %s', async (_name, vary) => {
  await using started = await startService();
  const { service, forRsyslog, key } = started;
  await using syslog = await open(service, key);
  await using rsyslog = await startRsyslog(vary(forRsyslog.replace('5514', String(syslog.port))));

  await log(rsyslog.port, 'cron.err', 'no space left on device');
  await log(rsyslog.port, 'cron.info', 'the backup begins');
  await log(rsyslog.port, 'cron.err', 'no space left on device');

  const signals = await untilSignals(service.tocsin, ([first]) => first?.occurrences === 2);
  const summary = expect.stringMatching(/^(?:backup )?no space left on device$/);
  expect(signals).toMatchObject([{ service: 'backup', summary, severity: 'error' }]);
});

it('opens an incident of what begins to be logged', async () => {
  await using started = await startService(-5 * 60_000);
  const { service, forRsyslog, key } = started;
  const { tocsin } = service;
  await using syslog = await open(service, key);
  await using rsyslog = await startRsyslog(forRsyslog.replace('5514', String(syslog.port)));
  const socket = connect(rsyslog.port, '127.0.0.1');
  await once(socket, 'connect');
  const write = (priority: number, text: string) => socket.write(`<${priority}>1 - web-1 backup - - - ${text}\n`);
  write(75, 'a usual fault');
  await untilSignals(tocsin, (signals) => signals.length === 1);
  for (let n = 0; n < 3; n += 1) {
    write(78, 'the backup goes on');
    tocsin.advance(30_000);
  }

  const opened = await vi.waitUntil(
    async () => {
      write(75, 'no space left on device'); // until it is more often than usual
      tocsin.advance(5_000);
      const [incident] = IncidentList.parse(await (await tocsin.call('GET', '/incidents')).json()).incidents;
      return incident;
    },
    { timeout: HANG_MS, interval: 400 },
  );
  const [signal] = await untilSignals(tocsin, (all) => all.some((each) => each.incident_id === opened.id));

  expect(opened).toMatchObject({ root_service: 'backup', title: 'backup: no space left on device', signal_count: 1 });
  expect(signal).toMatchObject({ severity: 'error', attributes: { 'host.name': 'web-1' } });
});

it('gets from rsyslog what it logged while nobody listened, as its page sets it up', async () => {
  await using started = await startService();
  const { service, forRsyslog, key } = started;
  const { port, ...first } = await open(service, key);
  await using rsyslog = await startRsyslog(
    forRsyslog.replace('5514', String(port)).replace('resumeInterval="5"', 'resumeInterval="1"'),
  );
  await log(rsyslog.port, 'cron.err', 'the disk is slow');
  await untilSignals(service.tocsin, (signals) => signals.length === 1);
  await first[Symbol.asyncDispose]();

  await log(rsyslog.port, 'cron.err', 'no space left on device'); // what was on its way when the port closed may be lost
  await log(rsyslog.port, 'cron.crit', 'the backup failed');
  await log(rsyslog.port, 'cron.crit', 'the backup is given up');
  await using syslog = await open(service, key, port);
  const signals = await untilSignals(service.tocsin, (all) => all.length >= 3);

  expect(syslog.port).toBe(port);
  expect(signals.map(({ summary }) => summary)).toEqual(
    expect.arrayContaining(['the backup failed', 'the backup is given up']),
  );
});
