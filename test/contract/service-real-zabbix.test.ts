import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { Client } from 'pg';
import { expect, it, vi } from 'vitest';
import { Incident } from '../../src/contract/resources.ts';
import type { Snippet } from '../../src/service/core/snippet.ts';
import { createEmptyDatabase } from '../support/database.ts';
import { startDebianServer } from '../support/debian-server.ts';
import { HANG_MS } from '../support/hang.ts';
import { startListeningService, untilOver, untilSignals } from '../support/listening-service.ts';

const SQL = '/usr/share/zabbix-server-pgsql';
const read = (name: string) => gunzipSync(readFileSync(`${SQL}/${name}.sql.gz`)).toString();

/** What a new Zabbix has besides 300 templates: its roles and users, and its settings. */
const BASICS = /^INSERT INTO (?:role|role_rule|usrgrp|users|users_groups|config|config_autoreg_tls|hstgrp) .*$/gm;

/**
 * What people set in the frontend: a host with an item and a trigger, a user (Admin), and what the page of an integration says:
 * the media type with its script and its parameters, the templates of messages, and an action with its operations.
 */
function settingsOf([parameters, script, template]: readonly Snippet[]): string {
  const text = (value: string) => `'${value.replaceAll("'", "''")}'`;
  const lines = (parameters?.text ?? '').trim().split('\n');
  return `
    insert into users (userid, username, name, surname, roleid) values (3, 'zoe', 'Zoe', 'Lima', 3);
    insert into users_groups (id, usrgrpid, userid) values (5, 7, 3);
    insert into hosts (hostid, host, name, name_upper) values (1, 'web-1', 'web-1', 'WEB-1');
    insert into hosts_groups (hostgroupid, hostid, groupid) values (1, 1, 2);
    insert into items (itemid, type, hostid, name, key_, value_type) values (1, 2, 1, 'mails', 'mails', 3);
    insert into item_rtdata (itemid) values (1);
    insert into triggers (triggerid, expression, description, priority, type) values (1, '{1}>3', 'Mails wait', 4, 1);
    insert into functions (functionid, itemid, triggerid, name, parameter) values (1, 1, 1, 'last', '$');
    insert into trigger_tag (triggertagid, triggerid, tag, value) values (1, 1, 'service', 'payments');
    insert into media_type (mediatypeid, type, name, script) values (1, 4, 'Tocsin', ${text(script?.text ?? '')});
    ${lines
      .map((line, index) => {
        const [name = '', value = ''] = line.split(/\s+/);
        return `insert into media_type_param (mediatype_paramid, mediatypeid, name, value) values (${index + 1}, 1, ${text(name)}, ${text(value)});`;
      })
      .join('\n')}
    ${[0, 1, 2]
      .map(
        (recovery) =>
          `insert into media_type_message (mediatype_messageid, mediatypeid, eventsource, recovery, message) values (${recovery + 1}, 1, 0, ${recovery}, ${text(template?.text ?? '')});`,
      )
      .join('\n')}
    insert into media (mediaid, userid, mediatypeid, sendto) values (1, 1, 1, 'tocsin');
    insert into actions (actionid, name, eventsource) values (1, 'Tocsin', 0);
    insert into operations (operationid, actionid, operationtype, recovery) values (1, 1, 0, 0), (2, 1, 11, 1), (3, 1, 12, 2);
    insert into opmessage (operationid) values (1), (2), (3);
    insert into opmessage_usr (opmessage_usrid, operationid, userid) values (1, 1, 1);
  `;
}

/** What the frontend writes when Zoe acknowledges a problem with a message. */
const ACKNOWLEDGE = `
  insert into acknowledges (acknowledgeid, userid, eventid, clock, message, action)
    select 1, 3, min(eventid), extract(epoch from now())::int, 'I restart it', 2 + 4 from problem;
  insert into task (taskid, type, status, clock) values (1, 4, 1, extract(epoch from now())::int);
  insert into task_acknowledge (taskid, acknowledgeid) values (1, 1);
`;

const WAIT = { timeout: HANG_MS, interval: 200 };

/** A frame of Zabbix' protocol, as zabbix_sender sends it. */
function send(port: number, value: number): Promise<string> {
  const body = Buffer.from(
    JSON.stringify({ request: 'sender data', data: [{ host: 'web-1', key: 'mails', value: String(value) }] }),
  );
  const header = Buffer.from('ZBXD\x01\0\0\0\0\0\0\0\0', 'latin1');
  header.writeUInt32LE(body.length, 5);
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.concat([header, body])));
    let answer = '';
    socket.on('data', (bytes) => {
      answer += bytes.toString('latin1');
    });
    socket.on('error', reject).on('close', () => resolve(answer));
  });
}

it('gets from a real Zabbix a problem, what people do with it, and its recovery, by what the page says to paste', {
  timeout: 120_000,
}, async () => {
  await using service = await startListeningService();
  const { tocsin } = service;
  await using database = await createEmptyDatabase();
  const client = new Client({ connectionString: database.url });
  await using scope = new AsyncDisposableStack();
  scope.defer(() => client.end());
  await client.connect();
  await client.query(read('schema'));
  await client.query((read('data').match(BASICS) ?? []).join('\n'));
  await client.query(settingsOf(await service.setUp('zabbix')));
  const { hostname, port: databasePort, username, password, pathname } = new URL(database.url);
  await using zabbix = await startDebianServer({
    binary: '/usr/sbin/zabbix_server',
    package: 'zabbix-server-pgsql',
    files: (port, folder) => ({
      'zabbix.conf': `
ListenIP=127.0.0.1
ListenPort=${port}
LogType=console
PidFile=${folder}/zabbix.pid
SocketDir=${folder}
AllowRoot=1
AllowUnsupportedDBVersions=1
DBHost=${decodeURIComponent(hostname)}
${databasePort === '' ? '' : `DBPort=${databasePort}`}
DBName=${pathname.slice(1)}
DBUser=${username}
DBPassword=${decodeURIComponent(password)}
CacheUpdateFrequency=1
StartPollers=0
StartPollersUnreachable=0
StartPingers=0
StartDiscoverers=0
StartHTTPPollers=0
`,
    }),
    args: ['-f', '-c', 'zabbix.conf'],
  });
  await vi.waitUntil(async () => (await send(zabbix.port, 5)).includes('processed: 1'), WAIT);
  const opened = await tocsin.openIncident();
  await send(zabbix.port, 6); // its trigger makes an event of each value
  await untilSignals(tocsin, ([first]) => first?.occurrences === 2);
  await client.query(ACKNOWLEDGE);
  const acknowledged = await vi.waitUntil(async () => {
    const incident = Incident.parse(await (await tocsin.call('GET', `/incidents/${opened.id}`)).json());
    return incident.acknowledged_by != null && incident;
  }, WAIT);
  await send(zabbix.port, 0);
  const over = await untilOver(tocsin, opened.id);
  const [signal] = await untilSignals(tocsin, () => true);

  expect(opened).toMatchObject({ root_service: 'payments', title: 'payments (web-1): Mails wait', severity: 'error' });
  expect(acknowledged.acknowledged_by).toBe('Zoe Lima (zoe)');
  expect(acknowledged.timeline).toContainEqual(expect.objectContaining({ text: 'I restart it' }));
  expect(over).toMatchObject({ status: 'open', signal_count: 1 });
  expect(signal?.attributes).not.toHaveProperty('service_name'); // a macro that is not filled
});
