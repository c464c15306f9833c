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
/** The shortest interval that the bot's settings allow. */
const POLL_MS = 1_000;
const WAIT_MS = 30_000;
/** Both send about one message per second. */
const APART_MS = 1_200;

/** Measures the time from an incident to its card, compared with a loop that polls at the same interval. */
export async function measureCards(cluster: ScratchCluster, events: number): Promise<Finding[]> {
  return [await measureByPolling(cluster, events), await measureByStream(cluster, events)];
}

/** Uses services without an event stream, so that both must poll. Each has its own service, because timing depends on polls. */
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

/** Opens incidents evenly spread over the time between two polls. @returns milliseconds */
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

/** Resolves at the next poll of open incidents. */
async function nextPoll({ requests }: StrangerService): Promise<void> {
  const before = requests.length;
  const isAsked = () => requests.slice(before).some(({ query }) => query.status === 'open');
  while (!isAsked()) {
    await sleep(2);
  }
}

/** Uses Tocsin's own service with its event stream; the loop polls. Time starts when an alert is sent. */
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
  return { what: 'alert to card, by event stream: p50', ...present(taken.tocsin, taken.bare), goal: null };
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
