import { once } from 'node:events';
import { appendFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { expect, it, vi } from 'vitest';
import { Incident } from '../../src/contract/resources.ts';
import { type DebianServer, startDebianServer } from '../support/debian-server.ts';
import { HANG_MS } from '../support/hang.ts';
import { type ListeningService, startListeningService, untilOver, untilSignals } from '../support/listening-service.ts';

/** Two monitors that run the same plugins, by what the page of an integration for them says to paste. */

interface Monitor {
  readonly preset: string;
  readonly start: (snippets: readonly string[], checked: number) => Promise<DebianServer>;
  /** Where it takes commands. */
  readonly pipe: string;
}

/** Checks a port of the host web-1 each second, and repeats notifications. */
const MONITORS: Readonly<Record<string, Monitor>> = {
  'Icinga 2': {
    preset: 'icinga',
    pipe: 'icinga2.cmd',
    start: ([snippet = ''], checked) =>
      startDebianServer({
        binary: '/usr/sbin/icinga2',
        package: 'icinga2-bin',
        files: (_port, folder) => ({
          'icinga2.conf': `
            const PluginDir = "/usr/lib/nagios/plugins"
            include <itl>
            include <plugins>
            object CheckerComponent "checker" {}
            object NotificationComponent "notification" {}
            object ExternalCommandListener "command" { command_path = "${folder}/icinga2.cmd" }
            object Host "web-1" {
              address = "127.0.0.1"
              check_command = "dummy"
            }
            object Service "shop" {
              host_name = "web-1"
              check_command = "tcp"
              vars.tcp_port = ${checked}
              check_interval = 1s
              retry_interval = 1s
              max_check_attempts = 1
            }
            ${snippet.replaceAll('  users =', '  interval = 1s\n  users =')}`,
          data: null,
        }),
        args: [
          'daemon',
          '-c',
          'icinga2.conf',
          ...['DataDir', 'LogDir', 'CacheDir', 'SpoolDir', 'InitRunDir'].flatMap((dir) => [
            '-D',
            `${dir}=$folder/data`,
          ]),
        ],
        ready: 'icinga2.cmd',
      }),
  },
  Nagios: {
    preset: 'nagios',
    pipe: 'nagios.cmd',
    start: (snippets, checked) =>
      startDebianServer({
        binary: '/usr/sbin/nagios4',
        package: 'nagios4-core',
        files: (_port, folder) => ({
          'nagios.cfg': `
cfg_file=${folder}/objects.cfg
log_file=${folder}/nagios.log
lock_file=${folder}/nagios.lock
temp_path=${folder}
temp_file=${folder}/nagios.tmp
check_result_path=${folder}/results
command_file=${folder}/nagios.cmd
status_file=${folder}/status.dat
object_cache_file=${folder}/objects.cache
state_retention_file=${folder}/retention.dat
check_external_commands=1
illegal_macro_output_chars=\`~$&|'"<>
interval_length=1
enable_notifications=1
execute_service_checks=1
`,
          'objects.cfg': `
define timeperiod {
  timeperiod_name 24x7
  alias always
  monday 00:00-24:00
  tuesday 00:00-24:00
  wednesday 00:00-24:00
  thursday 00:00-24:00
  friday 00:00-24:00
  saturday 00:00-24:00
  sunday 00:00-24:00
}
define command {
  command_name check-port
  command_line /usr/lib/nagios/plugins/check_tcp -H 127.0.0.1 -p ${checked}
}
define host {
  host_name web-1
  max_check_attempts 1
  check_period 24x7
  notification_period 24x7
  contacts tocsin
}
define service {
  host_name web-1
  service_description shop
  check_command check-port
  check_interval 1
  retry_interval 1
  max_check_attempts 1
  check_period 24x7
  notification_interval 1
  notification_period 24x7
  contacts tocsin
}
${snippets.join('\n')}`,
          results: null,
        }),
        args: ['nagios.cfg'],
        ready: 'nagios.cmd',
      }),
  },
};

async function listen(port = 0): Promise<Server> {
  const server = createServer((socket) => socket.end()).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function shut(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

it.each(Object.entries(MONITORS))(
  'reads what %s tells of a check: a failure again and again, what people do with it, and its end',
  { timeout: 120_000 },
  async (_name, { preset, start, pipe }) => {
    await using service = await startListeningService();
    const { tocsin } = service;
    const snippets = await service.setUp('json', { preset });
    const shop = await listen();
    const { port } = shop.address() as AddressInfo;
    await using monitor = await start(
      snippets.slice(0, -2).map(({ text }) => text), // without the address alone and a test
      port,
    );
    const command = (text: string) =>
      appendFile(`${monitor.folder}/${pipe}`, `[${Math.floor(Date.now() / 1_000)}] ${text}\n`);

    await shut(shop);
    const opened = await tocsin.openIncident();
    await untilSignals(tocsin, ([first]) => (first?.occurrences ?? 0) > 1);
    await command('ACKNOWLEDGE_SVC_PROBLEM;web-1;shop;2;1;0;ana;I restart the shop');
    const acknowledged = await untilAcknowledged(service, opened.id);
    const again = await listen(port);
    const over = await untilOver(tocsin, opened.id);
    await shut(again);

    expect(opened).toMatchObject({
      root_service: 'web-1',
      title: expect.stringMatching(/^web-1: shop on web-1: .*onnect/),
      severity: 'critical',
    });
    expect(acknowledged.acknowledged_by).toBe('ana');
    expect(acknowledged.timeline).toContainEqual(expect.objectContaining({ text: 'I restart the shop' }));
    expect(over).toMatchObject({ status: 'open', signal_count: 1 });
  },
);

function untilAcknowledged({ tocsin }: ListeningService, id: string): Promise<Incident> {
  return vi.waitUntil(
    async () => {
      const incident = Incident.parse(await (await tocsin.call('GET', `/incidents/${id}`)).json());
      return incident.acknowledged_by != null && incident;
    },
    { timeout: HANG_MS, interval: 100 },
  );
}
