import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalSlack } from 'local-slack';
import { type StrangerService, startStrangerService } from '../../test/support/stranger-service.ts';
import { forgetNewCards } from '../bot-database.ts';
import { type Finding, median, milliseconds } from '../numbers.ts';
import { startProgram } from '../programs.ts';
import type { ScratchCluster } from '../scratch-cluster.ts';
import { CHANNEL, startBot, startSlackForApp } from '../slack-app.ts';
import type { CardAppOrder } from './card-app.ts';

const GOAL_RATIO = 2.2;
const WAIT_MS = 30_000;
/** Slack allows about one message per second and channel. */
const APART_MS = 2_200;

/**
 * Measures the time from a click on Acknowledge to the edited card, compared with a bare Bolt app that calls the service
 * and edits the card. Each has its own stranger service. Clicks alternate between the two.
 */
export async function measureClicks(cluster: ScratchCluster, clicks: number): Promise<Finding[]> {
  const databaseUrl = await cluster.createDatabase('clicks');
  await using service = await startStrangerService({ shape: 'plain' });
  await using theirService = await startStrangerService({ shape: 'plain' });
  await using ours = await startSlackForApp('Socket Mode');
  await using theirs = await startSlackForApp('Socket Mode');
  await using _bot = await startBot(ours, { baseUrl: service.baseUrl, key: service.apiKey }, databaseUrl, 1);
  await using bare = startProgram(new URL('./card-app.ts', import.meta.url));
  const { baseUrl, apiKey } = theirService;
  await bare.ask({ app: theirs.app, channel: CHANNEL, service: { baseUrl, apiKey } } satisfies CardAppOrder);

  const taken = { tocsin: [] as number[], bare: [] as number[] };
  for (let click = -2; click < clicks; click += 1) {
    const tocsin = await timeClick(service, ours.slack, async () => undefined);
    await forgetNewCards(databaseUrl);
    const other = await timeClick(theirService, theirs.slack, (id) => bare.ask({ post: id }));
    if (click >= 0) {
      taken.tocsin.push(tocsin);
      taken.bare.push(other);
    }
  }
  const ratio = median(taken.tocsin) / median(taken.bare);
  return [
    {
      what: 'click to edited card: p50',
      measured: milliseconds(median(taken.tocsin)),
      baseline: `${milliseconds(median(taken.bare))} bare app`,
      ratio: ratio.toFixed(2),
      goal: { text: `ratio at most ${GOAL_RATIO}`, isMet: ratio <= GOAL_RATIO },
    },
  ];
}

/** @returns milliseconds */
async function timeClick(
  service: StrangerService,
  slack: LocalSlack,
  post: (incidentId: string) => Promise<unknown>,
): Promise<number> {
  const before = slack.messages(CHANNEL).length;
  const id = service.openIncident({ service: 'payments' });
  await post(id);
  await slack.waitFor(() => slack.messages(CHANNEL).length > before, WAIT_MS);
  await sleep(APART_MS);
  const cards = () => slack.messages(CHANNEL).filter(({ threadTs }) => threadTs === null);
  const card = cards().at(-1);
  if (card === undefined) {
    throw new Error('there is no card to click on');
  }
  const start = performance.now();
  const clicked = slack.as('ana').click(card, 'Acknowledge');
  await slack.waitFor(() => /acknowledged by/i.test(cards().find(({ ts }) => ts === card.ts)?.text ?? ''), WAIT_MS);
  const durationMs = performance.now() - start;
  await clicked;
  service.closeIncident(id);
  return durationMs;
}
