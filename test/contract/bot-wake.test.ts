import { sql } from 'kysely';
import { expect, it, vi } from 'vitest';
import { migrations } from '../../src/bot/migrations.ts';
import { BOT_SCHEMA, type Tables } from '../../src/bot/tables.ts';
import { PageList, Policy, Way, WayList } from '../../src/contract/waking.ts';
import type { BotTeam } from '../support/bot-team.ts';
import { advanceDatabaseClock } from '../support/database-clock.ts';
import { HANG_MS } from '../support/hang.ts';
import { startRealTeam, withRealTeam } from '../support/real-team.ts';
import type { TestService } from '../support/test-service.ts';
import { openIncidentOf } from '../support/webhook-receiver.ts';

/** The direct messages between somebody and the bot, as they are now. */
function messagesOf({ slack }: BotTeam, person: string) {
  return slack.messages(slack.as(person).openDirectMessage(['tocsin']));
}

function message(team: BotTeam, person: string, pattern: RegExp) {
  return team.slack.waitFor(() => messagesOf(team, person).find(({ text }) => pattern.test(text)));
}

async function call(service: TestService, method: string, path: string, body?: object): Promise<unknown> {
  const response = await service.call(method, path, body && { body });
  expect([200, 201]).toContain(response.status);
  return response.json();
}

async function addWay(team: BotTeam, service: TestService): Promise<string> {
  const { id } = team.slack.as('ana');
  const streams = () => service.registry.getSingleMetricAsString('tocsin_event_streams');
  await waitFor(async () => expect(await streams()).toContain(' 1')); // the bot follows the events
  await call(service, 'PUT', `/people/slack:${id}`, { name: 'Ana' });
  const way = Way.parse(await call(service, 'POST', `/people/slack:${id}/ways`, { kind: 'slack', address: id }));
  return way.person_id;
}

/** Ana can be woken by Slack, and a policy wakes her. */
async function wakeAna(team: BotTeam, service: TestService, plan: object = {}): Promise<string> {
  const ana = await addWay(team, service);
  await team.slack.as('ana').click(await message(team, 'ana', /a test of how you are woken/), 'I have it');
  await message(team, 'ana', /It works/);
  const steps = [{ after_s: 0, to: [{ kind: 'person', id: ana }] }];
  const policy = { name: 'Everything', user: 'ana', steps, wait_s: 3_600, ...plan };
  return Policy.parse(await call(service, 'POST', '/policies', policy)).id;
}

async function attempts(service: TestService) {
  const { pages } = PageList.parse(await call(service, 'GET', '/pages'));
  return pages.flatMap((page) => page.attempts.map(({ state, detail }) => ({ page: page.state, state, detail })));
}

const waitFor = (check: () => Promise<void>) => vi.waitFor(check, { timeout: HANG_MS, interval: 50 });

it('proves the way by an answer, and takes the incident by the button', () =>
  withRealTeam(async (team, service) => {
    await wakeAna(team, service);
    const id = await openIncidentOf(service);
    const dm = await message(team, 'ana', /You are being woken/);

    await team.slack.as('ana').click(dm, 'I have it');
    const taken = await message(team, 'ana', /Taken by/);

    expect(dm.text).toContain('payments');
    expect(taken.ts).toBe(dm.ts);
    expect(taken.text).not.toContain('I have it');
    const incident = await call(service, 'GET', `/incidents/${id}`);
    expect(incident).toMatchObject({ acknowledged: true, acknowledged_by_id: `slack:${team.slack.as('ana').id}` });
    await waitFor(async () => expect(await attempts(service)).toMatchObject([{ page: 'taken', state: 'answered' }]));
    const { ways } = WayList.parse(await call(service, 'GET', `/people/slack:${team.slack.as('ana').id}/ways`));
    expect(ways).toMatchObject([{ kind: 'slack', last_answered_at: expect.any(String) }]);
  }));

it('says who has it when somebody else acknowledges on the card', () =>
  withRealTeam(async (team, service) => {
    await wakeAna(team, service);
    await openIncidentOf(service);
    const dm = await message(team, 'ana', /You are being woken/);
    await waitFor(async () => expect(await attempts(service)).toMatchObject([{ state: 'accepted' }]));

    await team.slack.as('ben').click(await team.card(/payments/), 'Acknowledge');
    const taken = await message(team, 'ana', /Taken by/);

    expect(taken.ts).toBe(dm.ts);
    expect(taken.text).toMatch(/Taken by (<@U\w+>|@?ben)/i);
    await waitFor(async () => expect(await attempts(service)).toMatchObject([{ page: 'taken', state: 'retracted' }]));
  }));

it('tells the service at once that somebody is in Do Not Disturb, and leaves the message for the morning', () =>
  withRealTeam(async (team, service) => {
    await wakeAna(team, service);
    team.slack.as('ana').pauseNotifications(60);
    await openIncidentOf(service);

    await message(team, 'ana', /You are being woken/);

    const detail = 'the person is in Do Not Disturb';
    await waitFor(async () => expect((await attempts(service))[0]).toMatchObject({ state: 'failed', detail }));
  }));

it.each(['messages_tab_disabled', 'channel_not_found'])(
  'tells the service that Slack refuses the message: %s',
  (error) =>
    withRealTeam(async (team, service) => {
      await wakeAna(team, service);
      team.slack.faults.repeat('chat.postMessage', { kind: 'error', error }, { calls: 20 });
      await openIncidentOf(service);

      await waitFor(async () =>
        expect((await attempts(service))[0]).toMatchObject({
          state: 'failed',
          detail: `Slack: ${error}`,
        }),
      );
    }),
);

it('says later who has it where Slack refused the edit', () =>
  withRealTeam(async (team, service) => {
    await wakeAna(team, service);
    await openIncidentOf(service);
    const dm = await message(team, 'ana', /You are being woken/);
    await waitFor(async () => expect(await attempts(service)).toMatchObject([{ state: 'accepted' }]));
    const isRefused = ({ method, args, verdict }: (typeof team.slack.calls)[number]) =>
      method === 'chat.update' && args.ts === dm.ts && verdict !== 'ok';
    team.slack.faults.repeat('chat.update', { kind: 'error', error: 'edit_window_closed' }, { calls: 1_000 });

    await team.slack.as('ben').click(await team.card(/payments/), 'Acknowledge');
    await team.slack.waitFor(() => team.slack.calls.find(isRefused));
    team.slack.faults.clear();
    await waitFor(async () => {
      await advanceDatabaseClock(team.database, BOT_SCHEMA, 60_000);
      expect(messagesOf(team, 'ana').find(({ ts }) => ts === dm.ts)?.text).toMatch(/Taken by/);
    });

    expect(await attempts(service)).toMatchObject([{ page: 'taken', state: 'retracted' }]);
  }));

it.each(['internal_error', 'stored-then-502'] as const)(
  'rings for nobody any more once somebody has it, though it is unclear whether the message was posted: %s',
  (fault) =>
    withRealTeam(async (team, service) => {
      await wakeAna(team, service);
      const before = messagesOf(team, 'ana').length;
      const calls = { calls: 1_000 };
      team.slack.faults.repeat('conversations.history', { kind: 'error', error: 'internal_error' }, calls);
      team.slack.faults.repeat(
        'chat.postMessage',
        fault === 'internal_error' ? { kind: 'error', error: fault } : { kind: fault },
        calls,
      );
      const id = await openIncidentOf(service);
      const toAna = () =>
        team.slack.calls.filter(({ args }) => JSON.stringify(args.metadata ?? '').includes('tocsin_wake'));
      await waitFor(async () => expect(toAna()).toHaveLength(2));

      await call(service, 'POST', `/incidents/${id}/acknowledge`, { user: 'ben' });
      const db = await team.database.open<Tables>(BOT_SCHEMA, migrations);
      const wakes = () =>
        sql<{ isHeld: boolean; isShown: boolean }>`
        select held_until is not null as "isHeld", ts is not null as "isShown" from messages
        where kind = 'wake' and data->>'ended' is not null and data->>'pageId' is not null`.execute(db);
      await waitFor(async () => expect((await wakes()).rows).toHaveLength(1));
      team.slack.faults.clear();

      await waitFor(async () => {
        await advanceDatabaseClock(team.database, BOT_SCHEMA, 30_000); // no retry waits any longer
        const isPosted = messagesOf(team, 'ana').length > before;
        const [wake] = (await wakes()).rows;
        expect(wake).toEqual({ isHeld: !isPosted, isShown: isPosted });
      });

      expect(messagesOf(team, 'ana')).toHaveLength(fault === 'internal_error' ? before : before + 1);
      await (fault === 'internal_error' ? undefined : message(team, 'ana', /Taken by/));
      expect(toAna()).toHaveLength(2);
    }),
);

it('posts what was asked while no bot was there, if somebody is still wanted', () =>
  withRealTeam(async (team, service) => {
    await wakeAna(team, service);
    await team.stopBot();
    await openIncidentOf(service);
    await waitFor(async () => expect(await attempts(service)).toMatchObject([{ state: 'sending' }]));

    await team.startAnotherBot();
    await message(team, 'ana', /You are being woken/);

    await waitFor(async () => expect(await attempts(service)).toMatchObject([{ state: 'accepted' }]));
    expect(messagesOf(team, 'ana').filter(({ text }) => /You are being woken/.test(text))).toHaveLength(1);
  }));

it('reads again what was asked while no bot was there, if the service cannot say it at first', async () => {
  let refusals = 0;
  await using real = await startRealTeam({}, {}, async (request, service) => {
    const isRefused = request.method === 'GET' && new URL(request.url).pathname === '/v1/pages' && refusals > 0;
    refusals -= isRefused ? 1 : 0;
    return isRefused ? new Response(null, { status: 503 }) : service(request);
  });
  const { team, service } = real;
  await wakeAna(team, service);
  await team.stopBot();
  await openIncidentOf(service);
  await waitFor(async () => expect(await attempts(service)).toMatchObject([{ state: 'sending' }]));
  refusals = 5; // more than the client tries at once

  await team.startAnotherBot();

  await message(team, 'ana', /You are being woken/);
  expect(refusals).toBe(0);
});

it('says that a drill is over which ended while no bot was there, also in Do Not Disturb', () =>
  withRealTeam(async (team, service) => {
    const policy = await wakeAna(team, service);
    const ana = team.slack.as('ana');
    ana.pauseNotifications(60);
    await call(service, 'POST', `/policies/${policy}/drill`);
    const dm = await message(team, 'ana', /This is a drill/);
    await waitFor(async () => expect((await attempts(service))[0]).toMatchObject({ state: 'failed' }));
    await team.stopBot();
    const { pages } = PageList.parse(await call(service, 'GET', '/pages'));
    const path = `/pages/${pages[0]?.id}/attempts/${pages[0]?.attempts[0]?.id}/report`;
    await call(service, 'POST', path, { state: 'answered', user_id: `slack:${ana.id}` });

    await team.startAnotherBot();

    const over = await message(team, 'ana', /Taken by Ana/);
    expect(over.ts).toBe(dm.ts);
    expect(JSON.stringify(over.blocks)).not.toContain('I have it');
  }));

it('drills, and says in the message that the drill is over', () =>
  withRealTeam(async (team, service) => {
    const policy = await wakeAna(team, service);
    await call(service, 'POST', `/policies/${policy}/drill`);
    const dm = await message(team, 'ana', /This is a drill/);

    await team.slack.as('ana').click(dm, 'I have it');

    expect((await message(team, 'ana', /Taken by Ana/)).ts).toBe(dm.ts);
  }));
