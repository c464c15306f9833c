import { setTimeout as sleep } from 'node:timers/promises';
import { createAlert, postAlerts } from '../alerts.ts';
import { type Finding, median, milliseconds, quantile } from '../numbers.ts';
import { startProgram } from '../programs.ts';
import type { ScratchCluster } from '../scratch-cluster.ts';
import { type ServiceProcess, startServiceProcess } from '../service-process.ts';
import { CHANNEL, type SlackForApp, startBot, startSlackForApp, type Transport } from '../slack-app.ts';

/** Slack gives up after 3 s. */
const LONGEST_MS = 3_000;
const GOAL_P99_MS = 400;
const GOAL_MEDIAN_RATIO = 1.5;
const CARDS = 4;
/** Rounds that are not counted, until the code of both is compiled. */
const WARM_UP_ROUNDS = 2;
/** An app without responses for this long is idle. */
const QUIET_MS = 1_000;
/** Delay between two bursts. */
const BREATH_MS = 500;
const BURST = 20;
const PEOPLE = ['ana', 'ben'];

const LOADS = [
  { name: '50 a second', make: (people: People) => everyMs(people, 20, 400) },
  { name: `bursts of ${BURST}`, make: (people: People) => bursts(people, BURST, 10) },
];

/** Measures the time until actions are acknowledged. Rounds of Tocsin and the bare app alternate. */
export async function measureAcks(cluster: ScratchCluster, rounds: number): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const transport of ['Socket Mode', 'signed HTTP'] as const) {
    const databaseUrl = await cluster.createDatabase(`acks_${findings.length}`);
    await using service = await startServiceProcess(databaseUrl);
    findings.push(...(await measureOver(transport, service, databaseUrl, rounds)));
  }
  return findings;
}

async function measureOver(
  transport: Transport,
  service: ServiceProcess,
  databaseUrl: string,
  rounds: number,
): Promise<Finding[]> {
  await using ours = await startSlackForApp(transport);
  await using theirs = await startSlackForApp(transport);
  await using _bot = await startBot(ours, service, databaseUrl);
  await using bare = startProgram(new URL('./bare-app.ts', import.meta.url));
  await bare.ask(theirs.app);
  await postAlerts(
    service,
    Array.from({ length: CARDS }, (_, number) => createAlert(`service-${number}`)),
  );
  await ours.slack.waitFor(() => ours.slack.messages(CHANNEL).length === CARDS, 60_000);
  await copyCards(ours, theirs);
  const [atTocsin, atBare] = [createPeople(ours), createPeople(theirs)];

  const findings: Finding[] = [];
  for (const { name, make } of LOADS) {
    const taken = { tocsin: [] as number[][], bare: [] as number[][] };
    for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
      const [tocsin, other] = [await awakened(atTocsin, make), await awakened(atBare, make)];
      if (round >= 0) {
        taken.tocsin.push(tocsin);
        taken.bare.push(other);
      }
    }
    findings.push(...describe(`ack, ${transport}, ${name}`, taken));
  }
  return findings;
}

/** Warms up idle connections that were closed during the round of the other app. Not counted. */
async function awakened(people: People, make: (people: People) => Promise<number[]>): Promise<number[]> {
  await bursts(people, BURST, 1);
  return make(people);
}

/** Copies the cards, so that both apps get clicks on the same buttons. */
async function copyCards(from: SlackForApp, to: SlackForApp): Promise<void> {
  for (const { text, blocks } of from.slack.messages(CHANNEL)) {
    await fetch(`${to.app.apiUrl}chat.postMessage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${to.app.botToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ channel: CHANNEL, text, blocks }),
    });
  }
}

/** Interacts at a steady rate, whether or not earlier interactions are acknowledged. */
async function everyMs(people: People, ms: number, count: number): Promise<number[]> {
  const start = performance.now();
  const taken = await Promise.all(
    Array.from({ length: count }, async (_, number) => {
      await sleep(Math.max(0, start + number * ms - performance.now()));
      return people.interact(number);
    }),
  );
  await people.areAnswered();
  return taken;
}

async function bursts(people: People, size: number, count: number): Promise<number[]> {
  const taken: number[] = [];
  for (let burst = 0; burst < count; burst += 1) {
    taken.push(...(await Promise.all(Array.from({ length: size }, (_, number) => people.interact(number)))));
    await sleep(BREATH_MS);
  }
  await people.areAnswered();
  return taken;
}

/** People who in turn list open incidents, click Show, and click Acknowledge. */
interface People {
  /** @returns the time until the acknowledgement or until Slack gives up, in milliseconds */
  interact(number: number): Promise<number>;
  /** Resolves once the app is idle, so that its work does not affect the other app. */
  areAnswered(): Promise<void>;
}

/** They always use the cards as they are now. */
function createPeople({ slack }: SlackForApp): People {
  const cards = slack.messages(CHANNEL);
  async function interact(number: number): Promise<number> {
    const person = slack.as(PEOPLE[number % PEOPLE.length] ?? '');
    const card = cards[number % cards.length];
    if (card === undefined) {
      throw new Error('there is no card to click on');
    }
    const start = performance.now();
    const { ack } =
      number % 3 === 0
        ? await person.command(CHANNEL, '/incidents open')
        : await person.click(card, number % 3 === 1 ? 'Show' : 'Acknowledge');
    if (ack?.kind !== 'acked' && ack?.kind !== 'timeout') {
      throw new Error(`an interaction did not reach the app: ${ack?.kind}`);
    }
    return performance.now() - start;
  }

  const lastAnswers = () => PEOPLE.map((person) => slack.ephemerals(person, CHANNEL).at(-1)?.ts).join();
  async function areAnswered(): Promise<void> {
    let before: string | null = null;
    while (before !== lastAnswers()) {
      before = lastAnswers();
      await sleep(QUIET_MS);
    }
  }

  return { interact, areAnswered };
}

type Rounds = readonly (readonly number[])[];

/** The longest time is of all rounds; p50 and p99 are medians of the rounds, so that a pause of the machine does not matter. */
function describe(what: string, { tocsin, bare }: { tocsin: Rounds; bare: Rounds }): Finding[] {
  const medianOf = (rounds: Rounds, part: number) => median(rounds.map((taken) => quantile(taken, part)));
  const finding = (name: string, ours: number, theirs: number, goal: Finding['goal']): Finding => ({
    what: `${what}: ${name}`,
    measured: milliseconds(ours),
    baseline: `${milliseconds(theirs)} bare Bolt app`,
    ratio: (ours / theirs).toFixed(2),
    goal,
  });
  const p50 = [medianOf(tocsin, 0.5), medianOf(bare, 0.5)] as const;
  const p99 = [medianOf(tocsin, 0.99), medianOf(bare, 0.99)] as const;
  const longest = [Math.max(...tocsin.flat()), Math.max(...bare.flat())] as const;
  return [
    finding('p50', ...p50, {
      text: `ratio at most ${GOAL_MEDIAN_RATIO}`,
      isMet: p50[0] / p50[1] <= GOAL_MEDIAN_RATIO,
    }),
    finding('p99', ...p99, { text: `under ${GOAL_P99_MS} ms`, isMet: p99[0] < GOAL_P99_MS }),
    finding('longest', ...longest, { text: `under ${LONGEST_MS} ms`, isMet: longest[0] < LONGEST_MS }),
  ];
}
