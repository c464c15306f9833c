import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { presentEvent } from '../http/present.ts';
import { EVENTS_CHANNEL, type EventStore, type StoredEvent } from '../store/event-store.ts';

/** A comment keeps proxies from closing a quiet stream; events are looked for then too, should a notification be lost. */
const HEARTBEAT_MS = 15_000;
/** How soon a browser comes back when a stream ends. */
const RETRY_MS = 2_000;
/** Most events that wait in memory for one reader. */
const BATCH = 100;

export interface EventStreams extends AsyncDisposable {
  /**
   * Server-sent events after this one. Events are read from the store as fast as the reader takes them, so a slow one
   * costs no memory.
   *
   * @param isAllowed asked before each batch, so that a revoked key gets no more
   */
  open(after: bigint, isAllowed: () => Promise<boolean>): ReadableStream<Uint8Array>;
  /** How many are being read. */
  count(): number;
  /** Ends all streams, and those that are opened later at once: their readers find another process, or this one again. */
  end(): void;
}

export function createEventStreams(deps: {
  readonly database: Pick<Database, 'listen'>;
  readonly events: EventStore;
  readonly logger: Logger;
  readonly publicUrl: string;
}): EventStreams {
  const { database, events, logger, publicUrl } = deps;
  let ended = false;
  let count = 0;
  let changed = Promise.withResolvers<void>();
  function wake(): void {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  }
  const listener = database.listen(EVENTS_CHANNEL, wake);
  const encoder = new TextEncoder();

  function open(after: bigint, isAllowed: () => Promise<boolean>): ReadableStream<Uint8Array> {
    const gone = Promise.withResolvers<void>();
    let position = after;
    let greeted = false;
    count += 1;
    void gone.promise.then(() => {
      count -= 1;
    });

    /** @returns null when the stream is over */
    async function next(): Promise<string | null> {
      if (!greeted) {
        greeted = true;
        return `retry: ${RETRY_MS}\n\n`;
      }
      const change = changed.promise; // taken before the look, so that nothing falls between
      const found = await look();
      if (found !== '') {
        return found;
      }
      await waitFor([change, gone.promise], HEARTBEAT_MS);
      const late = await look();
      return late === '' ? ':\n\n' : late;
    }

    async function look(): Promise<string | null> {
      if (ended || !(await isAllowed())) {
        return null;
      }
      const batch = await events.listAfter(position, BATCH);
      position = batch.at(-1)?.sequence ?? position;
      return batch.map((event) => writeEvent(event, publicUrl)).join('');
    }

    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const text = await next().catch((err: unknown) => {
            logger.warn({ err }, 'an event stream ends, since events cannot be read');
            return null;
          });
          if (text === null) {
            controller.close();
            gone.resolve();
            return;
          }
          controller.enqueue(encoder.encode(text));
        },
        cancel() {
          gone.resolve();
        },
      },
      { highWaterMark: 0 },
    );
  }

  function end(): void {
    ended = true;
    wake();
  }

  return {
    open,
    count: () => count,
    end,
    async [Symbol.asyncDispose]() {
      end();
      await listener[Symbol.asyncDispose]();
    },
  };
}

function writeEvent(event: StoredEvent, publicUrl: string): string {
  const data = JSON.stringify(presentEvent(event, publicUrl));
  return `id: ${event.sequence}\nevent: ${event.type}\ndata: ${data}\n\n`;
}

async function waitFor(promises: readonly Promise<void>[], atMostMs: number): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, atMostMs);
  await Promise.race([...promises, late.promise]);
  clearTimeout(timer);
}
