import { addHours } from 'date-fns/addHours';
import { hoursToMilliseconds } from 'date-fns/hoursToMilliseconds';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { ON_CALL_LIMITS, PersonList, Schedule, ScheduleList } from '../../src/contract/on-call.ts';
import { MAX_SCHEDULE_BYTES } from '../../src/service/dashboard/on-call/form-size.ts';
import { cookieOf, signIn, stranger, type Visitor, visitorWith } from '../support/dashboard.ts';
import { PUBLIC_URL, startTestService, type TestService } from '../support/test-service.ts';

async function startWithPeople(): Promise<TestService> {
  const tocsin = await startTestService();
  for (const [id, name] of [
    ['slack:U1', 'Ana'],
    ['slack:U2', 'Ben'],
    ['slack:U3', '<b>Cem</b>'],
  ]) {
    await tocsin.call('PUT', `/people/${id}`, { body: { name } });
  }
  return tocsin;
}

async function idsOf(tocsin: TestService): Promise<Map<string, string>> {
  const { people } = PersonList.parse(await (await tocsin.call('GET', '/people')).json());
  return new Map(people.map(({ id, name }) => [name, id]));
}

async function createSchedule(tocsin: TestService, people: readonly string[]): Promise<Schedule> {
  const layer = {
    people,
    every: { count: 1, unit: 'week' },
    at: '09:00',
    anchor: tocsin.now().toISOString().slice(0, 10),
  };
  const body = { name: 'Payments', time_zone: 'Europe/Berlin', layers: [layer] };
  return Schedule.parse(await (await tocsin.call('POST', '/schedules', { body })).json());
}

async function schedulesOf(tocsin: TestService): Promise<readonly Schedule[]> {
  return ScheduleList.parse(await (await tocsin.call('GET', '/schedules')).json()).schedules;
}

const textOf = async (visitor: Visitor, path: string) => (await visitor.visit(path)).text();

it('makes a schedule and its turns by forms, after a preview, and lets no viewer', async () => {
  await using tocsin = await startWithPeople();
  const ids = await idsOf(tocsin);
  const [admin, viewer] = [await signIn(tocsin, tocsin.readWriteKey), await signIn(tocsin, tocsin.readOnlyKey)];
  const name = { name: 'Payments', zone: 'Europe/Berlin' };

  const refused = await admin.visit('/on-call', { form: { ...name, zone: 'Mars' } });
  const byViewer = await viewer.visit('/on-call', { form: name });
  const created = await admin.visit('/on-call', { form: name });
  const edit = (created.headers.get('location') ?? '').replace('/dashboard', '');
  const form = {
    ...name,
    revision: '1',
    '0.id': '',
    '0.people': ids.get('Ana') ?? '',
    '0.count': '1',
    '0.unit': 'week',
    '0.at': '09:00',
    '0.anchor': '2027-03-01',
    '0.zone': '',
    '0.until': '',
    '0.from.0': '',
    '0.to.0': '',
  };
  const wrong = await admin.visit(edit, { form: { ...form, '0.at': '25:00', do: 'save' } });
  const preview = await admin.visit(edit, { form: { ...form, do: 'preview' } });
  const nothingYet = (await schedulesOf(tocsin))[0]?.on_call;
  const saved = await admin.visit(edit, { form: { ...form, do: 'save' } });
  const outdated = await admin.visit(edit, { form: { ...form, do: 'save' } });

  expect([refused.status, byViewer.status, created.status]).toEqual([422, 403, 303]);
  expect([wrong.status, await wrong.text()]).toEqual([
    422,
    expect.stringContaining('Layer 1 needs the time of the hand-over'),
  ]);
  const shown = await preview.text();
  expect(shown).toContain('What would change');
  expect(shown).toContain('Ana</bdi></li>');
  expect(nothingYet).toBeNull();
  expect([saved.status, outdated.status]).toEqual([303, 422]);
  expect((await schedulesOf(tocsin))[0]?.on_call?.name).toBe('Ana');
});

it('says in the words of the form what is wrong with a schedule', async () => {
  await using tocsin = await startWithPeople();
  const [ana = ''] = (await idsOf(tocsin)).values();
  const schedule = await createSchedule(tocsin, [ana]);
  const admin = await signIn(tocsin, tocsin.readWriteKey);
  const right = { revision: '1', name: 'Payments', zone: 'Europe/Berlin', '0.id': '', '0.people': ana, '0.count': '1' };
  const layer = { '0.unit': 'week', '0.at': '09:00', '0.anchor': '2026-11-30', do: 'save' };
  const said = async (wrong: Readonly<Record<string, string>>) => {
    const answer = await admin.visit(`/on-call/${schedule.id}/edit`, { form: { ...right, ...layer, ...wrong } });
    return /role="alert">(?:<[^>]+>)*([^<]*)/.exec(await answer.text())?.[1];
  };

  expect([
    await said({ name: '' }),
    await said({ '0.people': '' }),
    await said({ '0.count': '0' }),
    await said({ '0.at': '9 Uhr' }),
    await said({ '0.anchor': '31.11.2026' }),
    await said({ '0.from.0': '25:00' }),
    await said({ '0.until': 'soon' }),
  ]).toEqual([
    'A schedule needs a name of at most 100 characters.',
    'Layer 1 needs 1 to 50 turns.',
    'Layer 1 needs turns of 1 to 365 hours, days, weeks or months.',
    'Layer 1 needs the time of the hand-over, such as 09:00.',
    'Layer 1 needs the day of the first hand-over, such as 2026-11-30.',
    'Layer 1 needs days and two times for its hours, such as 09:00 and 17:30.',
    'Layer 1 needs a last day such as 2027-12-31, or none.',
  ]);
  for (const button of ['preview', 'save']) {
    expect(await said({ '0.until': '2026-01-01', do: button })).toContain(
      'layer 1 would be over before its first turn',
    );
  }
});

it('shows who is on call now and next, a calendar, gaps and names as text', async () => {
  await using tocsin = await startWithPeople();
  const schedule = await createSchedule(tocsin, ['slack:U1', 'slack:U3']);
  await tocsin.call('PUT', '/people/slack:U3', { body: { name: '<b>Cem</b>', is_gone: true } });
  const viewer = await signIn(tocsin, tocsin.readOnlyKey);

  const [list, page] = [await textOf(viewer, '/on-call'), await textOf(viewer, `/on-call/${schedule.id}`)];
  const csv = await viewer.visit(`/on-call/${schedule.id}/hours.csv`);

  expect(list).toContain('Payments');
  for (const text of [list, page]) {
    expect(text).toContain('Ana');
    expect(text).toContain('&lt;b&gt;Cem&lt;/b&gt;');
    expect(text).not.toContain('<b>Cem');
  }
  expect(page).toContain('has left');
  expect(page).not.toContain('Edit the schedule');
  expect(csv.headers.get('content-type')).toBe('text/csv; charset=utf-8');
  expect((await viewer.visit('/on-call/sched_unknown')).status).toBe(404);
});

it('puts somebody on call by a form, and ends that', async () => {
  await using tocsin = await startWithPeople();
  const schedule = await createSchedule(tocsin, ['slack:U1']);
  const ids = await idsOf(tocsin);
  const admin = await signIn(tocsin, tocsin.readWriteKey);
  const path = `/on-call/${schedule.id}`;
  const to = addHours(tocsin.now(), 30).toISOString().slice(0, 16); // at that time in Berlin, an hour or two before
  const form = { person: ids.get('Ben') ?? '', from: '', to, reason: 'Ana is ill' };

  const past = await admin.visit(`${path}/overrides`, { form: { ...form, to: '2026-01-01T00:00' } });
  const made = await admin.visit(`${path}/overrides`, { form });
  const during = (await schedulesOf(tocsin))[0]?.on_call?.name;
  tocsin.advance(hoursToMilliseconds(1));
  const [, end = ''] = /action="\/dashboard([^"]+\/end)"/.exec(await textOf(admin, path)) ?? [];
  await admin.visit(end, { form: {} });

  expect([past.status, made.status, during]).toEqual([422, 303, 'Ben']);
  expect((await schedulesOf(tocsin))[0]?.on_call?.name).toBe('Ana');
  expect(await textOf(admin, '/settings/audit')).toContain('Ana is ill');
});

it('chooses the Slack user group of a schedule by a form, says what is wrong with its name, and lets no viewer', async () => {
  await using tocsin = await startWithPeople();
  const { id } = await createSchedule(tocsin, ['slack:U1']);
  const [admin, viewer] = [await signIn(tocsin, tocsin.readWriteKey), await signIn(tocsin, tocsin.readOnlyKey)];
  const path = `/on-call/${id}/slack-group`;
  const form = { group: ' S012AB3CD ', direction: 'write', do: 'save' };
  const group = async () => (await schedulesOf(tocsin))[0]?.slack_group;

  const wrong = await admin.visit(path, { form: { ...form, group: '@payments' } });
  const byViewer = await viewer.visit(path, { form });
  const unset = await group();
  const set = await admin.visit(path, { form });
  const written = await group();
  await admin.visit(path, { form: { ...form, direction: 'read' } });
  const [read, page] = [await group(), await textOf(viewer, `/on-call/${id}`)];
  await admin.visit(path, { form: { ...form, do: 'remove' } });

  const said = await wrong.text();
  expect([wrong.status, byViewer.status, set.status]).toEqual([422, 403, 303]);
  expect(said).toContain('begins with S');
  expect(said).toContain('value="@payments"');
  expect([unset, written, read, await group()]).toEqual([
    null,
    { id: 'S012AB3CD', direction: 'write' },
    { id: 'S012AB3CD', direction: 'read' },
    null,
  ]);
  expect(page).toContain('its members are the people of the lowest layer');
  expect(page).not.toContain('Go with');
  expect(await textOf(admin, '/settings/audit')).toContain('Slack user group S012AB3CD');
});

it('makes who signs in a person, and lets them take the call', async () => {
  await using tocsin = await startWithPeople();
  const schedule = await createSchedule(tocsin, ['slack:U1']);
  const body = { user: 'dora@example.com', user_id: 'email:dora@example.com', role: 'responder' };
  const link = await tocsin.call('POST', '/sign-in-links', { body });
  const { url } = z.object({ url: z.string() }).parse(await link.json());
  const confirmation = new URL(url).pathname.replace('/dashboard', '');
  const dora = await visitorWith(tocsin, cookieOf(await stranger(tocsin).visit(confirmation, { form: {} })));

  const page = await textOf(dora, `/on-call/${schedule.id}`);
  const taken = await dora.visit(`/on-call/${schedule.id}/take`, { form: { hours: '2' } });

  expect(page).toContain('I take it for');
  expect(taken.status).toBe(303);
  const after = await textOf(dora, `/on-call/${schedule.id}`);
  expect(after).toContain('On call now: <bdi>dora</bdi>');
  expect(after).not.toContain('dora@example.com');
});

it('takes the largest form of a schedule, and no larger one here or elsewhere', async () => {
  await using tocsin = await startWithPeople();
  const schedule = await createSchedule(tocsin, ['slack:U1']);
  const ids = [...(await idsOf(tocsin)).values()];
  const admin = await signIn(tocsin, tocsin.readWriteKey);
  const { layers, turns, hours } = ON_CALL_LIMITS;
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
  const zone = 'America/Argentina/ComodRivadavia';
  const times = Array.from({ length: hours }, (_, place) => [
    ...days.map((day) => [`days.${place}`, day]),
    [`from.${place}`, '09:00'],
    [`to.${place}`, '17:30'],
  ]).flat();
  const layer = Object.entries({ id: '', count: '365', unit: 'month', at: '09:00', anchor: '2027-03-01', zone });
  const people = Array.from({ length: turns }, (_, turn) => ['people', ids[turn % ids.length] ?? '']);
  const fields = [...layer, ['until', '2029-12-31'], ...people, ['people', ''], ['people', ''], ...times];
  const form = [
    ...Object.entries({ _csrf: admin.csrfToken, revision: '1', name: '\u98de'.repeat(ON_CALL_LIMITS.name), zone }),
    ...Array.from({ length: layers }, (_, index) =>
      fields.map(([name, value]) => [`${index}.${name}`, value ?? '']),
    ).flat(),
    ['do', 'save'],
  ];
  const send = (path: string, body: string) => {
    const type = 'application/x-www-form-urlencoded';
    const headers = { cookie: admin.cookie, origin: PUBLIC_URL, 'sec-fetch-site': 'same-origin', 'content-type': type };
    const length = { 'content-length': String(body.length) };
    const init = { method: 'POST', headers: { ...headers, ...length }, body };
    return tocsin.service.fetch(new Request(`${PUBLIC_URL}/dashboard${path}`, init));
  };
  const largest = form.map((field) => field.map((text) => encodeURIComponent(text ?? '')).join('=')).join('&');

  const tooLarge = await send(`/on-call/${schedule.id}/edit`, `${largest}&x=${'x'.repeat(MAX_SCHEDULE_BYTES)}`);
  const elsewhere = await send('/on-call', largest);
  const saved = await send(`/on-call/${schedule.id}/edit`, largest);

  expect(largest.length).toBeGreaterThan(32 * 1024);
  expect(largest.length).toBeLessThan(MAX_SCHEDULE_BYTES);
  expect([tooLarge.status, elsewhere.status, saved.status]).toEqual([413, 413, 303]);
  const [stored] = await schedulesOf(tocsin);
  expect(stored?.layers.filter(({ people }) => people.length === turns)).toHaveLength(layers);
});
