import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalSlack } from 'local-slack';
import { type StrangerService, startStrangerService } from '../../test/support/stranger-service.ts';
import { createAlert, postAlerts } from '../alerts.ts';
import { forgetNewCards } from '../bot-database.ts';
import { type Finding, median, milliseconds } from '../numbers.ts';
import { startProgram } from '../programs.ts';
import type { ScratchCluster } from '../scratch-cluster.ts';
import { startServiceProcess } from '../service-process.ts';
import { CHANNEL, startBot, startSlackForApp } from '../slack-app.ts';
import type { LoopOrder } from './bare-loop.ts';

const GOAL_RATIO = 1.1;
/** As often as the bot's settings allow. */
const POLL_MS = 1_000;
const WAIT_MS = 30_000;
/** The pace that both keep to: one message a second. */
const APART_MS = 1_200;

/** How long it takes from an incident to its card, against a loop that asks at the same period and posts what it sees. */
export async function measureCards(cluster: ScratchCluster, events: number): Promise<Finding[]> {
  return [await measureByPolling(cluster, events), await measureByStream(cluster, events)];
}

/** A service that tells nothing by itself: both must ask it. Each has a service of its own, since all depends on when it asks. */
async function measureByPolling(cluster: ScratchCluster, events: number): Promise<Finding> {
  const databaseUrl = await cluster.createDatabase('cards_polled');
  await using asked = await startStrangerService({ shape: 'plain' });
  await using askedByLoop = await startStrangerService({ shape: 'plain' });
  await using ours = await startSlackForApp('Socket Mode');
  await using theirs = await startSlackForApp('Socket Mode');
  await using _bot = await startBot(ours, addressOf(asked), databaseUrl, POLL_MS / 1_000);
  await using loop = startProgram(new URL('./bare-loop.ts', import.meta.url));
  await loop.ask({
    app: theirs.app,
    channel: CHANNEL,
    service: addressOf(askedByLoop),
    pollMs: POLL_MS,
  } satisfies LoopOrder);

  const [tocsin, bare] = await Promise.all([
    timeCards(asked, ours.slack, events, () => forgetNewCards(databaseUrl)),
    timeCards(askedByLoop, theirs.slack, events, async () => undefined),
  ]);
  const ratio = median(tocsin) / median(bare);
  return {
    what: 'incident to card, by polling: p50',
    ...present(tocsin, bare),
    goal: { text: `ratio at most ${GOAL_RATIO}`, isMet: ratio <= GOAL_RATIO },
  };
}

/** Incidents at moments spread evenly over the time between two polls, so that luck has no part in it. @returns milliseconds */
async function timeCards(
  service: StrangerService,
  slack: LocalSlack,
  events: number,
  onShown: () => Promise<void>,
): Promise<number[]> {
  const taken: number[] = [];
  for (let event = 0; event < events; event += 1) {
    await nextPoll(service);
    await sleep(((event + 0.5) / events) * POLL_MS);
    const start = performance.now();
    const id = service.openIncident({ service: 'payments' });
    const shown = slack.messages(CHANNEL).length;
    await slack.waitFor(() => slack.messages(CHANNEL).length > shown, WAIT_MS);
    taken.push(performance.now() - start);
    await onShown();
    service.closeIncident(id);
    await sleep(APART_MS);
  }
  return taken;
}

/** Resolves as the service is asked anew for what is open. */
async function nextPoll({ requests }: StrangerService): Promise<void> {
  const before = requests.length;
  const isAsked = () => requests.slice(before).some(({ query }) => query.status === 'open');
  while (!isAsked()) {
    await sleep(2);
  }
}

/** Tocsin's own service, which tells of an incident as it opens; the loop asks. The clock starts as an alert is sent. */
async function measureByStream(cluster: ScratchCluster, events: number): Promise<Finding> {
  const databaseUrl = await cluster.createDatabase('cards_streamed');
  await using service = await startServiceProcess(databaseUrl);
  await using ours = await startSlackForApp('Socket Mode');
  await using theirs = await startSlackForApp('Socket Mode');
  await using _bot = await startBot(ours, service, databaseUrl, POLL_MS / 1_000);
  await using loop = startProgram(new URL('./bare-loop.ts', import.meta.url));
  await loop.ask({ app: theirs.app, channel: CHANNEL, service, pollMs: POLL_MS } satisfies LoopOrder);

  const taken = { tocsin: [] as number[], bare: [] as number[] };
  for (let event = -1; event < events; event += 1) {
    const name = `service-${event}-of-cards`;
    const start = performance.now();
    const since = async ({ slack }: { slack: LocalSlack }) => {
      await slack.waitFor(() => slack.messages(CHANNEL).some(({ text }) => text.includes(name)), WAIT_MS);
      return performance.now() - start;
    };
    const [tocsin, bare] = await Promise.all([since(ours), since(theirs), postAlerts(service, [createAlert(name)])]);
    if (event >= 0) {
      taken.tocsin.push(tocsin);
      taken.bare.push(bare);
    }
    await forgetNewCards(databaseUrl);
    await sleep(APART_MS);
  }
  return { what: 'alert to card, told by the service: p50', ...present(taken.tocsin, taken.bare), goal: null };
}

function present(tocsin: readonly number[], bare: readonly number[]): Pick<Finding, 'measured' | 'baseline' | 'ratio'> {
  return {
    measured: milliseconds(median(tocsin)),
    baseline: `${milliseconds(median(bare))} bare loop, polling`,
    ratio: (median(tocsin) / median(bare)).toFixed(2),
  };
}

function addressOf({ baseUrl, apiKey }: StrangerService): LoopOrder['service'] {
  return { baseUrl, key: apiKey };
}
