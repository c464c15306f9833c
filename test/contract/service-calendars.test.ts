import { addHours } from 'date-fns/addHours';
import { type Kysely, sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import type { z } from 'zod';
import { AddedFeed, GapList, Schedule, ShiftList } from '../../src/contract/on-call.ts';
import { readCalendar } from '../../src/service/on-call/calendars/read-calendar.ts';
import { CALENDAR_KIND } from '../../src/service/store/schedules/calendar-store.ts';
import { SERVICE_SCHEMA, type ServiceTables } from '../../src/service/store/schema/tables.ts';
import { signIn } from '../support/dashboard.ts';
import { advanceDatabaseClock } from '../support/database-clock.ts';
import { HANG_MS } from '../support/hang.ts';
import { createLogLines } from '../support/log-lines.ts';
import { startLoopback } from '../support/loopback.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { startWakingTeam } from '../support/waking-team.ts';
import { addWebhook, openTables, startWebhookReceiver, takeLogged, typeOf } from '../support/webhook-receiver.ts';

const SECRET = 'private-4711';

/** A server with one calendar, which knows what its readers have. */
async function startCalendarServer() {
  const seen: { readonly condition: string | undefined }[] = [];
  const calendar = { status: 200, body: '', etag: '"1"', knowsConditions: true, isSlowUntil: Promise.resolve() };
  const server = await startLoopback(async (response, request) => {
    const { body } = calendar;
    const condition = request.headers['if-none-match'];
    seen.push({ condition });
    await calendar.isSlowUntil;
    const isKnown = calendar.knowsConditions && condition === calendar.etag;
    response.writeHead(isKnown ? 304 : calendar.status, { etag: calendar.etag });
    response.end(isKnown ? undefined : body);
  });
  return { ...server, calendar, seen, address: `${server.url}/${SECRET}/basic.ics` };
}

function stamp(at: Date): string {
  return `${at.toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

function eventOf(uid: string, from: Date, to: Date, email: string): string[] {
  const times = [`DTSTART:${stamp(from)}`, `DTEND:${stamp(to)}`];
  return ['BEGIN:VEVENT', `UID:${uid}`, ...times, `SUMMARY:Ana`, `ATTENDEE:mailto:${email}`, 'END:VEVENT'];
}

const calendarOf = (...events: readonly (readonly string[])[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...events.flat(), 'END:VCALENDAR'].join('\r\n');

async function ask<Schema extends z.ZodType>(
  tocsin: TestService,
  schema: Schema,
  method: string,
  path: string,
  body?: object,
): Promise<z.infer<Schema>> {
  const response = await tocsin.call(method, path, body && { body });
  expect([200, 201]).toContain(response.status);
  return schema.parse(await response.json());
}

async function startReader() {
  const { logger, lines } = createLogLines();
  const tocsin = await startTestService({ webhooks: { allowPrivateAddresses: true }, logger });
  const server = await startCalendarServer();
  await tocsin.call('PUT', '/people/email:ana@example.com', { body: { name: 'Ana' } });
  const { id } = await ask(tocsin, Schedule, 'POST', '/schedules', { name: 'Payments', time_zone: 'UTC', layers: [] });
  const path = `/schedules/${id}`;
  const db = await openTables(tocsin);
  const read = () => ask(tocsin, Schedule, 'GET', path);
  return {
    tocsin,
    lines,
    server,
    path,
    read,
    set: (url: string | null) => ask(tocsin, Schedule, 'PUT', `${path}/calendar`, { url }),
    until: (isSo: (schedule: Schedule) => boolean) =>
      vi.waitUntil(
        async () => {
          const schedule = await read();
          return isSo(schedule) ? schedule : null;
        },
        { timeout: HANG_MS, interval: 50 },
      ),
    async passTime(minutes: number) {
      await untilNoneIsRead(db);
      tocsin.advance(minutes * 60_000);
      await advanceDatabaseClock(tocsin.database, SERVICE_SCHEMA, minutes * 60_000);
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await tocsin[Symbol.asyncDispose]();
    },
  };
}

/** A reading whose end is stored after a step of the clock would be repeated later by that step. */
async function untilNoneIsRead(db: Kysely<ServiceTables>): Promise<void> {
  const held = sql`select from effects where kind = ${CALENDAR_KIND} and leased_until is not null`;
  await vi.waitUntil(async () => (await held.execute(db)).rows.length === 0, { timeout: HANG_MS });
}

it('reads who is on call from a calendar, keeps the last good copy, and says how old it is', async () => {
  await using reader = await startReader();
  const { tocsin, server, until } = reader;
  const now = tocsin.now();
  server.calendar.body = calendarOf(eventOf('1', addHours(now, -2), addHours(now, 40), 'ANA@example.com'));

  await reader.set(server.address);
  const first = await until(({ calendar }) => calendar?.read_at != null);
  await reader.passTime(5);
  await until(({ calendar }) => Date.parse(calendar?.read_at ?? '') > now.getTime() + 200_000);
  server.calendar.body = calendarOf();
  server.calendar.etag = '"2"';
  await reader.passTime(5);
  const empty = await until(({ calendar }) => calendar?.fault != null);
  server.calendar.status = 503;
  await reader.passTime(70);
  const failed = await until(({ calendar }) => calendar?.fault?.includes('503') === true);
  const page = await (await signIn(tocsin, tocsin.readOnlyKey)).visit(`/on-call/${first.id}`);
  const shown = await page.text();

  expect(first.on_call?.name).toBe('Ana');
  expect(first.calendar).toMatchObject({
    url: `${new URL(server.address).origin}/...`,
    fault: null,
    unknown_people: 0,
  });
  expect(server.seen.slice(0, 2).map(({ condition }) => condition)).toEqual([undefined, '"1"']);
  expect(empty).toMatchObject({
    on_call: { name: 'Ana' },
    calendar: { fault: 'the calendar has come back without events' },
  });
  expect(failed).toMatchObject({ on_call: { name: 'Ana' }, calendar: { read_at: empty.calendar?.read_at } });
  expect(shown).toContain('older than an hour; it still counts');
  expect(shown).not.toContain(SECRET);
  const admin = await signIn(tocsin, tocsin.readWriteKey);
  expect(await (await admin.visit(`/on-call/${first.id}`)).text()).toContain(SECRET);
  expect(reader.lines.filter((line) => line.includes(SECRET))).toEqual([]);
});

it('leaves a gap for an address of nobody, and fills it when the person becomes known', async () => {
  await using reader = await startReader();
  const { tocsin, server, until } = reader;
  const now = tocsin.now();
  server.calendar.body = calendarOf(eventOf('1', addHours(now, -1), addHours(now, 40), 'ben@example.com'));

  await reader.set(server.address);
  const unknown = await until(({ calendar }) => calendar?.unknown_people === 1);
  const { gaps } = await ask(tocsin, GapList, 'GET', `${reader.path}/gaps`);
  await tocsin.call('PUT', '/people/email:ben@example.com', { body: { name: 'Ben' } });
  await ask(tocsin, Schedule, 'POST', `${reader.path}/calendar/reload`);
  const known = await until(({ calendar }) => calendar?.unknown_people === 0);

  expect(unknown.on_call).toBeNull();
  expect(gaps[0]).toMatchObject({ person: null, because: 'nobody' });
  expect(known.on_call?.name).toBe('Ben');
});

it('never changes what was, and ends what is ahead when the calendar is removed', async () => {
  await using reader = await startReader();
  const { tocsin, server, until } = reader;
  const now = tocsin.now();
  server.calendar.knowsConditions = false; // it answers 200 to a condition that holds, as some do
  server.calendar.body = calendarOf(eventOf('1', addHours(now, -2), addHours(now, 40), 'ana@example.com'));
  await reader.set(server.address);
  await until(({ on_call: onCall }) => onCall?.name === 'Ana');
  const past = () =>
    ask(
      tocsin,
      ShiftList,
      'GET',
      `${reader.path}/shifts?from=${now.toISOString()}&to=${addHours(now, 1).toISOString()}`,
    );

  await reader.passTime(61);
  await until(({ calendar }) => Date.parse(calendar?.read_at ?? '') > now.getTime() + 3_600_000);
  const before = await past();
  server.calendar.body = calendarOf(eventOf('2', addHours(now, 10), addHours(now, 40), 'ana@example.com'));
  await ask(tocsin, Schedule, 'POST', `${reader.path}/calendar/reload`);
  await until(({ on_call: onCall }) => onCall === null);
  const removed = await reader.set(null);

  expect(before.people[0]?.hours).toBeGreaterThan(0.9);
  expect(await past()).toEqual(before);
  expect(removed).toMatchObject({ calendar: null, on_call: null, next: null });
});

it('is read again when that is asked for while it is being read', async () => {
  await using reader = await startReader();
  const { tocsin, server, until } = reader;
  const [from, to] = [addHours(tocsin.now(), -1), addHours(tocsin.now(), 40)];
  const slow = Promise.withResolvers<void>();
  server.calendar.isSlowUntil = slow.promise;
  await reader.set(server.address);
  await vi.waitUntil(() => server.seen.length > 0, HANG_MS);
  server.calendar.body = calendarOf(eventOf('1', from, to, 'ana@example.com'));

  await ask(tocsin, Schedule, 'POST', `${reader.path}/calendar/reload`);
  slow.resolve();

  expect((await until(({ on_call: onCall }) => onCall !== null)).on_call?.name).toBe('Ana');
});

it('gives the final shifts to a calendar program that has the token, until it is revoked', async () => {
  await using tocsin = await startTestService();
  await tocsin.call('PUT', '/people/slack:U1', { body: { name: 'Ana' } });
  const turns = { every: { count: 1, unit: 'day' }, at: '09:00', anchor: '2026-01-05' };
  const layers = [{ people: ['slack:U1', null], ...turns }];
  const { id } = await ask(tocsin, Schedule, 'POST', '/schedules', {
    name: 'Payments',
    time_zone: 'Europe/Berlin',
    layers,
  });
  const feed = await ask(tocsin, AddedFeed, 'POST', `/schedules/${id}/feeds`);
  const open = (url: string) => tocsin.service.fetch(new Request(url));

  const [good, wrong, none] = [
    await open(feed.url ?? ''),
    await open(`${feed.url}x`),
    await open((feed.url ?? '').replace(/\?.*/, '')),
  ];
  const text = await good.text();
  const now = tocsin.now();
  const { shifts } = await ask(
    tocsin,
    ShiftList,
    'GET',
    `/schedules/${id}/shifts?from=${now.toISOString()}&to=${addHours(now, 90 * 24).toISOString()}`,
  );
  await tocsin.call('DELETE', `/feeds/${feed.id}`);
  const revoked = await open(feed.url ?? '');

  expect([good.status, wrong.status, none.status, revoked.status]).toEqual([200, 404, 404, 404]);
  expect(good.headers.get('content-type')).toContain('text/calendar');
  const read = readCalendar(text, { from: now, to: addHours(now, 91 * 24) }, 'UTC');
  // The shift that is running began before it was asked for.
  const seconds = (at: Date | string) => Math.floor(Math.max(new Date(at).getTime(), now.getTime()) / 1_000);
  expect(read.shifts.map(({ from, to }) => [seconds(from), seconds(to)])).toEqual(
    shifts.filter(({ person }) => person !== null).map(({ from, to }) => [seconds(from), seconds(to)]),
  );
  expect(text).toContain('SUMMARY:Ana: Payments');
  expect(JSON.stringify(await (await tocsin.call('GET', `/schedules/${id}/feeds`)).json())).not.toContain('token');
});

it('gives the shift that is running as one event, whenever a calendar program reads it', async () => {
  await using tocsin = await startTestService();
  await tocsin.call('PUT', '/people/slack:U1', { body: { name: 'Ana' } });
  const turns = { every: { count: 1, unit: 'week' }, at: '09:00', anchor: '2026-01-05' };
  const layers = [{ people: ['slack:U1'], ...turns }];
  const body = { name: 'Payments', time_zone: 'UTC', layers };
  const { id } = await ask(tocsin, Schedule, 'POST', '/schedules', body);
  const { url = '' } = await ask(tocsin, AddedFeed, 'POST', `/schedules/${id}/feeds`);
  const read = async () => {
    const text = await (await tocsin.service.fetch(new Request(url))).text();
    return /BEGIN:VEVENT\r\nUID:(\S+)[\s\S]*?DTSTART:(\S+)/.exec(text)?.slice(1);
  };

  const first = await read();
  tocsin.advance(3_600_000);
  const later = await read();

  expect(first).toHaveLength(2);
  expect(later).toEqual(first);
});

it('tells once of somebody whom nothing wakes, before the night, and counts the pages of each person', async () => {
  await using team = await startWakingTeam();
  const { tocsin } = team;
  await using receiver = await startWebhookReceiver();
  const webhook = await addWebhook(tocsin, { url: receiver.url, events: ['schedule.gaps'] });
  const ana = await team.addPerson('Ana');
  const way = await team.addEmail(ana);
  const turns = { every: { count: 1, unit: 'week' }, at: '09:00', anchor: '2026-01-05' };
  const body = { name: 'Payments', time_zone: 'UTC', layers: [{ people: [ana], ...turns }] };
  const { id } = await ask(tocsin, Schedule, 'POST', '/schedules', body);
  await team.createPolicy({ steps: [{ after_s: 0, to: [{ kind: 'schedule', id }] }] });
  const gapsOf = async () => (await ask(tocsin, GapList, 'GET', `/schedules/${id}/gaps`)).gaps;

  await tocsin.failIn(['payments']);
  const incident = await tocsin.openIncident();
  await team.waitForPage(incident.id, ({ attempts }) => attempts.some(({ state }) => state === 'accepted'));
  const before = await gapsOf();
  await tocsin.call('DELETE', `/ways/${way}`);
  await team.passTime(300);
  const [told] = await receiver.take(1);
  await takeLogged(tocsin, webhook.id, 1); // a delivery that is still under way when time passes is repeated
  await team.passTime(300);
  await tocsin.call('PUT', `/schedules/${id}`, { body: { ...body, name: 'Renamed' } });
  const from = addHours(tocsin.now(), -2).toISOString();
  const csv = await tocsin.call('GET', `/schedules/${id}/shifts?from=${from}&to=${tocsin.now().toISOString()}`, {
    headers: { accept: 'text/csv' },
  });

  expect(before).toEqual([]);
  expect((await gapsOf())[0]).toMatchObject({ person: { name: 'Ana' }, because: 'not-wakeable' });
  expect(told && typeOf(told)).toBe('schedule.gaps');
  expect(JSON.parse(told?.body ?? '').data.schedule).toMatchObject({
    id,
    name: 'Payments',
    gaps: [{ person: { id: ana, name: 'Ana' }, because: 'not-wakeable' }],
  });
  expect(receiver.received).toHaveLength(1);
  expect(await csv.text()).toMatch(/"pages"\r\n"person_\w+","Ana","[^"]+","[^"]+","[^"]+","1"\r\n/);
});
