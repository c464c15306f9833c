import { setTimeout as delay } from 'node:timers/promises';
import { type Fault, faults as shopFaults } from '../shop/faults.ts';
import type { Shop } from '../shop/shop.ts';
import type { Gate } from './gate.ts';
import type { Person, SlackRemote } from './local-slack.ts';
import { createResponder } from './people.ts';
import type { Scenario, Step } from './scenarios.ts';
import { isGood, type Score, score, type TrueIncident } from './score.ts';
import type { Watch } from './watch.ts';

/** Everything that a scenario uses. */
export interface Stage {
  readonly slack: SlackRemote;
  readonly watch: Watch;
  readonly shop: Shop;
  /** The proxy between bot and service; null: they were not started by this program. */
  readonly gate: Gate | null;
  /** Sends one alert per service. */
  readonly alert: (services: readonly string[]) => Promise<void>;
  readonly now: () => number;
  /** Aborted when the game day is stopped. */
  readonly stopping: AbortSignal;
  readonly log: (line: string) => void;
}

export interface Result {
  readonly scenario: Scenario;
  readonly score: Score;
  /** Why a step failed; null: all steps succeeded. */
  readonly stuck: string | null;
  readonly isPassed: boolean;
}

const INCIDENT_MS = 45_000;
const CARDS_MS = 60_000;
/** Grace period at the end before something counts as lost. */
const SETTLE_MS = 45_000;

/** Plays a scenario, ends all faults, and scores the incidents that were opened during it. */
export async function play(stage: Stage, scenario: Scenario): Promise<Result> {
  const { slack, watch, shop, log } = stage;
  const since = stage.now();
  const stuck = await takeSteps(stage, scenario.steps, since).then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  if (stuck !== null) {
    log(`Stuck: ${stuck}`);
  }
  if (shop.broken.length > 0) {
    shop.fix();
  }
  await slack.recover().catch((error: unknown) => log(`the faults of Slack could not be ended: ${String(error)}`));
  // Does not wait for results that can no longer improve.
  const isSettled = (): boolean => {
    const { lost, wrong, unanswered, notesLost } = score(watch.observed(since));
    return lost + wrong + unanswered + notesLost === 0;
  };
  await watch.until('all to settle', isSettled, SETTLE_MS).catch(() => {});
  const final = score(watch.observed(since));
  return { scenario, score: final, stuck, isPassed: stuck === null && isGood(final) };
}

async function takeSteps(stage: Stage, steps: readonly Step[], since: number): Promise<void> {
  for (const step of steps) {
    stage.log(describeStep(step));
    await takeStep(stage, step, since);
  }
}

async function takeStep(stage: Stage, step: Step, since: number): Promise<void> {
  const { slack, watch } = stage;
  const isMine = ({ openedAt }: TrueIncident): boolean => openedAt >= since;
  const responder = (who: Person) => createResponder(stage, who);
  const untilIncidents = (count: number) =>
    watch.until(
      `${count} new incidents (a service has none for ten minutes after one was closed)`,
      () => watch.observed(since).incidents.length >= count,
      INCIDENT_MS,
    );
  switch (step.kind) {
    case 'break':
      stage.shop.break(step.fault);
      await untilIncidents(1);
      return;
    case 'heal':
      return stage.shop.fix();
    case 'alerts':
      await stage.alert(step.services);
      await untilIncidents(step.services.length);
      return;
    case 'cards':
      await watch.until('a card for each incident', () => score(watch.observed(since)).lost === 0, CARDS_MS);
      return;
    case 'slack':
      return await slack.break(step.fault);
    case 'service-away':
      return stage.gate?.closeFor(step.seconds);
    case 'acknowledge':
      return await responder(step.who).acknowledge(step.by, isMine);
    case 'resolve': {
      const { meanwhile } = step;
      return await responder(step.who).resolve(step.note, isMine, async () => {
        await (meanwhile && takeSteps(stage, [meanwhile], since));
      });
    }
    case 'delete-cards':
      for (const { channel, ts } of watch.cardsOf(since)) {
        await slack.break({ kind: 'deleted-message', channel, ts });
      }
      return;
    case 'pause':
      await delay(step.seconds * 1_000, undefined, { signal: stage.stopping });
  }
}

function describeStep(step: Step): string {
  switch (step.kind) {
    case 'break':
      return `The shop breaks: ${findShopFault(step.fault)?.title ?? step.fault}`;
    case 'heal':
      return 'The shop is fixed';
    case 'alerts':
      return `Alerts for ${step.services.join(', ')}`;
    case 'cards':
      return 'Wait until each incident has its card';
    case 'slack':
      return `Slack: ${JSON.stringify(step.fault)}`;
    case 'service-away':
      return `The incident service is down for ${step.seconds} s`;
    case 'acknowledge':
      return `${step.who} acknowledges, by ${step.by}`;
    case 'resolve':
      return `${step.who} resolves`;
    case 'delete-cards':
      return 'Somebody deletes the cards';
    case 'pause':
      return `${step.seconds} s pass`;
  }
}

function findShopFault(name: string): Fault | undefined {
  return shopFaults.find((fault) => fault.name === name);
}
