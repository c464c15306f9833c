import { setTimeout as delay } from 'node:timers/promises';
import { type Fault, faults as shopFaults } from '../shop/faults.ts';
import type { Shop } from '../shop/shop.ts';
import type { Gate } from './gate.ts';
import type { Person, SlackRemote } from './local-slack.ts';
import { createResponder } from './people.ts';
import type { Scenario, Step } from './scenarios.ts';
import { isGood, type Score, score, type TrueIncident } from './score.ts';
import type { Watch } from './watch.ts';

/** All that a scenario plays with. */
export interface Stage {
  readonly slack: SlackRemote;
  readonly watch: Watch;
  readonly shop: Shop;
  /** Between bot and service; null: they were not started by us. */
  readonly gate: Gate | null;
  /** Sends an alert of each of these services. */
  readonly alert: (services: readonly string[]) => Promise<void>;
  readonly now: () => number;
  /** Aborted when somebody ends the day. */
  readonly stopping: AbortSignal;
  readonly log: (line: string) => void;
}

export interface Result {
  readonly scenario: Scenario;
  readonly score: Score;
  /** Why not every step could be done; null: all were. */
  readonly stuck: string | null;
  readonly isPassed: boolean;
}

const INCIDENT_MS = 45_000;
const CARDS_MS = 60_000;
/** What is under way at the end gets so long before it counts as lost. */
const SETTLE_MS = 45_000;

/** Plays it to its end, heals everything, and gives what came of the incidents that were opened meanwhile. */
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
  if (shop.broken !== null) {
    shop.fix();
  }
  await slack.recover().catch((error: unknown) => log(`Slack could not be healed: ${String(error)}`));
  // What cannot heal any more is not waited for.
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
      return 'The shop is healed';
    case 'alerts':
      return `Alerts of ${step.services.join(', ')}`;
    case 'cards':
      return 'Until each incident has its card';
    case 'slack':
      return `Slack: ${JSON.stringify(step.fault)}`;
    case 'service-away':
      return `The incident service is away for ${step.seconds} s`;
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
