import { addHours } from 'date-fns/addHours';
import { expect, it } from 'vitest';
import { PersonList, Schedule, ScheduleList } from '../../src/contract/on-call.ts';
import { startBotTeam } from '../support/bot-team.ts';
import { withRealTeam } from '../support/real-team.ts';
import type { TestService } from '../support/test-service.ts';

async function createSchedule(service: TestService, name: string): Promise<Schedule> {
  await service.call('PUT', '/people/slack:U9', { body: { name: 'Dora <&>' } });
  const layer = { people: ['slack:U9'], every: { count: 1, unit: 'week' }, at: '09:00', anchor: '2026-11-02' };
  const body = { name, time_zone: 'Europe/Berlin', layers: [layer] };
  return Schedule.parse(await (await service.call('POST', '/schedules', { body })).json());
}

async function schedulesOf(service: TestService): Promise<readonly Schedule[]> {
  return ScheduleList.parse(await (await service.call('GET', '/schedules')).json()).schedules;
}

it('says who is on call now and next, and which schedules there are', () =>
  withRealTeam(async (team, service) => {
    const ana = team.slack.as('ana');
    await ana.command('incidents', '/incidents oncall');
    await team.ephemeral('ana', /There are no schedules yet/);
    const { id } = await createSchedule(service, 'Payments');
    await createSchedule(service, 'Search');
    const override = { person: 'slack:U9', from: addHours(service.now(), 1), to: addHours(service.now(), 2) };
    await service.call('POST', `/schedules/${id}/overrides`, { body: { ...override, person: null } });

    await ana.command('incidents', '/incidents oncall');
    const all = await team.ephemeral('ana', /Search/);
    await ana.command('incidents', '/incidents oncall paymnets');
    const unknown = await team.ephemeral('ana', /There is no schedule/);

    expect(all.text).toMatch(/Payments: Dora &lt;&amp;&gt;, then nobody from /);
    expect(all.text).toContain('Search: Dora &lt;&amp;&gt;');
    expect(unknown.text).toContain('Did you mean Payments?');
  }));

it('puts who asks on call for some hours, known by their Slack id', () =>
  withRealTeam(async (team, service) => {
    await createSchedule(service, 'Payments');
    const ana = team.slack.as('ana');

    await ana.command('incidents', '/incidents oncall take 3h');
    const taken = await team.ephemeral('ana', /You are on call/);
    await ana.command('incidents', '/incidents oncall payments');
    const shown = await team.ephemeral('ana', /\(you\)/);

    expect(taken.text).toContain('You are on call for Payments until ');
    expect(shown.text).toMatch(/^Payments: .+ \(you\), then Dora/);
    const [schedule] = await schedulesOf(service);
    const { people } = PersonList.parse(await (await service.call('GET', '/people')).json());
    const self = people.find(({ id }) => id === schedule?.on_call?.id);
    expect(self).toMatchObject({ email: 'ana@example.com', slack_user_id: expect.stringMatching(/^U/) });
    expect(self?.name).not.toContain('@');
    expect(schedule?.overrides).toHaveLength(1);
  }));

it('asks which schedule, and puts nobody on call, where there are several', () =>
  withRealTeam(async (team, service) => {
    await createSchedule(service, 'Payments');
    await createSchedule(service, 'Search');

    await team.slack.as('ana').command('incidents', '/incidents oncall take');
    const asked = await team.ephemeral('ana', /Which schedule/);

    expect(asked.text).toBe('Which schedule? Schedules: Payments, Search.');
    expect((await schedulesOf(service)).flatMap(({ overrides }) => overrides)).toEqual([]);
  }));

it.each(['oncall', 'oncall take 2h', 'oncall swap', 'oncall drill', 'oncall wakeme'])(
  'says of /incidents %s that another service does not offer it',
  async (words) => {
    await using team = await startBotTeam();

    await team.slack.as('ana').command('incidents', `/incidents ${words}`);

    expect((await team.ephemeral('ana', /does not offer/)).text).toContain('does not offer schedules');
  },
);
