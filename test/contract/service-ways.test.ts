import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { WayList } from '../../src/contract/waking.ts';
import { HANG_MS } from '../support/hang.ts';
import { startNtfyServer } from '../support/ntfy-server.ts';
import { startPushoverServer } from '../support/pushover-server.ts';
import { startTwilio, type Twilio } from '../support/twilio.ts';
import { linkIn, startWakingTeam, type WakingTeam } from '../support/waking-team.ts';
import { openIncidentOf, openTables } from '../support/webhook-receiver.ts';

const NUMBER = '+4930111222';
const LATER = { loud_after_s: 3_600 };

/** Adds a number, and proves it by the code that arrives there. */
async function addNumber(team: WakingTeam, person: string, kind: 'sms' | 'call', twilio: Twilio, number = NUMBER) {
  const id = await team.addWay(person, kind, number);
  const said = kind === 'sms' ? twilio.texts.at(-1)?.body : twilio.calls.at(-1)?.twiml.replaceAll(', ', '');
  const code = /\d{6}/.exec(said?.replace(NUMBER, '') ?? '')?.[0];
  expect((await team.tocsin.call('POST', `/ways/${id}/verify`, { body: { code } })).status).toBe(200);
  return id;
}

/** The answer to the test of each way was heard. */
async function untilProved(team: WakingTeam, person: string): Promise<void> {
  await vi.waitUntil(
    async () => {
      const { ways } = WayList.parse(await (await team.tocsin.call('GET', `/people/${person}/ways`)).json());
      return ways.every(({ verified_at: verifiedAt }) => verifiedAt !== null);
    },
    { timeout: HANG_MS },
  );
}

const wake = (team: WakingTeam, person: string, more: object = {}) =>
  team.createPolicy({ steps: [{ after_s: 0, to: [{ kind: 'person', id: person }], ...more }], wait_s: 3_600 });

/** The same, with somebody else as the last resort, so that whoever is not reached is not rung again by another attempt. */
async function wakeOrElse(team: WakingTeam, person: string): Promise<void> {
  const other = await team.addPerson('Other');
  await team.addEmail(other);
  const steps = [{ after_s: 0, to: [{ kind: 'person', id: person }] }];
  await team.createPolicy({ steps, wait_s: 3_600, last_resort: [{ kind: 'person', id: other }] });
}

async function press(team: WakingTeam, twilio: Twilio, key: string, signature?: string): Promise<Response> {
  const pressed = twilio.press(twilio.calls.at(-1), key);
  const headers = { 'x-twilio-signature': signature ?? pressed.signature };
  const request = new Request(pressed.url, { method: 'POST', body: new URLSearchParams(pressed.form), headers });
  return team.tocsin.service.fetch(request);
}

it('wakes by an SMS without links, which is answered by its code without a public address', async () => {
  await using twilio = await startTwilio();
  await using team = await startWakingTeam({ ways: { twilio: twilio.settings } });
  const ana = await team.addPerson('Ana');
  await addNumber(team, ana, 'sms', twilio);
  await wake(team, ana);

  const incident = await openIncidentOf(team.tocsin);
  const [, sms] = await twilio.takeTexts(2);
  await team.waitForPage(incident, ({ attempts }) => attempts[0]?.state === 'accepted');
  twilio.reply('+4930999999', sms?.body.match(/Reply (\w+)/)?.[1] ?? ''); // somebody else
  await team.passTime(5);
  await team.passTime(5);
  const before = (await team.readIncident(incident)).acknowledged;
  twilio.reply(NUMBER, ` ${sms?.body.match(/Reply (\w+)/)?.[1]?.toLowerCase()} ok`);
  await team.passTime(5);
  const page = await team.waitForPage(incident, ({ state }) => state === 'taken');

  expect(sms?.body).toMatch(/^Tocsin: #\d+ error: .*payments.* Reply \w{4} to take it\.$/);
  expect(sms?.body).not.toMatch(/http|tocsin\.test/);
  expect(before).toBe(false);
  expect(page).toMatchObject({ ended_by: 'Ana', attempts: [{ way: 'sms', state: 'answered' }] });
  expect(twilio.violations).toEqual([]);
});

it('finds an SMS whose answer was lost, and sends no second one', async () => {
  await using twilio = await startTwilio();
  await using team = await startWakingTeam({ ways: { twilio: twilio.settings } });
  const ana = await team.addPerson('Ana');
  await addNumber(team, ana, 'sms', twilio);
  await wakeOrElse(team, ana);
  twilio.lost = 1;

  const incident = await openIncidentOf(team.tocsin);
  await vi.waitUntil(() => twilio.lost === 0, { timeout: HANG_MS });
  await team.passTime(3);
  await team.waitForPage(incident, ({ attempts }) => attempts[0]?.state === 'accepted');

  expect(twilio.texts).toHaveLength(2); // the code, and one for the incident
});

it('uses a number no more whose owner answered STOP, says so, and turns to the next way at once', async () => {
  await using twilio = await startTwilio();
  await using team = await startWakingTeam({ ways: { twilio: twilio.settings } });
  const ana = await team.addPerson('Ana');
  await addNumber(team, ana, 'sms', twilio);
  await team.addEmail(ana, LATER);
  await wake(team, ana);
  twilio.error = 21610;

  const incident = await openIncidentOf(team.tocsin);
  const page = await team.waitForPage(incident, ({ attempts }) => attempts.some(({ state }) => state === 'accepted'));
  const ways = await (await team.tocsin.call('GET', `/people/${ana}/ways`)).json();

  expect(page.attempts.map(({ way, state }) => [way, state])).toEqual([
    ['sms', 'failed'],
    ['email', 'accepted'],
  ]);
  await expect
    .poll(() => team.told(incident))
    .toContain('Ana was not reached by SMS: Twilio says that its owner answered STOP to an earlier SMS (21610).');
  expect(ways).toMatchObject({ ways: [{ address: '+49…22', unusable_because: expect.stringMatching('STOP') }, {}] });
});

it('takes an incident by a key in a call, and believes no other sender', async () => {
  await using twilio = await startTwilio();
  await using team = await startWakingTeam({ ways: { twilio: twilio.settings }, isPublicUrlSet: true });
  const ana = await team.addPerson('Ana');
  await addNumber(team, ana, 'call', twilio);
  await wake(team, ana);

  const incident = await openIncidentOf(team.tocsin);
  await twilio.takeCalls(2);
  await team.waitForPage(incident, ({ attempts }) => attempts[0]?.state === 'accepted');
  const forged = await press(team, twilio, '1', 'AAAA');
  const wrongKey = await (await press(team, twilio, '2')).text();
  const before = (await team.readIncident(incident)).acknowledged;
  const right = await (await press(team, twilio, '1')).text();

  expect(twilio.calls[1]?.twiml).toMatch(/<Gather numDigits="1".*Press 1 to take it/);
  expect([forged.status, before]).toEqual([403, false]);
  expect(wrongKey).toContain('<Gather');
  expect(right).toContain('<Say>You have it. One incident.</Say>');
  expect(await team.readIncident(incident)).toMatchObject({ acknowledged: true, acknowledged_by: 'Ana' });
  expect(twilio.violations).toEqual([]);
});

it('counts a call that nobody answered by a key as failed, and hangs up when somebody has it', async () => {
  await using twilio = await startTwilio();
  await using team = await startWakingTeam({ ways: { twilio: twilio.settings }, isPublicUrlSet: true });
  const [ana, ben] = [await team.addPerson('Ana'), await team.addPerson('Ben')];
  await addNumber(team, ana, 'call', twilio);
  await addNumber(team, ben, 'call', twilio, '+4930222333');
  await team.createPolicy({
    steps: [ana, ben].map((id) => ({ after_s: 3_600, to: [{ kind: 'person', id }] })),
    wait_s: 3_600,
  });

  const incident = await openIncidentOf(team.tocsin);
  await team.passTime(3_601);
  const [, , toAna] = await twilio.takeCalls(3);
  await team.waitForPage(incident, ({ attempts }) => attempts[0]?.state === 'accepted');
  if (toAna !== undefined) {
    toAna.status = 'completed'; // voicemail
  }
  await team.passTime(5);
  const [, , , toBen] = await twilio.takeCalls(4);
  await team.waitForPage(incident, ({ attempts }) => attempts[1]?.state === 'accepted');
  await team.tocsin.call('POST', `/incidents/${incident}/acknowledge`, { body: { user: 'cy' } });
  await team.waitForPage(incident, ({ attempts }) => attempts[1]?.state === 'retracted');

  await expect.poll(() => team.told(incident)).toContain('Ana was not reached by call: nobody pressed a key.');
  expect(toBen).toMatchObject({ to: '+4930222333', status: 'completed' });
});

it('takes an incident by the acknowledgement of Pushover, and cancels what somebody else has', async () => {
  await using pushover = await startPushoverServer();
  await using team = await startWakingTeam({ ways: { pushover: pushover.settings } });
  const ana = await team.addPerson('Ana');
  await team.addWay(ana, 'pushover', 'u'.repeat(30));
  const acknowledge = (index: number) => {
    const sent = pushover.messages[index];
    if (sent !== undefined) {
      sent.acknowledged = true;
    }
  };
  acknowledge(0); // the test
  await team.passTime(5);
  await untilProved(team, ana);
  await wake(team, ana);

  const first = await openIncidentOf(team.tocsin, 'payments');
  await pushover.take(2);
  await team.waitForPage(first, ({ attempts }) => attempts[0]?.state === 'accepted');
  acknowledge(1);
  await team.passTime(5);
  const taken = await team.waitForPage(first, ({ state }) => state === 'taken');
  const second = await openIncidentOf(team.tocsin, 'search');
  await pushover.take(3);
  await team.waitForPage(second, ({ attempts }) => attempts[0]?.state === 'accepted');
  await team.tocsin.call('POST', `/incidents/${second}/acknowledge`, { body: { user: 'ben' } });
  const [, , cancelled, followUp] = await pushover.take(4);

  expect(pushover.messages[1]?.fields).toMatchObject({ priority: '2', retry: '60', url_title: 'I have it' });
  expect(taken).toMatchObject({ ended_by: 'Ana', attempts: [{ way: 'pushover', state: 'answered' }] });
  expect(cancelled?.cancelled).toBe(true);
  expect(followUp?.fields).toMatchObject({ priority: '-1', title: expect.stringMatching(/^Taken by ben: #\d+/) });
});

it('sends at most two messages by Pushover when the answers are lost, and waits as long as it is told', async () => {
  await using pushover = await startPushoverServer();
  await using team = await startWakingTeam({ ways: { pushover: pushover.settings } });
  const ana = await team.addPerson('Ana');
  const way = await team.addWay(ana, 'pushover', 'u'.repeat(30));
  const db = await openTables(team.tocsin);
  await db.updateTable('ways').set({ verified_at: new Date() }).where('id', '=', way).execute();
  await wakeOrElse(team, ana);

  pushover.refuse = { status: 429, headers: { 'retry-after': '30' }, body: { status: 0 } };
  const incident = await openIncidentOf(team.tocsin);
  await team.waitForPage(incident, ({ attempts }) => attempts[0]?.detail === 'Pushover answered 429');
  const sent = () => pushover.messages.filter(({ fields }) => fields.title?.includes('payments')).length;
  pushover.refuse = null;
  pushover.lost = 9;
  await team.passTime(10);
  await openIncidentOf(team.tocsin, 'search'); // the performer has looked again
  const tooSoon = sent();
  await team.passTime(21);
  await vi.waitUntil(() => sent() === 1, { timeout: HANG_MS });
  await team.waitForPage(incident, ({ attempts }) => attempts[0]?.detail?.includes('cannot be reached') === true);
  await team.passTime(61);
  await vi.waitUntil(() => sent() === 2, { timeout: HANG_MS });
  await team.passTime(61);
  await team.waitForPage(incident, ({ attempts }) => attempts[0]?.detail === 'it is not known whether it arrived');

  expect([tooSoon, sent()]).toEqual([0, 2]);
});

it('answers by a button of ntfy without a public address, replaces what is shown, and finds a lost message', async () => {
  await using ntfy = await startNtfyServer();
  await using team = await startWakingTeam({ ways: { ntfy: { url: ntfy.url, token: null } } });
  const ana = await team.addPerson('Ana');
  await team.addWay(ana, 'ntfy', 'a-topic-that-nobody-guesses');
  const [test] = await ntfy.take(1);
  await ntfy.press(test);
  await team.passTime(5);
  await untilProved(team, ana);
  await wakeOrElse(team, ana);
  ntfy.lost = 1;

  const first = await openIncidentOf(team.tocsin, 'payments');
  await vi.waitUntil(() => ntfy.lost === 0, { timeout: HANG_MS });
  await team.passTime(3);
  await team.waitForPage(first, ({ attempts }) => attempts[0]?.state === 'accepted');
  const asked = ntfy.messages.filter(({ title }) => title?.includes('payments'));
  await ntfy.press(asked[0]);
  await team.passTime(5);
  await team.waitForPage(first, ({ state }) => state === 'taken');
  const second = await openIncidentOf(team.tocsin, 'search');
  await team.waitForPage(second, ({ attempts }) => attempts[0]?.state === 'accepted');
  await team.tocsin.call('POST', `/incidents/${second}/acknowledge`, { body: { user: 'ben' } });
  await team.waitForPage(second, ({ attempts }) => attempts[0]?.state === 'retracted');

  expect(asked).toHaveLength(1);
  expect(asked[0]).toMatchObject({ priority: 5, click: expect.stringMatching('/dashboard/answer/attempt_') });
  expect(ntfy.messages.at(-1)).toMatchObject({ title: expect.stringMatching(/^Taken by ben/), priority: 3 });
  expect(ntfy.messages.at(-1)?.sequence_id).toBe(asked[0]?.sequence_id);
});

it('turns to the next way when a person has had the calls and SMS of a day, and says so', async () => {
  await using twilio = await startTwilio();
  await using team = await startWakingTeam({ ways: { twilio: twilio.settings } });
  const ana = await team.addPerson('Ana');
  const way = await addNumber(team, ana, 'sms', twilio);
  await team.addEmail(ana, LATER);
  await wake(team, ana);
  const db = await openTables(team.tocsin);
  const now = new Date();
  const spent = { cycle: 0, step: 0, person_id: ana, way_id: way, kind: 'sms', state: 'accepted' } as const;
  const rows = Array.from({ length: 59 }, (_, index) => ({
    ...spent,
    id: `a${index}`,
    listed: [],
    due_at: now,
    began_at: now,
  }));
  await db.insertInto('page_attempts').values(rows).execute();
  const sent = twilio.texts.length; // the code is the 60th

  const incident = await openIncidentOf(team.tocsin);
  const page = await team.waitForPage(incident, ({ attempts }) => attempts.some(({ state }) => state === 'accepted'));

  expect(page.attempts.map(({ way: kind, state }) => [kind, state])).toEqual([
    ['sms', 'failed'],
    ['email', 'accepted'],
  ]);
  expect(twilio.texts).toHaveLength(sent);
  await expect
    .poll(() => team.told(incident))
    .toContain('Ana was not reached by SMS: a person gets at most 60 SMS and calls a day.');
});

it('calls numbers of allowed countries alone, at most three times an hour for a code, and shows them to nobody', async () => {
  await using twilio = await startTwilio();
  const lines: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
  await using team = await startWakingTeam({ ways: { twilio: twilio.settings }, logger });
  const [ana, ben] = [await team.addPerson('Ana'), await team.addPerson('Ben')];
  const add = (person: string, address: string) =>
    team.tocsin.call('POST', `/people/${person}/ways`, { body: { kind: 'sms', address } });

  const foreign = await (await add(ana, '+12025550123')).json();
  const wrong = await (await add(ana, '030 111222')).json();
  const faults = [];
  for (const person of [ana, ben, ana, ben]) {
    faults.push(Object(await (await add(person, NUMBER)).json()));
  }
  twilio.error = 20003;
  const refused = await (await add(ben, '+4930222333')).json();
  const call = await team.tocsin.call('POST', `/people/${ana}/ways`, { body: { kind: 'call', address: NUMBER } });

  expect(foreign).toMatchObject({ code: 'invalid-way', detail: expect.stringMatching('TWILIO_COUNTRIES') });
  expect(wrong).toMatchObject({ detail: expect.stringMatching('not a telephone number') });
  expect(faults.map(({ fault }) => fault)).toEqual([
    null,
    null,
    null,
    'a number gets at most 3 codes and tests an hour',
  ]);
  expect(faults[0]).toMatchObject({ address: '+49…22' });
  expect(refused).toMatchObject({ fault: 'Twilio answered 400 (error 20003)' });
  expect(await call.json()).toMatchObject({ fault: expect.stringMatching('PUBLIC_URL') });
  expect(lines.join('')).not.toMatch(/4930111222|4930222333|the-secret-token/);
});

it('does not wake loudly for what is quiet in the quiet hours of a person', async () => {
  await using team = await startWakingTeam();
  const ana = await team.addPerson('Ana');
  await team.addEmail(ana, { quiet_after_s: null });
  const proofs = team.mail.mails.length;
  const hour = (hours: number) => new Date(team.tocsin.now().getTime() + hours * 3_600_000).toISOString().slice(11, 16);
  const quiet_hours = { from: hour(-1), until: hour(2) };
  const body = { name: 'Ana', time_zone: 'UTC', quiet_hours };
  const saved = await team.tocsin.call('PUT', `/people/${ana}`, { body });
  await wake(team, ana, { loud: false });

  const incident = await openIncidentOf(team.tocsin);
  const page = await team.waitForPage(incident, ({ step }) => step === 0);
  await team.passTime(60);
  await openIncidentOf(team.tocsin, 'search');
  const during = team.mail.mails.length;
  await team.passTime(2 * 3_600);
  const [mail] = (await team.mail.take(proofs + 1)).slice(proofs);

  expect(await saved.json()).toMatchObject({ quiet_hours });
  expect(page.attempts).toMatchObject([{ way: 'email', state: 'planned' }]);
  expect(during).toBe(proofs);
  expect(mail?.text).toContain('payments');
});

it('rings whoever took an incident again, quietly first, when it still fails after 45 minutes', async () => {
  await using team = await startWakingTeam();
  const ana = await team.addPerson('Ana');
  await team.addEmail(ana);
  const proofs = team.mail.mails.length;
  await wake(team, ana);

  const incident = await openIncidentOf(team.tocsin);
  const [first] = (await team.mail.take(proofs + 1)).slice(proofs);
  await team.waitForPage(incident, ({ attempts }) => attempts[0]?.state === 'accepted');
  await team.answer(linkIn(first));
  const isNow = (activity: string) => async () => (await team.readIncident(incident)).activity === activity;
  const ringAgain = async (times: number) => {
    await team.passTime(44.9 * 60);
    await vi.waitUntil(isNow('quiet'), { timeout: HANG_MS });
    await openIncidentOf(team.tocsin); // it fails again
    await vi.waitUntil(isNow('failing'), { timeout: HANG_MS });
    await team.passTime(6);
    const page = await team.waitForPage(incident, ({ state }) => state === 'waking');
    const mail = (await team.mail.take(proofs + 1 + times)).at(-1);
    await team.answer(linkIn(mail));
    return { page, mail };
  };
  const { page: second, mail } = await ringAgain(1);
  await ringAgain(2);
  const db = await openTables(team.tocsin);
  const reminders = await db.selectFrom('pages').select('policy').where('is_reminder', '=', true).execute();
  const pages = await team.pagesOf(incident);
  await team.tocsin.call('POST', `/incidents/${incident}/resolve`, {
    body: { user: 'ana', resolution_note: 'rolled back' },
  });
  await team.passTime(45 * 60);
  await team.tocsin.failIn(['search']);
  await team.waitForPage((await team.tocsin.openIncident()).id, ({ step }) => step === 0);

  expect(second.attempts).toMatchObject([{ person_id: ana, way: 'email' }]);
  expect(mail?.text).toContain('Somebody took it 45 minutes ago, and it still fails.');
  expect(pages.map(({ state, ended_by: by }) => [state, by])).toEqual([
    ['taken', 'Ana'],
    ['taken', 'Ana'],
    ['taken', 'Ana'],
  ]);
  expect(reminders.map(({ policy }) => policy.steps.length)).toEqual([3, 3]); // Ana twice, then the policy
  expect(await team.pagesOf(incident)).toHaveLength(3);
});

it('rings nobody again for what they gave back and somebody else has taken since', async () => {
  await using team = await startWakingTeam();
  const [ana, ben] = [await team.addPerson('Ana'), await team.addPerson('Ben')];
  await team.addEmail(ana);
  await team.addEmail(ben);
  const to = [ana, ben].map((id) => ({ kind: 'person', id }));
  await team.createPolicy({ steps: [{ after_s: 0, to }], wait_s: 3_600 });
  const answerAs = async (person: string) => {
    await team.waitForPage(
      incident,
      ({ state, attempts }) =>
        state === 'waking' && attempts.length === 2 && attempts.every((each) => each.state === 'accepted'),
    );
    const asked = team.mail.mails.filter(({ text }) => linkIn({ text }) !== '');
    await team.answer(linkIn(asked.findLast((mail) => mail.to.includes(`${person}@tocsin.test`))));
  };
  const isNow = (activity: string) => async () => (await team.readIncident(incident)).activity === activity;

  const incident = await openIncidentOf(team.tocsin);
  await answerAs(ana);
  await team.passTime(30 * 60);
  await team.tocsin.call('POST', `/incidents/${incident}/unacknowledge`, { body: { user: 'ana' } });
  await answerAs(ben);
  await team.passTime(14.9 * 60);
  await vi.waitUntil(isNow('quiet'), { timeout: HANG_MS });
  await openIncidentOf(team.tocsin); // it fails again
  await vi.waitUntil(isNow('failing'), { timeout: HANG_MS });
  await team.passTime(6);
  await team.tocsin.failIn(['search']);
  await team.waitForPage((await team.tocsin.openIncident()).id, ({ step }) => step === 0);

  expect((await team.pagesOf(incident)).map(({ state, ended_by: by }) => [state, by])).toEqual([
    ['taken', 'Ben'],
    ['taken', 'Ana'],
  ]);
});
