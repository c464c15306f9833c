import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalSlack } from 'local-slack';
import { type Alert, createAlert } from '../alerts.ts';
import { type Finding, quantile } from '../numbers.ts';
import { CHANNEL } from '../slack-app.ts';
import type { Side } from './sides.ts';

/** A burst of alerts during a fault of Slack. */
interface Trial {
  readonly name: string;
  readonly alerts: number;
  readonly trouble: (slack: LocalSlack) => void;
  /** When every second alert ends. */
  readonly endAfterMs: number;
  /** When the messages in the channel are counted. */
  readonly countAfterMs: number;
  /** Whether the delay until an alert is shown is meaningful. */
  readonly isTimed: boolean;
}

const LIMIT_SECONDS = 60;
const LOOK_MS = 100;

/** Order matters: the last trial causes a storm, which lasts for minutes. */
const TRIALS: readonly Trial[] = [
  {
    name: 'each post stored, then 502',
    alerts: 5,
    trouble: ({ faults }) => faults.repeat('chat.postMessage', { kind: 'stored-then-502' }, { calls: 5 }),
    endAfterMs: 15_000,
    countAfterMs: 25_000,
    isTimed: false,
  },
  {
    name: 'Slack limits the rate for 60 s',
    alerts: 10,
    trouble: ({ faults }) =>
      faults.repeat(
        'chat.postMessage',
        { kind: 'rate_limited', retryAfterSeconds: LIMIT_SECONDS },
        { seconds: LIMIT_SECONDS },
      ),
    endAfterMs: 45_000,
    countAfterMs: 95_000,
    isTimed: true,
  },
  {
    name: "a large burst meets Slack's usual limit",
    alerts: 80,
    trouble: () => undefined,
    endAfterMs: 20_000,
    countAfterMs: 45_000,
    isTimed: true,
  },
];

interface Result {
  /** Delay of each alert until a message showed it, in milliseconds; Infinity: never shown. */
  readonly waits: readonly number[];
  readonly doubled: number;
}

/** Runs both sides at the same time. */
export async function measureLosses(tocsin: Side, alertmanager: Side): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [number, trial] of TRIALS.entries()) {
    const services = Array.from({ length: trial.alerts }, (_, alert) => `trial-${number}-service-${alert}.`);
    const [ours, theirs] = await Promise.all([run(tocsin, trial, services), run(alertmanager, trial, services)]);
    findings.push(...describe(trial, ours, theirs));
  }
  return findings;
}

async function run(side: Side, trial: Trial, services: readonly string[]): Promise<Result> {
  trial.trouble(side.slack);
  const alerts = services.map((service): Alert => createAlert(service));
  const start = performance.now();
  const waits = new Map<string, number>();
  const lookUntil = async (ms: number) => {
    while (performance.now() < start + ms) {
      const told = await findTold(side, services);
      const waited = performance.now() - start;
      for (const service of told.filter((each) => !waits.has(each))) {
        waits.set(service, waited);
      }
      await sleep(LOOK_MS);
    }
  };
  await side.fire(alerts);
  await lookUntil(trial.endAfterMs);
  await side.end(alerts.filter((_, number) => number % 2 === 0));
  await lookUntil(trial.countAfterMs);
  const told = await findTold(side, services);
  const alone = readAlone(side);
  const doubled = services.filter((service) => alone.filter((text) => text.includes(service)).length > 1).length;
  await side.rest();
  return { waits: services.map((each) => (told.includes(each) ? (waits.get(each) ?? Infinity) : Infinity)), doubled };
}

/** The services that a message in the channel shows, alone or with others. */
async function findTold(side: Side, services: readonly string[]): Promise<string[]> {
  const together = await side.shownTogether();
  const alone = readAlone(side);
  return services.filter((service) => together.includes(service) || alone.some((text) => text.includes(service)));
}

/** The messages that show one service. */
function readAlone({ slack }: Side): string[] {
  return slack
    .messages(CHANNEL)
    .filter(({ metadata }) => metadata?.event_payload.storm_id === undefined)
    .map(({ text, blocks, attachments }) => JSON.stringify([text, blocks, attachments]));
}

function describe({ name, alerts, isTimed }: Trial, ours: Result, theirs: Result): Finding[] {
  const lost = ({ waits }: Result) => waits.filter((waited) => waited === Infinity).length;
  const counts = { lost, doubled: ({ doubled }: Result) => doubled };
  return [
    ...Object.entries(isTimed ? { p50: 0.5, p99: 0.99 } : {}).map(([part, share]) =>
      describeWait(
        `${name}: until an alert is shown, ${part}`,
        quantile(ours.waits, share),
        quantile(theirs.waits, share),
      ),
    ),
    ...Object.entries(counts).map(([what, of]) => ({
      what: `${name}: alerts ${what}`,
      measured: `${of(ours)} of ${alerts}`,
      baseline: `${of(theirs)} of ${alerts} Alertmanager`,
      ratio: '',
      goal: { text: '0', isMet: of(ours) === 0 },
    })),
  ];
}

function describeWait(what: string, ours: number, theirs: number): Finding {
  const seconds = (ms: number) => (ms === Infinity ? 'never' : `${(ms / 1_000).toFixed(1)} s`);
  return {
    what,
    measured: seconds(ours),
    baseline: `${seconds(theirs)} Alertmanager`,
    ratio: (ours / theirs).toFixed(2),
    goal: { text: 'no slower', isMet: ours <= theirs },
  };
}
