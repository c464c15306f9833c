import { expect, it } from 'vitest';
import { openFrontDoor } from '../../src/app/front-door.ts';
import { createOwnHeartbeat } from '../../src/app/own-heartbeat.ts';
import { PageList } from '../../src/contract/waking.ts';
import { silentLogger } from '../support/logger.ts';
import { startLoopback } from '../support/loopback.ts';
import { startWakingTeam, type WakingTeam } from '../support/waking-team.ts';
import { answer, openIncidentOf, startWebhookReceiver } from '../support/webhook-receiver.ts';

/** More than a process calls at a time. */
const CHANNELS = 40;

/** What watches a service: a monitor that asks, one that is called, a balancer, and people in Slack. */
async function startWatch({ tocsin }: WakingTeam) {
  await using stack = new AsyncDisposableStack();
  const door = stack.use(await openFrontDoor('127.0.0.1', 0));
  door.handlers.readiness = () => tocsin.service.readiness();
  door.handlers.findProblem = () => tocsin.service.problem();
  const monitor = stack.use(await startLoopback((response) => response.end()));
  const statusOf = async (path: string) => (await fetch(door.url + path)).status;
  const owned = stack.move();
  return {
    statuses: async () => [await statusOf('/healthz/work'), await statusOf('/readyz')],
    /** @returns whether the heartbeat of this minute was sent */
    async beat() {
      const before = monitor.requests.length;
      const over = Promise.withResolvers<void>();
      const after = () => {
        over.resolve();
        return () => undefined;
      };
      await using heartbeat = createOwnHeartbeat({
        url: monitor.url,
        findProblem: () => tocsin.service.problem(),
        logger: silentLogger,
        clock: { now: tocsin.now, after },
      });
      heartbeat.start();
      await over.promise;
      return monitor.requests.length > before;
    },
    async told() {
      return PageList.parse(await (await tocsin.call('GET', '/pages')).json()).problem;
    },
    metric: (name: string) => tocsin.registry.getSingleMetricAsString(name),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

it('is heard when a provider hangs and what waits for it is a minute late, and takes no requests away', async () => {
  await using team = await startWakingTeam();
  await using hanging = await startWebhookReceiver(() => undefined);
  await using watch = await startWatch(team);
  const channels = Array.from({ length: CHANNELS }, (_, index) => ({
    kind: 'channel',
    url: `${hanging.url}/${index}`,
  }));
  const steps = [
    { after_s: 0, to: channels.slice(0, CHANNELS / 2) },
    { after_s: 0, to: channels.slice(CHANNELS / 2) },
  ];
  await team.createPolicy({ steps, wait_s: 3_600 });
  const before = [await watch.statuses(), await watch.beat(), await watch.told()];

  const incident = await openIncidentOf(team.tocsin);
  await team.waitForPage(incident, ({ attempts }) => attempts.length === CHANNELS);
  await hanging.take(8);
  await team.passTime(61);

  expect(before).toEqual([[200, 200], true, null]);
  expect(await watch.statuses()).toEqual([503, 200]);
  expect(await watch.beat()).toBe(false);
  expect(await watch.told()).toMatch(/^somebody should have been woken 6\d s ago/);
  expect(await watch.metric('tocsin_page_late_seconds')).toMatch(/tocsin_page_late_seconds 6\d/);
});

it('is heard when a provider refuses three calls in a row, until one works', async () => {
  await using team = await startWakingTeam();
  await using channel = await startWebhookReceiver(answer(503));
  await using watch = await startWatch(team);
  await team.createPolicy({ steps: [{ after_s: 0, to: [{ kind: 'channel', url: channel.url }] }], wait_s: 3_600 });
  const incident = await openIncidentOf(team.tocsin);
  const isFailed = (calls: number) => async () =>
    (await watch.metric('tocsin_page_refusals')).includes(`{way="webhook"} ${calls}`);

  await expect.poll(isFailed(1)).toBe(true);
  const afterOne = await watch.statuses();
  for (const [calls, seconds] of [
    [2, 3],
    [3, 5],
  ] as const) {
    await team.passTime(seconds);
    await expect.poll(isFailed(calls)).toBe(true);
  }
  const afterThree = [await watch.statuses(), await watch.beat(), await watch.told()];
  channel.respond = answer(204);
  await team.passTime(10);
  await team.waitForPage(incident, ({ attempts }) => attempts[0]?.state === 'accepted');
  await team.passTime(2); // what was read is kept for a second

  expect(afterOne).toEqual([200, 200]);
  expect(afterThree).toEqual([
    [503, 200],
    false,
    'nobody is woken by webhook (3 calls have failed): see the pages of the incidents',
  ]);
  expect(await watch.statuses()).toEqual([200, 200]);
  expect(await watch.beat()).toBe(true);
});
