import { expect, it, vi } from 'vitest';
import { ServiceEvent } from '../../src/contract/events.ts';
import { Way, WayList } from '../../src/contract/waking.ts';
import type { PageEvent } from '../../src/service/core/page-event.ts';
import { createEventStore } from '../../src/service/store/events/event-store.ts';
import { signIn } from '../support/dashboard.ts';
import { HANG_MS } from '../support/hang.ts';
import { linkIn, startWakingTeam, type WakingTeam } from '../support/waking-team.ts';
import { openIncidentOf, openTables } from '../support/webhook-receiver.ts';

/** A team whose bot is played by the test. */
async function startTeam() {
  const team = await startWakingTeam();
  const events = createEventStore(await openTables(team.tocsin));
  const told = async () => (await events.listAfter(0n, 1_000)).filter((event) => 'page' in event);
  return {
    team,
    told,
    take: (count: number): Promise<readonly PageEvent[]> =>
      vi.waitUntil(
        async () => {
          const all = await told();
          return all.length >= count && all;
        },
        { timeout: HANG_MS, interval: 50 },
      ),
    report: (event: PageEvent | undefined, body: object, headers = {}) =>
      team.tocsin.call('POST', `/pages/${event?.page.pageId ?? 'test'}/attempts/${event?.page.attemptId}/report`, {
        body,
        headers,
      }),
    [Symbol.asyncDispose]: () => team[Symbol.asyncDispose](),
  };
}
type Team = Awaited<ReturnType<typeof startTeam>>;

/** Somebody whose Slack way was answered, and who is woken by mail after an hour. */
async function addAna({ team, take, report }: Team) {
  const ana = await team.addPerson('Ana');
  await team.tocsin.call('PUT', `/people/${ana}`, { body: { name: 'Ana', slack_user_id: 'U1' } });
  const added = await team.tocsin.call('POST', `/people/${ana}/ways`, { body: { kind: 'slack', address: 'U1' } });
  const [test] = await take(1);
  expect((await report(test, { state: 'answered', user_id: 'slack:U1' })).status).toBe(200);
  await team.addEmail(ana, { loud_after_s: 3_600 });
  await team.createPolicy({ steps: [{ after_s: 0, to: [{ kind: 'person', id: ana }] }], wait_s: 3_600 });
  return { ana, way: Way.parse(await added.json()) };
}

async function attemptsOf(team: WakingTeam, incident: string) {
  const [page] = await team.pagesOf(incident);
  return page?.attempts.map(({ way, state, detail }) => [way, state, detail]);
}

it('asks the bots to wake by a direct message, and to say who has it', async () => {
  await using playing = await startTeam();
  const { team, take, report } = playing;
  const { ana, way } = await addAna(playing);

  const incident = await openIncidentOf(team.tocsin);
  const [test, asked] = await take(2);
  await report(asked, { state: 'accepted' });
  await team.tocsin.call('POST', `/incidents/${incident}/acknowledge`, { body: { user: 'ben' } });
  const [, , ended] = await take(3);
  await team.waitForPage(incident, ({ attempts }) => attempts[0]?.state === 'retracted');
  const late = await report(asked, { state: 'accepted' });

  expect(way.verified_at).toBeNull();
  expect(test?.page).toMatchObject({ pageId: null, slackUserId: 'U1', incidentIds: [] });
  const ways = await (await team.tocsin.call('GET', `/people/${ana}/ways`)).json();
  expect(ways).toMatchObject({ ways: [{ kind: 'slack', address: 'U1', last_answered_at: expect.any(String) }, {}] });
  expect(asked).toMatchObject({ type: 'page.asked', page: { slackUserId: 'U1', incidentIds: [incident] } });
  expect(ended).toMatchObject({ type: 'page.ended', page: { attemptId: asked?.page.attemptId } });
  expect(ended?.page.title).toMatch(/^Taken by ben: #\d+/);
  expect(await late.json()).toEqual({ is_live: false, ended_by: 'ben' });
  expect(await attemptsOf(team, incident)).toEqual([
    ['slack', 'retracted', null],
    ['email', 'void', null],
  ]);
});

it.each([
  [
    'no bot reports in time',
    null,
    { state: 'failed', detail: 'no bot reported in time. Start one, and send another test' },
  ],
  ['a bot sent it', { state: 'accepted' }, { state: 'accepted', detail: null }],
  [
    'a bot says that nobody hears it',
    { state: 'failed', detail: 'the person is in Do Not Disturb' },
    { state: 'failed', detail: 'the person is in Do Not Disturb' },
  ],
])('tells what became of a test: %s', async (_name, body, told) => {
  await using playing = await startTeam();
  const { team, take, report } = playing;
  const ana = await team.addPerson('Ana');
  const lastTest = async () => {
    const response = await team.tocsin.call('GET', `/people/${ana}/ways`);
    return WayList.parse(await response.json()).ways[0]?.last_test;
  };

  await team.addWay(ana, 'slack', 'U1');
  const [test] = await take(1);
  const admin = await signIn(team.tocsin, team.tocsin.readWriteKey);
  const page = async () => (await admin.visit(`/settings/ways?person=${ana}`)).text();
  const [asked, whileAsked] = [await lastTest(), await page()];
  await (body === null ? team.passTime(9) : report(test, body));
  await expect.poll(lastTest).toMatchObject(told);
  const after = await page();
  await report(test, { state: 'accepted' });

  expect(asked).toMatchObject({ state: 'sending', detail: null });
  expect(whileAsked).toContain('A test was asked for');
  expect(after.includes('The last test failed')).toBe(told.state === 'failed');
  expect(after).toContain(told.detail ?? '');
  expect(await lastTest()).toMatchObject({ state: 'accepted' }); // it was only late
});

it.each([
  ['no bot reports in time', null, 'no bot reported in time'],
  ['the bot could not', { state: 'failed', detail: 'in Do Not Disturb until 07:00' }, 'in Do Not Disturb until 07:00'],
])('turns to the next way at once where %s', async (_name, body, detail) => {
  await using playing = await startTeam();
  const { team, take, report } = playing;
  await addAna(playing);
  const proofs = team.mail.mails.length;

  const incident = await openIncidentOf(team.tocsin);
  const [, asked] = await take(2);
  await (body === null ? team.passTime(9) : report(asked, body));
  await team.mail.take(proofs + 1);
  await team.waitForPage(incident, ({ attempts }) => attempts[1]?.state === 'accepted');

  expect(await attemptsOf(team, incident)).toEqual([
    ['slack', 'failed', detail],
    ['email', 'accepted', null],
  ]);
  await expect.poll(() => team.told(incident)).toContain(`Ana was not reached by Slack: ${detail}.`);
});

it('takes the incident for the person alone whom it wakes, also after the attempt had failed', async () => {
  await using playing = await startTeam();
  const { team, take, report } = playing;
  await addAna(playing);
  const ben = await team.addPerson('Ben');
  await team.tocsin.call('PUT', `/people/${ben}`, { body: { name: 'Ben', slack_user_id: 'U2' } });

  const incident = await openIncidentOf(team.tocsin);
  const [, asked] = await take(2);
  await report(asked, { state: 'failed' });
  const other = await report(asked, { state: 'answered', user_id: 'slack:U2' });
  const nobody = await report(asked, { state: 'answered' });
  const key = { 'idempotency-key': 'click-1' };
  const self = await report(asked, { state: 'answered', user_id: 'slack:U1' }, key);
  const again = await report(asked, { state: 'answered', user_id: 'slack:U1' }, key);

  expect([other.status, nobody.status, self.status, again.status]).toEqual([422, 422, 200, 200]);
  expect(await self.json()).toEqual({ is_live: false, ended_by: 'Ana' });
  expect(await team.readIncident(incident)).toMatchObject({ acknowledged_by: 'Ana', acknowledged_by_id: 'slack:U1' });
});

it('takes by its button what was asked more than a day ago, though the link of a mail is too old by then', async () => {
  await using playing = await startTeam();
  const { team, take, report } = playing;
  await addAna(playing);
  const proofs = team.mail.mails.length;

  const incident = await openIncidentOf(team.tocsin);
  const [, asked] = await take(2);
  await report(asked, { state: 'failed' });
  const [mail] = (await team.mail.take(proofs + 1)).slice(proofs);
  await team.passTime(25 * 3_600);
  const link = await team.tocsin.service.fetch(new Request(linkIn(mail), { method: 'POST' }));
  const before = await team.readIncident(incident);
  const late = await report(asked, { state: 'answered', user_id: 'slack:U1' });

  expect(link.status).toBe(410);
  expect(before.acknowledged).toBe(false);
  expect(await late.json()).toEqual({ is_live: false, ended_by: 'Ana' });
  expect(await team.readIncident(incident)).toMatchObject({ acknowledged_by: 'Ana' });
});

it('resurrects nothing when a report comes after the page has ended', async () => {
  await using playing = await startTeam();
  const { team, take, report } = playing;
  await addAna(playing);
  const proofs = team.mail.mails.length;

  const incident = await openIncidentOf(team.tocsin);
  const [, asked] = await take(2);
  await team.passTime(9);
  const [mail] = (await team.mail.take(proofs + 1)).slice(proofs);
  await team.answer(linkIn(mail));
  const late = await Promise.all([report(asked, { state: 'accepted' }), report(asked, { state: 'failed' })]);

  expect(await Promise.all(late.map((each) => each.json()))).toEqual([
    { is_live: false, ended_by: 'Ana' },
    { is_live: false, ended_by: 'Ana' },
  ]);
  // What may have arrived is taken back.
  await expect.poll(async () => (await attemptsOf(team, incident))?.[0]).toEqual(['slack', 'retracted', null]);
  expect((await team.pagesOf(incident))[0]).toMatchObject({ state: 'taken' });
});

it('tells of people who are woken only to keys that may write', async () => {
  await using playing = await startTeam();
  const { team, take } = playing;
  await addAna(playing);
  await take(1);
  const read = async (key: string) => {
    const headers = { 'last-event-id': '0' };
    const response = await team.tocsin.call('GET', '/events', { key, headers });
    await openIncidentOf(team.tocsin);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes('event: incident.opened')) {
      text += (await reader?.read())?.value ?? '';
    }
    await reader?.cancel();
    return [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => ServiceEvent.parse(JSON.parse(data)).type);
  };

  const reads = await read(team.tocsin.readOnlyKey);
  const writes = await read(team.tocsin.readWriteKey);

  expect(reads).not.toContain('page.asked');
  expect(writes).toContain('page.asked');
});
