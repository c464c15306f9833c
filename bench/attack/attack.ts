import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTarget, type Target } from './target.ts';

/** One attack on a running service. */
export interface Attack {
  readonly name: string;
  /** Whether the gate runs it too. */
  readonly isQuick: boolean;
  readonly run: (target: Target) => Promise<Answer>;
  /** It changes what correlation knows, so it gets a service of its own. */
  readonly isAlone?: boolean;
  /** Whether the service works that was killed after the attack and starts again with its data. Absent: it is not killed. */
  readonly worksAgain?: (restarted: Target) => Promise<boolean>;
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
  /** Most work for one `/healthz` during the attack; null: the service has died. */
  readonly healthMs: number | null;
}

const MAX_HEALTH_MS = 1_000;
const HEALTH_POLL_MS = 50;
/** An attack that a service does not answer is lost. */
const MAX_ATTACK_MS = 300_000;

/** Runs attacks one after the other until `stop`. A service that dies is replaced for the next attack. */
export async function* runAttacks(attacks: readonly Attack[], stop: AbortSignal): AsyncGenerator<Verdict> {
  let common: Target | null = null;
  try {
    for (const attack of attacks) {
      if (stop.aborted) {
        return;
      }
      if (attack.isAlone === true) {
        await using own = await startTarget();
        const verdict = await runAttack(attack, own, stop);
        yield verdict.isHeld ? await restart(attack, verdict, own, stop) : verdict;
        continue;
      }
      common ??= await startTarget();
      const verdict = await runAttack(attack, common, stop);
      yield verdict;
      if (verdict.healthMs === null) {
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
  const answer = await Promise.race([attack.run(target), giveUp(AbortSignal.any([over.signal, stop]))]).catch(
    describeFailure,
  );
  over.abort();
  const healthMs = await health;
  return { name: attack.name, healthMs, text: answer.text, isHeld: answer.isHeld && isWell(healthMs) };
}

async function restart(attack: Attack, verdict: Verdict, target: Target, stop: AbortSignal): Promise<Verdict> {
  const { worksAgain } = attack;
  if (worksAgain === undefined) {
    return verdict;
  }
  await target.kill();
  await using restarted = await startTarget({ ...target.env, DATA_DIR: target.dataDir });
  const run = async () => {
    const isHeld = await worksAgain(restarted);
    return { isHeld, text: `${verdict.text}; after kill -9 it ${isHeld ? 'works' : 'DOES NOT work'}` };
  };
  return await runAttack({ ...attack, run }, restarted, stop);
}

async function giveUp(signal: AbortSignal): Promise<Answer> {
  await sleep(MAX_ATTACK_MS, undefined, { signal, ref: false });
  return { text: `no end after ${MAX_ATTACK_MS / 1_000} s`, isHeld: false };
}

function describeFailure(error: unknown): Answer {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return { text: `${String(error)}${cause}`, isHeld: false };
}

/** @param healthMs null: the service has died */
function isWell(healthMs: number | null): boolean {
  return healthMs !== null && healthMs < MAX_HEALTH_MS;
}

/**
 * Asks whether the service is alive until the signal.
 *
 * @returns the most work between a question and its answer, in milliseconds; null when the service does not answer at the end
 */
async function watchHealth({ call, pid }: Pick<Target, 'call' | 'pid'>, signal: AbortSignal): Promise<number | null> {
  let mostMs = 0;
  let isAlive = true;
  do {
    const startedAt = await readWorkMs(pid);
    const answer = await call('GET', '/healthz', { key: null }).catch(() => null);
    await answer?.body?.cancel();
    isAlive = answer?.ok ?? false;
    mostMs = Math.max(mostMs, isAlive ? (await readWorkMs(pid)) - startedAt : 0);
    await sleep(HEALTH_POLL_MS, undefined, { signal }).catch(() => undefined);
  } while (!signal.aborted);
  return isAlive ? mostMs : null;
}

/** The kernel counts processor time in hundredths of a second (USER_HZ). */
const TICK_MS = 10;

/**
 * The processor time of a process (fields `utime` and `stime` of proc(5)), because time on the clock depends on what else the
 * machine does. Where there is no `/proc`, the time on the clock.
 */
async function readWorkMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat === null) {
    return performance.now();
  }
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return TICK_MS * (Number(fields[11]) + Number(fields[12]));
}
