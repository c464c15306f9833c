import type { Clock } from '../clock.ts';
import type { FaultSource } from '../faults/faults.ts';
import { LIMITS } from '../limits.ts';
import type { Ack, Delivers, Delivery, Envelope, Retry } from './delivery.ts';

type Payload = Readonly<Record<string, unknown>>;

/** One attempt to deliver something to the app, with its result. */
export interface RecordedDelivery {
  readonly envelope: Envelope;
  readonly ack: Ack;
  readonly at: Date;
  readonly latencyMs: number;
}

export interface Dispatcher extends Delivers, Disposable {
  /**
   * Sends an event. Without an acknowledgement it is retried at once, after one minute and after five more minutes.
   * Commands and clicks are not retried.
   */
  emit(event: Payload): void;
  /** The most recent deliveries, newest last. */
  readonly deliveries: readonly RecordedDelivery[];
}

/** Delays before the retries: https://docs.slack.dev/apis/events-api */
const RETRIES_MS = [0, 60_000, 300_000] as const;

const MAX_DELIVERIES = 2_000;

export function createDispatcher(deps: {
  channel: Delivery;
  clock: Clock;
  faults: Pick<FaultSource, 'takeDroppedAck' | 'takeDuplicate'>;
  isAway: () => boolean;
  /** Puts the event into an envelope with a new event id. */
  wrap: (event: Payload) => Payload;
  onDelivered: (delivery: RecordedDelivery) => void;
}): Dispatcher {
  const { channel, clock, faults } = deps;
  const retries = new Set<() => void>();
  const deliveries: RecordedDelivery[] = [];

  async function deliver(envelope: Envelope): Promise<Ack> {
    const at = clock.now();
    const received = deps.isAway() ? ({ kind: 'unreachable' } as const) : await channel.deliver(envelope);
    const ack = received.kind === 'acked' && faults.takeDroppedAck() ? await timeOut(at) : received;
    const delivery = { envelope, ack, at, latencyMs: clock.now().getTime() - at.getTime() };
    deliveries.push(delivery);
    deliveries.splice(0, deliveries.length - MAX_DELIVERIES);
    deps.onDelivered(delivery);
    return ack;
  }

  /** Waits until Slack would give up. */
  async function timeOut(sentAt: Date): Promise<Ack> {
    const leftMs = sentAt.getTime() + LIMITS.ackMs - clock.now().getTime();
    await new Promise<void>((resolve) => void clock.after(Math.max(0, leftMs), resolve));
    return { kind: 'timeout' };
  }

  async function attempt(payload: Payload, retry?: Retry): Promise<void> {
    const ack = await deliver({ type: 'events_api', payload, ...(retry && { retry }) });
    if (ack.kind === 'acked' || (ack.kind === 'refused' && ack.isFinal)) {
      return;
    }
    const made = retry?.attempt ?? 0;
    const waitMs = RETRIES_MS[made];
    const again = { attempt: made + 1, after: ack.kind };
    if (waitMs === 0) {
      return await attempt(payload, again);
    }
    if (waitMs !== undefined) {
      const cancel = clock.after(waitMs, () => {
        retries.delete(cancel);
        void attempt(payload, again);
      });
      retries.add(cancel);
    }
  }

  return {
    deliver,
    deliveries,
    emit(event) {
      void attempt(deps.wrap(event));
      if (faults.takeDuplicate()) {
        void attempt(deps.wrap(event));
      }
    },
    [Symbol.dispose]() {
      for (const cancel of retries) {
        cancel();
      }
    },
  };
}
