import type { Logger } from 'pino';
import type { Clock } from '../../runtime/clock.ts';
import type { ActionId } from '../domain/identifiers.ts';

/** Renews several times within a lease, so that one lost renewal does no harm. */
const RENEW_EVERY_MS = 2_500;
/** After this time, the lease of an action that has not started is no longer renewed, so any process may claim it. */
const LONGEST_WAIT_MS = 60_000;

/** Renews the leases of this process's actions, so that leases can be short and a crash is noticed soon. */
export interface Renewal {
  /** Renews the lease of an action that will start soon. */
  expect(id: ActionId): void;
  /** Renews the lease until `work` ends. */
  during<Result>(id: ActionId, work: () => Promise<Result>): Promise<Result>;
  stop(): void;
}

export function createRenewal(deps: {
  renew: (ids: readonly string[]) => Promise<void>;
  logger: Logger;
  clock: Clock;
}): Renewal {
  const { renew, logger, clock } = deps;
  /** End of renewal by action id; null: when its work ends. */
  const held = new Map<string, Date | null>();
  let cancel: (() => void) | null = null;

  function hold(id: ActionId, until: Date | null): void {
    held.set(id, until);
    cancel ??= clock.after(RENEW_EVERY_MS, () => void run());
  }

  async function run(): Promise<void> {
    cancel = null;
    const now = clock.now();
    for (const [id, until] of held) {
      if (until !== null && until <= now) {
        held.delete(id);
      }
    }
    if (held.size === 0) {
      return;
    }
    cancel = clock.after(RENEW_EVERY_MS, () => void run());
    await renew([...held.keys()]).catch((err: unknown) => logger.warn({ err }, 'leases of actions were not renewed'));
  }

  return {
    expect: (id) => hold(id, new Date(clock.now().getTime() + LONGEST_WAIT_MS)),
    async during(id, work) {
      hold(id, null);
      try {
        return await work();
      } finally {
        held.delete(id);
      }
    },
    stop() {
      cancel?.();
      held.clear();
    },
  };
}
