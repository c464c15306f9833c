import { expect, it } from 'vitest';
import { answerBy } from '../support/provider-fates.ts';
import { startWakingTeam } from '../support/waking-team.ts';
import { openIncidentOf, startWebhookReceiver } from '../support/webhook-receiver.ts';

it('takes a message back that may have arrived, though the answer of its provider was lost', async () => {
  await using team = await startWakingTeam();
  await using hook = await startWebhookReceiver();
  const ana = await team.addPerson('Ana');
  await team.tocsin.call('POST', `/people/${ana}/ways`, { body: { kind: 'webhook', address: hook.url } });
  await team.createPolicy({ steps: [{ after_s: 0, to: [{ kind: 'person', id: ana }] }] });
  hook.respond = (response) => answerBy('cut', response, 204);

  const incident = await openIncidentOf(team.tocsin);
  await team.waitForPage(incident, ({ attempts }) => attempts[0]?.state === 'failed');
  hook.respond = (response) => answerBy('works', response, 204);
  await team.tocsin.call('POST', `/incidents/${incident}/acknowledge`, { body: { user: 'ben' } });
  // The last resort was told at once, and what it sent is taken back too.
  const page = await team.waitForPage(incident, ({ attempts }) =>
    attempts.every(({ state }) => state === 'retracted' || state === 'void'),
  );

  const events = hook.received.slice(1).map(({ body }) => JSON.parse(body));
  const idsOf = (type: string) => new Set(events.flatMap((event) => (event.type === type ? [event.data.id] : [])));
  expect(page.state).toBe('taken');
  expect(idsOf('page.asked').size).toBeGreaterThan(0);
  expect(idsOf('page.ended')).toEqual(idsOf('page.asked'));
});
