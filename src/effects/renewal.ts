import type { Logger } from 'pino';
import type { Clock } from '../runtime/clock.ts';

/** Renewed by the process that carries out an effect. After this, another process takes over. */
export const LEASE_MS = 8_000;
/** Renews several times within a lease, so that one lost renewal does no harm. */
const RENEW_EVERY_MS = 2_500;
/** After this time, the lease of an effect that has not started is no longer renewed, so any process may claim it. */
const LONGEST_WAIT_MS = 60_000;

/** Renews the leases of what this process has claimed, so that leases can be short and a crash is noticed soon. */
export interface Renewal<Claimed> {
  /** Renews the lease of something that will start soon. */
  expect(claimed: Claimed): void;
  /** Renews the lease until `work` ends. */
  during<Result>(claimed: Claimed, work: () => Promise<Result>): Promise<Result>;
  stop(): void;
}

/**
 * @param deps.keyOf tells one claim from every other, also of the same row
 * @param deps.renew prolongs only leases of exactly these claims: a process that was frozen has lost its own
 */
export function createRenewal<Claimed>(deps: {
  keyOf: (claimed: Claimed) => string;
  renew: (claimed: readonly Claimed[]) => Promise<void>;
  logger: Logger;
  clock: Clock;
}): Renewal<Claimed> {
  const { keyOf, renew, logger, clock } = deps;
  /** `until`: the end of renewal; null: when its work ends. */
  const held = new Map<string, { readonly claimed: Claimed; readonly until: Date | null }>();
  let cancel: (() => void) | null = null;

  function hold(claimed: Claimed, until: Date | null): void {
    held.set(keyOf(claimed), { claimed, until });
    cancel ??= clock.after(RENEW_EVERY_MS, () => void run());
  }

  async function run(): Promise<void> {
    cancel = null;
    const now = clock.now();
    for (const [key, { until }] of held) {
      if (until !== null && until <= now) {
        held.delete(key);
      }
    }
    if (held.size === 0) {
      return;
    }
    cancel = clock.after(RENEW_EVERY_MS, () => void run());
    const all = [...held.values()].map(({ claimed }) => claimed);
    await renew(all).catch((err: unknown) => logger.warn({ err }, 'leases were not renewed'));
  }

  return {
    expect: (claimed) => hold(claimed, new Date(clock.now().getTime() + LONGEST_WAIT_MS)),
    async during(claimed, work) {
      hold(claimed, null);
      try {
        return await work();
      } finally {
        held.delete(keyOf(claimed));
      }
    },
    stop() {
      cancel?.();
      held.clear();
    },
  };
}
