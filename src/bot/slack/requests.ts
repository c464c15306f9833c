import type { App, ReceiverEvent } from '@slack/bolt';
import type { Logger } from 'pino';
import { settlesWithin } from '../../runtime/timeout.ts';

const DRAIN_MS = 7_000;

/**
 * The requests of Slack between a transport and Bolt. Each is acknowledged at most once; one whose handler returns
 * without an acknowledgement is acknowledged then. One whose handler fails before is not, so that Slack tells the
 * person.
 */
export interface Requests {
  /** False before `open` and from `drain` on: the transport refuses what comes then. */
  isOpen(): boolean;
  open(app: App): void;
  /** @throws what a handler throws before it acknowledged */
  processEvent(event: ReceiverEvent): Promise<void>;
  /** Takes no more, and waits for the running handlers, seven seconds at most. */
  drain(): Promise<void>;
}

/** @param onAcknowledged told how long Slack waited, in milliseconds */
export function createRequests(logger: Logger, onAcknowledged: (durationMs: number) => void): Requests {
  const running = new Set<Promise<void>>();
  let app: App | null = null;
  let isDraining = false;

  async function handle(target: App, event: ReceiverEvent): Promise<void> {
    const receivedAt = performance.now();
    let isAcknowledged = false;
    const ack: ReceiverEvent['ack'] = async (response) => {
      if (!isAcknowledged) {
        isAcknowledged = true;
        await event.ack(response);
        onAcknowledged(performance.now() - receivedAt);
      }
    };
    try {
      await target.processEvent({ ...event, ack });
      await ack();
    } catch (err) {
      logger.error({ err }, 'a request from Slack failed');
      if (!isAcknowledged) {
        throw err;
      }
    }
  }

  return {
    isOpen: () => app !== null && !isDraining,
    open(target) {
      app = target;
    },
    async processEvent(event) {
      if (app === null || isDraining) {
        return; // not acknowledged, so that Slack tells the person
      }
      const handled = handle(app, event);
      const ended = handled.catch(() => undefined);
      running.add(ended);
      await handled.finally(() => running.delete(ended));
    },
    async drain() {
      isDraining = true;
      await settlesWithin(DRAIN_MS, Promise.all(running));
    },
  };
}

/** Bolt's receivers use nothing of an app but `processEvent`. */
export function asApp(app: App, requests: Requests): App {
  return new Proxy(app, {
    get: (target, key) =>
      key === 'processEvent' ? requests.processEvent.bind(requests) : Reflect.get(target, key, target),
  });
}
