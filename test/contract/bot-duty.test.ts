import { addDays } from 'date-fns/addDays';
import { addHours } from 'date-fns/addHours';
import { addMinutes } from 'date-fns/addMinutes';
import { expect, it, vi } from 'vitest';
import { BOT_SCHEMA } from '../../src/bot/tables.ts';
import { Person, PersonList, Schedule, SwapList } from '../../src/contract/on-call.ts';
import type { BotTeam } from '../support/bot-team.ts';
import { advanceDatabaseClock } from '../support/database-clock.ts';
import { HANG_MS } from '../support/hang.ts';
import { withRealTeam } from '../support/real-team.ts';
import type { TestService } from '../support/test-service.ts';
import { openIncidentOf } from '../support/webhook-receiver.ts';

const waitFor = (check: () => void | Promise<void>) => vi.waitFor(check, { timeout: HANG_MS, interval: 50 });

async function call(service: TestService, method: string, path: string, body?: object): Promise<unknown> {
  const response = await service.call(method, path, body && { body });
  expect([200, 201]).toContain(response.status);
  return response.json();
}

function message({ slack }: BotTeam, person: string, pattern: RegExp) {
  return slack.waitFor(() =>
    slack.messages(slack.as(person).openDirectMessage(['tocsin'])).find(({ text }) => pattern.test(text)),
  );
}

/** Ana and Ben take turns of a day. */
async function addSchedule(team: BotTeam, service: TestService, name = 'Payments') {
  for (const person of ['ana', 'ben']) {
    await call(service, 'PUT', `/people/slack:${team.slack.as(person).id}`, { name: person });
  }
  const people = ['ana', 'ben'].map((person) => `slack:${team.slack.as(person).id}`);
  const anchor = service.now().toISOString().slice(0, 10);
  const layer = { people, every: { count: 1, unit: 'day' }, at: '00:00', anchor };
  return Schedule.parse(await call(service, 'POST', '/schedules', { name, time_zone: 'UTC', layers: [layer] }));
}

/** The watch looks each minute by the clock of the database. */
async function passMinutes(team: BotTeam, minutes: number): Promise<void> {
  await advanceDatabaseClock(team.database, BOT_SCHEMA, minutes * 60_000);
}

it('asks for a swap by a form, and both are told when it is taken and given back', () =>
  withRealTeam(async (team, service) => {
    const { id } = await addSchedule(team, service);
    const [ana, ben] = [team.slack.as('ana'), team.slack.as('ben')];
    const swaps = async () => SwapList.parse(await call(service, 'GET', `/schedules/${id}/swaps`)).swaps;

    await ana.command('incidents', '/incidents oncall swap');
    const form = await team.modal('ana');
    const [turn] = JSON.stringify(form.content.blocks).match(/sched_\w+ \d+ \d+/) ?? [''];
    await ana.submit(form, { swap_turn: turn, swap_taker: ben.id });
    const asked = await message(team, 'ben', /asks you to be on call/);
    await message(team, 'ana', /I asked/);
    await ben.click(asked, 'Take');
    const taken = await message(team, 'ben', /You take/);
    await message(team, 'ana', /takes your turn/);
    const during = await swaps();
    await ben.click(taken, 'Undo');
    await message(team, 'ana', /gave your turn/);
    const again = await message(team, 'ben', /asks you to be on call/);

    expect(during).toMatchObject([{ state: 'taken', taker: { name: expect.any(String) } }]);
    expect(await swaps()).toMatchObject([{ state: 'asked' }]);
    expect([taken.ts, again.ts]).toEqual([asked.ts, asked.ts]);
  }));

it('asks for a swap of people whom the service knows, though Slack says of nobody who they are', () =>
  withRealTeam(async (team, service) => {
    await addSchedule(team, service);
    const [ana, ben] = [team.slack.as('ana'), team.slack.as('ben')];
    await ana.command('incidents', '/incidents oncall swap');
    const form = await team.modal('ana');
    const [turn] = JSON.stringify(form.content.blocks).match(/sched_\w+ \d+ \d+/) ?? [''];
    team.slack.faults.repeat('users.info', { kind: 'error', error: 'user_not_found' }, { calls: 100 });

    await ana.submit(form, { swap_turn: turn, swap_taker: ben.id });

    expect((await message(team, 'ben', /asks you to be on call/)).text).toContain('Payments');
  }));

it('asks everybody in the schedule where nobody is named, and one who declines speaks for themselves', () =>
  withRealTeam(async (team, service) => {
    const { id } = await addSchedule(team, service);
    const ana = team.slack.as('ana');
    await ana.command('incidents', '/incidents oncall swap payments');
    const form = await team.modal('ana');
    const [turn] = JSON.stringify(form.content.blocks).match(/sched_\w+ \d+ \d+/) ?? [''];

    await ana.submit(form, { swap_turn: turn });
    await team.slack.as('ben').click(await message(team, 'ben', /asks you to be on call/), 'Decline');
    await message(team, 'ben', /Declined/);
    await message(team, 'ana', /declined your turn/);

    expect(await call(service, 'GET', `/schedules/${id}/swaps`)).toMatchObject({ swaps: [{ state: 'asked' }] });
  }));

it('keeps a user group true to who is on call by several schedules, and never empties it', () =>
  withRealTeam(async (team, service) => {
    const [ana, ben] = [team.slack.as('ana'), team.slack.as('ben')];
    const group = ana.setUserGroup('oncall', ['ana']);
    const first = await addSchedule(team, service);
    const second = await addSchedule(team, service, 'Search');
    const put = (schedule: string, person: string | null) =>
      call(service, 'POST', `/schedules/${schedule}/overrides`, { person, to: addDays(service.now(), 2) });
    const members = () =>
      team.slack.calls.findLast(({ method, verdict }) => method === 'usergroups.users.update' && verdict === 'ok')
        ?.args;
    await put(first.id, `slack:${ana.id}`);
    await put(second.id, `slack:${ben.id}`);
    for (const { id } of [first, second]) {
      await call(service, 'PUT', `/schedules/${id}/slack-group`, { group: { id: group, direction: 'write' } });
    }

    await passMinutes(team, 2);
    await waitFor(() => expect(String(members()?.users).split(',').toSorted()).toEqual([ana.id, ben.id].toSorted()));
    for (const { id } of [first, second]) {
      await put(id, null);
    }
    await passMinutes(team, 2);
    const told = await team.card(/Nobody whom Slack knows is on call/);

    expect(told.text).toContain(group);
    expect(told.text).not.toContain('<!subteam'); // which would ring for all of them
    expect(team.slack.calls.filter(({ method }) => method === 'usergroups.users.update')).toHaveLength(1);
  }));

it('takes the people of a schedule from a user group', () =>
  withRealTeam(async (team, service) => {
    const group = team.slack.as('ana').setUserGroup('sre', ['ana', 'ben']);
    const body = { name: 'Payments', time_zone: 'UTC', layers: [] };
    const { id } = Schedule.parse(await call(service, 'POST', '/schedules', body));
    await call(service, 'PUT', `/schedules/${id}/slack-group`, { group: { id: group, direction: 'read' } });

    await passMinutes(team, 2);

    await waitFor(async () => {
      const schedule = Schedule.parse(await call(service, 'GET', `/schedules/${id}`));
      expect(schedule.layers.at(-1)?.people).toHaveLength(2);
    });
    const { people } = PersonList.parse(await call(service, 'GET', '/people'));
    expect(people.map(({ email }) => email)).toEqual(expect.arrayContaining(['ana@example.com', 'ben@example.com']));
  }));

it('tells whoever is next a quarter of an hour before their turn, with what is open', () =>
  withRealTeam(async (team, service) => {
    const { id } = await addSchedule(team, service);
    const ben = team.slack.as('ben');
    await openIncidentOf(service);
    await team.card(/payments/);
    const put = (person: string, from: Date) =>
      call(service, 'POST', `/schedules/${id}/overrides`, { person, from, to: addDays(service.now(), 2) });
    await put(`slack:${team.slack.as('ana').id}`, service.now());
    await put(`slack:${ben.id}`, addMinutes(service.now(), 10));

    await passMinutes(team, 2);
    const told = await message(team, 'ben', /Your turn for/);

    expect(told.text).toContain('1 incident open');
    expect(told.text).toContain('payments');
  }));

it('makes whoever acts a person, the same as their sign-in', () =>
  withRealTeam(async (team, service) => {
    const signedIn = Person.parse(await call(service, 'PUT', '/people/email:ana@example.com', { name: 'Ana' }));
    await openIncidentOf(service);

    await team.slack.as('ana').click(await team.card(/payments/), 'Acknowledge');

    const self = `/people/slack:${team.slack.as('ana').id}`;
    await waitFor(async () => expect((await service.call('GET', self)).status).toBe(200));
    expect(Person.parse(await call(service, 'GET', self)).id).toBe(signedIn.id);
  }));

it('says who would be woken for a service, on Home and in Show who is on call, and drills', () =>
  withRealTeam(async (team, service) => {
    const { id } = await addSchedule(team, service);
    const ana = team.slack.as('ana');
    const person = `slack:${ana.id}`;
    await call(service, 'POST', `/schedules/${id}/overrides`, { person, to: addHours(service.now(), 20) });
    const steps = [{ after_s: 0, to: [{ kind: 'schedule', id }] }];
    await call(service, 'POST', '/policies', { name: 'Everything', user: 'ana', steps, hold_s: 900 });

    await ana.command('incidents', '/incidents oncall wakeme');
    await ana.click(await message(team, 'ana', /This is a test/), 'I have it');
    await message(team, 'ana', /It works/);
    await ana.command('incidents', '/incidents oncall checkout');
    const woken = await team.ephemeral('ana', /would wake now/);
    await openIncidentOf(service);
    await team.card(/payments/);
    await ana.command('incidents', '/incidents show');
    const shown = await team.ephemeral('ana', /On call:/);
    await ana.command('incidents', '/incidents oncall drill everything');
    await team.ephemeral('ana', /A drill of Everything has begun/);
    const drill = await message(team, 'ana', /This is a drill/);
    ana.openAppHome('home');
    const home = await team.slack.waitFor(() => {
      const text = JSON.stringify(team.slack.homeView('ana')?.content.blocks ?? '');
      return /You are being woken/.test(text) && text;
    });
    await ana.click(drill, 'I have it');

    expect(woken.text).toMatch(/1\. Ana|1\. ana/i);
    expect(woken.text).toContain('(on call in Payments) by Slack');
    expect(shown.text).toMatch(/On call: .*ana, next/i);
    expect(shown.text).toMatch(/Would be woken: .*ana/i);
    expect(home).toContain('Your next turn: Payments');
    await message(team, 'ana', /Taken by/);
  }));
