import type { Clock } from '../clock.ts';
import type { FaultTaker } from '../faults/faults.ts';
import { LIMITS } from '../limits.ts';
import type { Ack, Delivers, Delivery, Envelope, Retry } from './delivery.ts';

type Payload = Readonly<Record<string, unknown>>;

/** One attempt to hand something to the app, and how it ended. */
export interface RecordedDelivery {
  readonly envelope: Envelope;
  readonly ack: Ack;
  readonly at: Date;
  readonly latencyMs: number;
}

export interface Dispatcher extends Delivers, Disposable {
  /**
   * Sends an event; while nobody acknowledges it, again at once, after a minute and after five more minutes. Commands
   * and clicks are not sent again.
   */
  emit(event: Payload): void;
  /** Newest last; the oldest are forgotten. */
  readonly deliveries: readonly RecordedDelivery[];
}

/** How long after a failed attempt the next one follows: https://docs.slack.dev/apis/events-api. */
const RETRIES_MS = [0, 60_000, 300_000] as const;

const DELIVERIES_KEPT = 2_000;

export function createDispatcher(deps: {
  channel: Delivery;
  clock: Clock;
  faults: Pick<FaultTaker, 'takeDroppedAck' | 'takeDuplicate'>;
  isAway: () => boolean;
  /** The event with who it is for, under an id of its own. */
  wrap: (event: Payload) => Payload;
  onDelivered: (delivery: RecordedDelivery) => void;
}): Dispatcher {
  const { channel, clock, faults } = deps;
  const retries = new Set<() => void>();
  const deliveries: RecordedDelivery[] = [];

  async function deliver(envelope: Envelope): Promise<Ack> {
    const at = clock.now();
    const taken = deps.isAway() ? ({ kind: 'unreachable' } as const) : await channel.deliver(envelope);
    const ack = taken.kind === 'acked' && faults.takeDroppedAck() ? await lose(at) : taken;
    const delivery = { envelope, ack, at, latencyMs: clock.now().getTime() - at.getTime() };
    deliveries.push(delivery);
    deliveries.splice(0, deliveries.length - DELIVERIES_KEPT);
    deps.onDelivered(delivery);
    return ack;
  }

  /** As long as Slack waits for what never comes. */
  async function lose(sentAt: Date): Promise<Ack> {
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
      const callOff = clock.after(waitMs, () => {
        retries.delete(callOff);
        void attempt(payload, again);
      });
      retries.add(callOff);
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
      for (const callOff of retries) {
        callOff();
      }
    },
  };
}
