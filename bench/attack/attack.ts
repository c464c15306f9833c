import { setTimeout as sleep } from 'node:timers/promises';
import { startTarget, type Target, type TargetSettings } from './target.ts';

/** One attack on a running service. */
export interface Attack {
  readonly name: string;
  /** Whether the gate runs it too. */
  readonly isQuick: boolean;
  readonly run: (target: Target) => Promise<Answer>;
  /** Settings of a service that this attack needs for itself; absent: the common one is attacked. */
  readonly settings?: TargetSettings;
  /** How long it may take; absent: as all others. */
  readonly maxMs?: number;
  /** It attacks services of its own, and its answer tells of their health. */
  readonly hasOwnServices?: boolean;
}

/** How the service answered. */
export interface Answer {
  /** What was seen, for a person. */
  readonly text: string;
  readonly isHeld: boolean;
}

/** A row of the report. */
export interface Verdict extends Answer {
  readonly name: string;
  /** The longest wait for `/healthz` during the attack; null: the service has died. */
  readonly slowestHealthMs: number | null;
}

/** @param what is seen of an attack; `isHeld` judges it */
export function defineAttack<Seen>(attack: {
  readonly name: string;
  readonly isQuick: boolean;
  readonly settings?: TargetSettings;
  readonly maxMs?: number;
  readonly hasOwnServices?: boolean;
  readonly run: (target: Target) => Promise<Seen>;
  readonly describe: (seen: Seen) => string;
  readonly isHeld: (seen: Seen) => boolean;
}): Attack {
  const { name, isQuick, settings, maxMs, hasOwnServices = false, run, describe, isHeld } = attack;
  return {
    name,
    isQuick,
    ...(settings === undefined ? {} : { settings }),
    ...(maxMs === undefined ? {} : { maxMs }),
    hasOwnServices,
    async run(target) {
      const seen = await run(target);
      return { text: describe(seen), isHeld: isHeld(seen) };
    },
  };
}

const MAX_HEALTH_MS = 1_000;
const HEALTH_POLL_MS = 50;
/** An attack that a service does not answer is lost. */
const MAX_ATTACK_MS = 90_000;

/** Runs attacks one after the other until `stop`. A service that dies is replaced for the next attack. */
export async function* runAttacks(attacks: readonly Attack[], stop: AbortSignal): AsyncGenerator<Verdict> {
  let common: Target | null = null;
  try {
    for (const attack of attacks) {
      if (stop.aborted) {
        return;
      }
      if (attack.settings !== undefined) {
        await using own = await startTarget(attack.settings);
        yield await runAttack(attack, own, stop);
        continue;
      }
      common ??= await startTarget({});
      const verdict = await runAttack(attack, common, stop);
      yield verdict;
      if (verdict.slowestHealthMs === null) {
        await common[Symbol.asyncDispose]();
        common = null;
      }
    }
  } finally {
    await common?.[Symbol.asyncDispose]();
  }
}

async function runAttack(attack: Attack, target: Target, stop: AbortSignal): Promise<Verdict> {
  const over = new AbortController();
  const health = watchHealth(target, over.signal);
  const answer = await Promise.race([
    attack.run(target),
    giveUp(attack.maxMs ?? MAX_ATTACK_MS, AbortSignal.any([over.signal, stop])),
  ]).catch(describeFailure);
  over.abort();
  const slowestHealthMs = await health;
  const isWell = attack.hasOwnServices || (slowestHealthMs !== null && slowestHealthMs < MAX_HEALTH_MS);
  return { name: attack.name, slowestHealthMs, text: answer.text, isHeld: answer.isHeld && isWell };
}

async function giveUp(afterMs: number, signal: AbortSignal): Promise<Answer> {
  await sleep(afterMs, undefined, { signal, ref: false });
  return { text: `no end after ${afterMs / 1_000} s`, isHeld: false };
}

function describeFailure(error: unknown): Answer {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return { text: `${String(error)}${cause}`, isHeld: false };
}

/** @returns the longest wait until the signal; null when the service does not answer at the end */
export async function watchHealth(target: Pick<Target, 'url'>, signal: AbortSignal): Promise<number | null> {
  let slowestMs = 0;
  let isAlive = true;
  do {
    const startedAt = performance.now();
    const answer = await fetch(`${target.url}/healthz`).catch(() => null);
    await answer?.body?.cancel();
    isAlive = answer?.ok ?? false;
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
    await sleep(HEALTH_POLL_MS, undefined, { signal }).catch(() => undefined);
  } while (!signal.aborted);
  return isAlive ? slowestMs : null;
}
