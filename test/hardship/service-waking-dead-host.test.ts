import { expect, it } from 'vitest';
import { PLACES_OF_HOST } from '../../src/service/on-call/waking/host.ts';
import { startWakingTeam } from '../support/waking-team.ts';
import { openIncidentOf, startWebhookReceiver } from '../support/webhook-receiver.ts';

/** For each of two incidents: more than a process calls at a time. */
const WAITING = 180;
const TARGETS_OF_STEP = 20;

it('reaches a channel at once while hundreds of calls wait for a host that does not answer', async () => {
  await using team = await startWakingTeam();
  let ended = 0;
  await using dead = await startWebhookReceiver((response) => response.once('close', () => (ended += 1)));
  await using alive = await startWebhookReceiver();
  const channel = (url: string) => ({ kind: 'channel', url });
  const steps = Array.from({ length: WAITING / TARGETS_OF_STEP }, (_step, step) => ({
    after_s: 0,
    to: Array.from({ length: TARGETS_OF_STEP }, (_target, target) => channel(`${dead.url}/${step}/${target}`)),
  }));
  await team.createPolicy({ steps: [...steps, { after_s: 1, to: [channel(alive.url)] }], wait_s: 3_600 });

  await openIncidentOf(team.tocsin, 'payments');
  await team.tocsin.failIn(['search']);
  await dead.take(20);
  await team.passTime(1);
  await alive.take(1);

  expect(dead.received.length - ended).toBeLessThanOrEqual(PLACES_OF_HOST);
  expect(dead.received.length).toBeLessThan(2 * WAITING);
});
