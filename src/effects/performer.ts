import type { Logger } from 'pino';
import { backoffMs } from '../runtime/backoff.ts';
import type { Clock } from '../runtime/clock.ts';
import { createLoop, type Loop } from '../runtime/loop.ts';
import { settlesWithin } from '../runtime/timeout.ts';
import { carryOut, type Effect } from './carry-out.ts';
import type { End, KeptEffect, KeptEffects } from './kept-effects.ts';
import { createRenewal } from './renewal.ts';

const LOOK_EVERY_MS = 1_000;
/** A call that hangs must not hold up shutdown longer than this. */
const STOP_TIMEOUT_MS = 5_000;
/** A call that is aborted then has this time to end. */
const ABORT_TIMEOUT_MS = 1_000;
const RETRY = { firstMs: 1_000, longestMs: 60_000 };

/** Effects of one target that a process carries out at a time, each in another lane, unless its kinds say otherwise. */
const USUAL_PACE = 8;

/** How effects of one kind are carried out. */
export interface EffectKind<Tables> {
  /** The partner, which delays no other one. */
  readonly target: string;
  /** Effects of the target that a process carries out at a time, the same for all its kinds. Absent: 8. */
  readonly pace?: number | undefined;
  /**
   * See `carryOut`.
   *
   * @param begin stores the attempt
   * @param stopping aborted at shutdown, after the time that running calls get
   * @returns null: another process has taken it over
   */
  carryOut(effect: KeptEffect, begin: () => Promise<boolean>, stopping: AbortSignal): Promise<End<Tables> | null>;
  /** What becomes of an effect whose call failed. null: it is repeated after a while */
  endOf(effect: KeptEffect, error: unknown): End<Tables> | null;
}

/**
 * @param steps.effectOf what `carryOut` needs; the performer stores the attempt, and how it ends
 * @typeParam Seen what decides the call, such as the state of the target
 */
export function createKind<Tables, Seen>(steps: {
  readonly target: string;
  readonly pace?: number | undefined;
  effectOf(
    effect: KeptEffect,
  ): Pick<Effect<Seen, End<Tables>, End<Tables>>, 'look' | 'call' | 'failureOf' | 'lookAgain'>;
  endOf: EffectKind<Tables>['endOf'];
}): EffectKind<Tables> {
  return {
    target: steps.target,
    pace: steps.pace,
    carryOut: (effect, begin) => carryOut({ ...steps.effectOf(effect), begin, settle: async (_seen, done) => done }),
    endOf: steps.endOf,
  };
}

export interface Performer<Tables> extends Loop {
  /** Before the start. A feature adds its own. @param onSettled called after an effect of these kinds was settled */
  add(kinds: Readonly<Record<string, EffectKind<Tables>>>, onSettled?: () => void): void;
}

/** Carries out stored effects. */
export function createPerformer<Tables>(deps: {
  readonly effects: KeptEffects<Tables>;
  readonly logger: Logger;
  readonly clock: Clock;
}): Performer<Tables> {
  const { effects, logger, clock } = deps;
  interface Known {
    readonly kind: EffectKind<Tables>;
    readonly onSettled: () => void;
  }
  const kinds = new Map<string, Known>();
  interface Running {
    readonly target: string;
    readonly lane: string;
    readonly done: Promise<void>;
  }
  const running = new Set<Running>();
  const stop = new AbortController();
  const renewal = createRenewal({
    keyOf: ({ id, lease }: KeptEffect) => `${id} ${lease}`,
    renew: (held) => effects.renew(held),
    logger,
    clock,
  });

  async function perform({ kind, onSettled }: Known, effect: KeptEffect): Promise<void> {
    const begin = () => effects.begin(effect);
    const end = await kind.carryOut(effect, begin, stop.signal).catch((err: unknown): End<Tables> => {
      const { id, kind: name, subject } = effect;
      logger.warn({ err, id, kind: name, subject }, 'an effect failed');
      const againInMs = backoffMs(RETRY, effect.failures + 1);
      return kind.endOf(effect, err) ?? { againInMs, error: err instanceof Error ? err.message : String(err) };
    });
    if (end === null || !(await effects.end(effect, end))) {
      return;
    }
    if ('outcome' in end) {
      onSettled();
    } else if (end.pausesTarget === true) {
      await effects.pause(kindsOf(kind.target), end.againInMs);
    }
  }

  function kindsOf(target: string): string[] {
    return [...kinds].filter(([, { kind }]) => kind.target === target).map(([name]) => name);
  }

  function start(known: Known, effect: KeptEffect): void {
    const done = renewal
      .during(effect, () => perform(known, effect))
      .catch((err: unknown) => logger.error({ err, kind: effect.kind }, 'the end of an effect was not stored'))
      .finally(() => {
        running.delete(each);
        setImmediate(() => loop.kick()); // effects that were stored together free their places together
      });
    const each: Running = { target: known.kind.target, lane: effect.lane, done };
    running.add(each);
  }

  /** Leases what is due in free lanes of targets that have a free place. */
  async function claim() {
    const atTarget = Map.groupBy(running, ({ target }) => target);
    const wanted = [...kinds].map(
      ([
        kind,
        {
          kind: { target, pace = USUAL_PACE },
        },
      ]) => {
        return { kind, target, places: pace - (atTarget.get(target)?.length ?? 0) };
      },
    );
    const free = wanted.filter(({ places }) => places > 0);
    return free.length === 0 ? [] : effects.claim(free, [...running]);
  }

  async function step(stopping: AbortSignal): Promise<number> {
    let isMore = true;
    while (isMore && !stopping.aborted) {
      isMore = false;
      for (const effect of await claim()) {
        const known = kinds.get(effect.kind);
        if (known !== undefined) {
          start(known, effect);
        }
        ({ isMore } = effect);
      }
    }
    return LOOK_EVERY_MS;
  }

  const loop = createLoop({ name: 'effects', step, retry: RETRY, logger, clock });
  return {
    ...loop,
    add(added, onSettled = () => undefined) {
      for (const [name, kind] of Object.entries(added)) {
        kinds.set(name, { kind, onSettled });
      }
    },
    async [Symbol.asyncDispose]() {
      await loop[Symbol.asyncDispose]();
      const ended = Promise.all([...running].map(({ done }) => done));
      await settlesWithin(STOP_TIMEOUT_MS, ended);
      stop.abort();
      await settlesWithin(ABORT_TIMEOUT_MS, ended);
      renewal.stop();
    },
  };
}
