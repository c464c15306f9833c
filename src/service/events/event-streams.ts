import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { settlesWithin } from '../../runtime/timeout.ts';
import type { StreamEvent } from '../core/sign-in-request.ts';
import { EVENTS_CHANNEL, type EventStore } from '../store/event-store.ts';

/** A comment keeps proxies from closing a quiet stream. Events are also read then, in case a notification was lost. */
const HEARTBEAT_MS = 15_000;
/** How soon a browser reconnects after a stream has ended. */
const RETRY_MS = 2_000;
/** Maximum number of events in memory for one reader. */
const BATCH = 100;

export interface EventStreams extends AsyncDisposable {
  /**
   * Server-sent events after this one. They are read from the store at the speed of the reader, so a slow reader needs no
   * memory.
   *
   * @param isAllowed called before each batch, so that a revoked key gets no more events
   * @param render what the stream says of a batch; empty: nothing
   */
  open(after: bigint, isAllowed: () => Promise<boolean>, render: RenderEvents): ReadableStream<Uint8Array>;
  /** Number of open streams. */
  count(): number;
  /** Ends all streams, and those opened later at once. Readers reconnect to another process. */
  end(): void;
}

/** @param events at least one, oldest first */
export type RenderEvents = (events: readonly StreamEvent[]) => Promise<string>;

interface Stream {
  /** Ends the stream's wait for new events. */
  wake: () => void;
}

export function createEventStreams(deps: {
  readonly database: Pick<Database, 'listen'>;
  readonly events: EventStore;
  readonly logger: Logger;
}): EventStreams {
  const { database, events, logger } = deps;
  const streams = new Set<Stream>();
  let ended = false;
  const wakeAll = () => {
    for (const stream of streams) {
      stream.wake();
    }
  };
  const listener = database.listen(EVENTS_CHANNEL, wakeAll);
  const encoder = new TextEncoder();

  function open(after: bigint, isAllowed: () => Promise<boolean>, render: RenderEvents): ReadableStream<Uint8Array> {
    const stream: Stream = { wake: () => {} };
    let position = after;
    let greeted = false;
    streams.add(stream);

    /** @returns null when the stream is over */
    async function next(): Promise<string | null> {
      if (!greeted) {
        greeted = true;
        return `retry: ${RETRY_MS}\n\n`;
      }
      const { promise: woken, resolve } = Promise.withResolvers<void>();
      stream.wake = resolve; // before reading, so that no notification is missed
      const found = await read();
      if (found !== '') {
        return found;
      }
      await settlesWithin(HEARTBEAT_MS, woken);
      const late = await read();
      return late === '' ? ':\n\n' : late;
    }

    async function read(): Promise<string | null> {
      if (ended || !streams.has(stream) || !(await isAllowed())) {
        return null;
      }
      const batch = await events.listAfter(position, BATCH);
      position = batch.at(-1)?.sequence ?? position;
      return batch.length === 0 ? '' : render(batch);
    }

    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const text = await next().catch((err: unknown) => {
            logger.warn({ err }, 'an event stream ends because events cannot be read');
            return null;
          });
          if (!streams.has(stream)) {
            return; // cancelled
          }
          if (text === null) {
            streams.delete(stream);
            controller.close();
            return;
          }
          controller.enqueue(encoder.encode(text));
        },
        cancel() {
          streams.delete(stream);
          stream.wake();
        },
      },
      { highWaterMark: 0 },
    );
  }

  function end(): void {
    ended = true;
    wakeAll();
  }

  return {
    open,
    count: () => streams.size,
    end,
    async [Symbol.asyncDispose]() {
      end();
      await listener[Symbol.asyncDispose]();
    },
  };
}
