import { setTimeout as sleep } from 'node:timers/promises';
import type { LocalSlack } from '../../src/local-slack/local-slack.ts';
import { type Alert, createAlert } from '../alerts.ts';
import type { Finding } from '../numbers.ts';
import { CHANNEL } from '../slack-app.ts';
import type { Side } from './sides.ts';

/** A burst of alerts while Slack is in trouble. */
interface Trial {
  readonly name: string;
  readonly alerts: number;
  readonly trouble: (slack: LocalSlack) => void;
  /** Every other alert ends then. */
  readonly endAfterMs: number;
  /** Whatever is in the channel then is counted. */
  readonly countAfterMs: number;
}

const LIMIT_SECONDS = 60;

/** In this order: the last makes a storm, which goes on for minutes. */
const TRIALS: readonly Trial[] = [
  {
    name: 'each post stored, then 502',
    alerts: 5,
    trouble: ({ faults }) => faults.storm('chat.postMessage', { kind: 'stored-then-502' }, { calls: 5 }),
    endAfterMs: 15_000,
    countAfterMs: 25_000,
  },
  {
    name: 'Slack limits the rate for 60 s',
    alerts: 10,
    trouble: ({ faults }) =>
      faults.storm(
        'chat.postMessage',
        { kind: 'rate_limited', retryAfterSeconds: LIMIT_SECONDS },
        { seconds: LIMIT_SECONDS },
      ),
    endAfterMs: 45_000,
    countAfterMs: 95_000,
  },
  {
    name: "a large burst meets Slack's usual limit",
    alerts: 80,
    trouble: () => undefined,
    endAfterMs: 20_000,
    countAfterMs: 45_000,
  },
];

interface Count {
  readonly lost: number;
  readonly doubled: number;
}

/** Both sides at the same time. */
export async function measureLosses(tocsin: Side, alertmanager: Side): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const [number, trial] of TRIALS.entries()) {
    const services = Array.from({ length: trial.alerts }, (_, alert) => `trial-${number}-service-${alert}.`);
    const [ours, theirs] = await Promise.all([run(tocsin, trial, services), run(alertmanager, trial, services)]);
    findings.push(...describe(trial, ours, theirs));
  }
  return findings;
}

async function run(side: Side, trial: Trial, services: readonly string[]): Promise<Count> {
  trial.trouble(side.slack);
  const alerts = services.map((service): Alert => createAlert(service));
  await side.fire(alerts);
  await sleep(trial.endAfterMs);
  await side.end(alerts.filter((_, number) => number % 2 === 0));
  await sleep(trial.countAfterMs - trial.endAfterMs);
  const together = new Set(await side.shownTogether());
  const messages = side.slack
    .messages(CHANNEL)
    .filter(({ metadata }) => metadata?.event_payload.storm_id === undefined);
  const texts = messages.map(({ text, blocks, attachments }) => JSON.stringify([text, blocks, attachments]));
  const alone = services.map((service) => texts.filter((text) => text.includes(service)).length);
  await side.rest();
  return {
    lost: services.filter((service, number) => alone[number] === 0 && !together.has(service)).length,
    doubled: alone.filter((count) => count > 1).length,
  };
}

function describe({ name, alerts }: Trial, ours: Count, theirs: Count): Finding[] {
  return (['lost', 'doubled'] as const).map((what) => ({
    what: `${name}: alerts ${what}`,
    measured: `${ours[what]} of ${alerts}`,
    baseline: `${theirs[what]} of ${alerts} Alertmanager`,
    ratio: '',
    goal: { text: '0', isMet: ours[what] === 0 },
  }));
}
