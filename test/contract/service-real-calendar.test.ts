import { addHours } from 'date-fns/addHours';
import { expect, it, vi } from 'vitest';
import { AddedFeed, Schedule } from '../../src/contract/on-call.ts';
import { startDebianServer } from '../support/debian-server.ts';
import { startTestService } from '../support/test-service.ts';

const RIGHTS = '[all]\nuser: .*\ncollection: .*\npermissions: RrWw\n';

/** Radicale, a CalDAV server in which everybody may do everything. */
function startRadicale() {
  return startDebianServer({
    binary: '/usr/bin/radicale',
    package: 'radicale',
    files: (port, folder) => ({
      rights: RIGHTS,
      config: `[server]\nhosts = 127.0.0.1:${port}\n[auth]\ntype = none\n[rights]\ntype = from_file\nfile = ${folder}/rights\n[storage]\nfilesystem_folder = ${folder}/data\n`,
    }),
    args: ['--config', 'config'],
  });
}

const stamp = (at: Date) => `${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;

function eventOf(name: string, from: Date): string {
  const of = [`UID:${name}`, `DTSTAMP:${stamp(from)}`, `SUMMARY:On call`, `ATTENDEE:mailto:${name}@tocsin.test`];
  const times = [`DTSTART:${stamp(from)}`, `DTEND:${stamp(addHours(from, 2))}`];
  const calendar = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:test', 'BEGIN:VEVENT', ...of, ...times];
  return [...calendar, 'RRULE:FREQ=DAILY', 'END:VEVENT', 'END:VCALENDAR', ''].join('\r\n');
}

const uidsIn = (text: string) =>
  [...text.matchAll(/^UID:(\S+)/gm)].map(([, uid = '']) => uid).toSorted((one, other) => one.localeCompare(other));

it('reads a calendar from Radicale as people change it there, and writes one that it takes', async () => {
  await using radicale = await startRadicale();
  await using tocsin = await startTestService({ webhooks: { allowPrivateAddresses: true } });
  const url = `http://127.0.0.1:${radicale.port}/team`;
  const put = async (path: string, body: string) => {
    const response = await fetch(url + path, { method: 'PUT', headers: { 'content-type': 'text/calendar' }, body });
    return response.status;
  };
  const call = async (method: string, path: string, body?: object) =>
    (await tocsin.call(method, path, body && { body })).json() as Promise<unknown>;
  for (const name of ['ana', 'ben']) {
    await call('PUT', `/people/email:${name}@tocsin.test`, { name });
  }
  const schedule = { name: 'Payments', time_zone: 'Europe/Berlin', layers: [] };
  const { id } = Schedule.parse(await call('POST', '/schedules', schedule));
  const onCall = async () => Schedule.parse(await call('GET', `/schedules/${id}`)).on_call?.name;

  expect((await fetch(`${url}/`, { method: 'MKCOL' })).status).toBe(201);
  const made = await put('/on-call/', eventOf('ana', addHours(tocsin.now(), -1)));
  await call('PUT', `/schedules/${id}/calendar`, { url: `${url}/on-call/` });
  await vi.waitUntil(async () => (await onCall()) === 'ana', { timeout: 30_000 });
  const changed = [
    (await fetch(`${url}/on-call/ana.ics`, { method: 'DELETE' })).status,
    await put('/on-call/ben.ics', eventOf('ben', addHours(tocsin.now(), -1))),
  ];
  await call('POST', `/schedules/${id}/calendar/reload`);
  await vi.waitUntil(async () => (await onCall()) === 'ben', { timeout: 30_000 });
  const feed = AddedFeed.parse(await call('POST', `/schedules/${id}/feeds`));
  const { pathname, search } = new URL(feed.url ?? '');
  const written = await (await tocsin.service.fetch(new Request(`http://localhost${pathname}${search}`))).text();
  const taken = await put('/shifts/', written);
  const back = await (await fetch(`${url}/shifts/`)).text();

  expect([made, ...changed, taken]).toEqual([201, 200, 201, 201]);
  expect(uidsIn(written).length).toBeGreaterThan(80); // of 90 days
  expect(uidsIn(back)).toEqual(uidsIn(written));
});
