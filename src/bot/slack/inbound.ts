import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { App, ReceiverEvent } from '@slack/bolt';
import type { Logger } from 'pino';
import type { Figures } from '../monitoring/counters.ts';

const DRAIN_CAP_MS = 7_000;
/** The work behind an answer gives way to acknowledgements for so long at most. */
const LONGEST_HOLD_MS = 100;

/**
 * Between a transport and Bolt: counts the handlers that run, so that stopping can wait for them, and sees to it that
 * every request is acknowledged exactly once, whatever a listener forgot, but for those that failed: of these Slack
 * tells the person. When many come at once, all are acknowledged before the first is worked on.
 */
export interface Intake {
  /** False before `open` and from `drain` on: the transport refuses what comes then. */
  isOpen(): boolean;
  open(app: App): void;
  /** @throws what the handler of a request throws that is not acknowledged yet */
  processEvent(event: ReceiverEvent): Promise<void>;
  /** Takes no more and waits, for seven seconds at most, until the running handlers have ended. */
  drain(): Promise<void>;
}

export function createIntake(logger: Logger, figures: Pick<Figures, 'acknowledged'>): Intake {
  const running = new Set<Promise<void>>();
  let app: App | null = null;
  let isDraining = false;
  let unacknowledged = 0;
  let calm = Promise.withResolvers<void>();

  async function handle(target: App, event: ReceiverEvent): Promise<void> {
    const receivedAt = performance.now();
    let isAcknowledged = false;
    const acknowledge: ReceiverEvent['ack'] = async (response) => {
      if (isAcknowledged) {
        return;
      }
      isAcknowledged = true;
      try {
        await event.ack(response);
        figures.acknowledged(performance.now() - receivedAt);
      } finally {
        waitNoMore();
      }
    };
    const ack: ReceiverEvent['ack'] = async (response) => {
      await acknowledge(response);
      await othersAreAcknowledged();
    };
    unacknowledged += 1;
    try {
      await target.processEvent({ ...event, ack });
      await acknowledge();
    } catch (err) {
      logger.error({ err }, 'a request from Slack was not handled');
      if (!isAcknowledged) {
        waitNoMore();
        throw err;
      }
    }
  }

  function waitNoMore(): void {
    unacknowledged -= 1;
    if (unacknowledged === 0) {
      calm.resolve();
      calm = Promise.withResolvers();
    }
  }

  async function othersAreAcknowledged(): Promise<void> {
    await setImmediate(); // what has arrived together with it is taken in
    if (unacknowledged > 0) {
      await Promise.race([calm.promise, sleep(LONGEST_HOLD_MS, undefined, { ref: false })]);
    }
  }

  return {
    isOpen: () => app !== null && !isDraining,
    open(target) {
      app = target;
    },
    async processEvent(event) {
      if (app === null || isDraining) {
        return; // not acknowledged: Slack tells the person, who can ask again
      }
      const handled = handle(app, event);
      const ended = handled.catch(() => undefined);
      running.add(ended);
      await handled.finally(() => running.delete(ended));
    },
    async drain() {
      isDraining = true;
      if (running.size > 0) {
        await Promise.race([Promise.all(running), sleep(DRAIN_CAP_MS, undefined, { ref: false })]);
      }
    },
  };
}
