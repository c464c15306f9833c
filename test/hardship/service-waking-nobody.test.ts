import { expect, it } from 'vitest';
import { startPushService } from '../support/push-service.ts';
import { linkIn, startWakingTeam } from '../support/waking-team.ts';
import { openIncidentOf } from '../support/webhook-receiver.ts';

it('reaches somebody at once past an empty schedule, a way that nobody proved, and a browser that is gone', async () => {
  await using team = await startWakingTeam();
  await using push = await startPushService();
  const schedule = await team.addEmptySchedule('Payments');
  const [unproved, gone, ana] = [
    await team.addPerson('Unproved'),
    await team.addPerson('Gone'),
    await team.addPerson('Ana'),
  ];
  await team.tocsin.call('POST', `/people/${unproved}/ways`, { body: { kind: 'email', address: 'un@tocsin.test' } });
  await team.addPush(gone, push.subscription);
  await team.answer((await push.take(1))[0]?.answerUrl ?? null);
  await team.addEmail(ana);
  const proofs = team.mail.mails.length;
  push.status = 410;
  const after = (to: object) => ({ after_s: 3_600, to: [to] });
  await team.createPolicy({
    steps: [
      { after_s: 0, to: [{ kind: 'schedule', id: schedule }] },
      after({ kind: 'person', id: unproved }),
      after({ kind: 'person', id: gone }),
      after({ kind: 'person', id: ana }),
    ],
  });

  const incident = await openIncidentOf(team.tocsin);
  const [mail] = (await team.mail.take(proofs + 1)).slice(proofs);
  const page = await team.waitForPage(incident, ({ attempts }) => attempts.some(({ state }) => state === 'accepted'));
  const { timeline = [] } = await team.readIncident(incident);

  expect(mail?.to).toEqual([`${ana}@tocsin.test`]);
  expect(linkIn(mail)).toContain('/dashboard/answer/');
  expect(page.attempts.map(({ way, state, detail }) => [way, state, detail])).toEqual([
    ['web_push', 'failed', 'the push service answered 410: the browser has ended the subscription'],
    ['email', 'accepted', null],
  ]);
  expect(timeline.flatMap(({ event, text }) => (event === 'paged' ? [text] : []))).toEqual([
    'Everything, step 1: wakes nobody. Skipped: nobody is on call in Payments.',
    'Everything, step 2: wakes nobody. Skipped: Unproved has no way to be woken that is verified and works (named by the policy).',
    'Everything, step 3: wakes Gone (named by the policy) by web push.',
    'Gone was not reached by web push: the push service answered 410: the browser has ended the subscription.',
    'Everything, step 4: wakes Ana (named by the policy) by e-mail.',
  ]);
});
