import type { App, ReceiverEvent } from '@slack/bolt';
import type { Logger } from 'pino';
import { settlesWithin } from '../../runtime/timeout.ts';

const DRAIN_MS = 7_000;

/**
 * Passes requests from a transport to Bolt. Each is acknowledged at most once, at the latest when its handler returns.
 * If the handler fails before it acknowledges, the request stays unacknowledged, so Slack shows the person an error.
 */
export interface Requests {
  /** False before `open` and after `drain`; the transport then rejects requests. */
  isOpen(): boolean;
  open(app: App): void;
  /** @throws errors of the handler before it acknowledges */
  processEvent(event: ReceiverEvent): Promise<void>;
  /** Stops accepting requests and waits up to seven seconds for the running handlers. */
  drain(): Promise<void>;
}

/** @param onAcknowledged called with the time until the acknowledgement, but for messages: nobody waits for it */
export function createRequests(logger: Logger, onAcknowledged: (durationMs: number) => void): Requests {
  const running = new Set<Promise<void>>();
  let app: App | null = null;
  let isDraining = false;

  async function handle(target: App, event: ReceiverEvent): Promise<void> {
    const receivedAt = performance.now();
    let isAcknowledged = false;
    const isOfMessage = isMessage(event.body);
    const ack: ReceiverEvent['ack'] = async (response) => {
      if (!isAcknowledged) {
        isAcknowledged = true;
        await event.ack(response);
        if (!isOfMessage) {
          onAcknowledged(performance.now() - receivedAt);
        }
      }
    };
    try {
      await target.processEvent({ ...event, ack: isOfMessage ? async () => undefined : ack });
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
        return; // not acknowledged, so Slack shows the person an error
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

/** Bolt acknowledges events before its listeners run. What a message says is kept first, so that Slack sends it again if that fails. */
function isMessage(body: unknown): boolean {
  const { event } = Object(body) as { readonly event?: unknown };
  return (Object(event) as { readonly type?: unknown }).type === 'message';
}

/** Bolt's receivers only use `processEvent` of an app. */
export function asApp(app: App, requests: Requests): App {
  return new Proxy(app, {
    get: (target, key) =>
      key === 'processEvent' ? requests.processEvent.bind(requests) : Reflect.get(target, key, target),
  });
}
