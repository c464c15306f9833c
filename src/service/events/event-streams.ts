import { setImmediate } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Database } from '../../database/database.ts';
import { createRealClock } from '../../runtime/clock.ts';
import { createLoop } from '../../runtime/loop.ts';
import { TooManyStreamsError } from '../core/errors.ts';
import type { StreamEvent } from '../core/sign-in-request.ts';
import { EVENTS_CHANNEL, type EventStore } from '../store/events/event-store.ts';
import { createEventTail } from './event-tail.ts';

/** A comment keeps proxies from closing a quiet stream. Events are also read then, in case a notification was lost. */
const HEARTBEAT_MS = 15_000;
const RETRY_AFTER_FAULT_MS = 1_000;
/** How soon a browser reconnects after a stream has ended. */
const RETRY_MS = 2_000;
/** Maximum number of events in memory for one reader that is behind. */
const BATCH = 100;
/** Streams that are notified at once. */
const WAVE = 25;
/** Streams of one API key or session in one process. */
export const MAX_STREAMS_PER_READER = 100;

export interface EventStreams extends AsyncDisposable {
  /**
   * Server-sent events after this one, at the speed of the reader: one that is behind reads from the store, so it needs no
   * memory.
   *
   * @param reader id of the API key or session; when it does not work any more, its streams end and get no more events
   * @param render what the stream says of a batch; empty: nothing
   * @throws {TooManyStreamsError}
   */
  open(after: bigint, reader: string, render: RenderEvents): ReadableStream<Uint8Array>;
  /** Number of open streams. */
  count(): number;
  /** Ends all streams, and those opened later at once. Readers reconnect to another process. */
  end(): void;
}

/**
 * Readers at the end of the stream get the same objects, so what is made of an event can be kept.
 *
 * @param events at least one, oldest first
 */
export type RenderEvents = (events: readonly StreamEvent[]) => Promise<string | Uint8Array> | Uint8Array;

interface Stream {
  readonly reader: string;
  isAllowed: boolean;
  /** Ends the stream's wait for new events. */
  wake: () => void;
}

const HEARTBEAT = new TextEncoder().encode(':\n\n');
const NOTHING = new Uint8Array();

export function createEventStreams(deps: {
  readonly database: Pick<Database, 'listen'>;
  readonly events: EventStore;
  /** Those of the API keys and sessions that still work. Asked once for all streams when there is something new. */
  readonly findWorkingReaders: (ids: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly logger: Logger;
}): EventStreams {
  const { database, events, findWorkingReaders, logger } = deps;
  const streams = new Set<Stream>();
  const tail = createEventTail(events);
  const encoder = new TextEncoder();
  let ended = false;
  let beatAt = performance.now();

  /** What is read first was committed first: readers that were stopped before get none of it. */
  async function advance(): Promise<number> {
    if (streams.size === 0) {
      tail.forget();
      return HEARTBEAT_MS;
    }
    const hasNews = await tail.advance();
    const all = [...streams]; // one that opens from here on is not among those that are asked for
    const working = await findWorkingReaders([...new Set(all.map(({ reader }) => reader))]);
    const isHeartbeat = performance.now() - beatAt >= HEARTBEAT_MS;
    beatAt = isHeartbeat ? performance.now() : beatAt;
    for (const stream of all) {
      stream.isAllowed &&= working.has(stream.reader);
    }
    for (const [index, stream] of all.entries()) {
      if (hasNews || isHeartbeat || !stream.isAllowed) {
        stream.wake();
      }
      if (index % WAVE === WAVE - 1) {
        await setImmediate(); // lets requests in between
      }
    }
    return HEARTBEAT_MS;
  }

  const loop = createLoop({
    name: 'event streams',
    step: advance,
    retry: { firstMs: RETRY_AFTER_FAULT_MS, longestMs: HEARTBEAT_MS },
    logger,
    clock: createRealClock(),
  });
  loop.start();
  const listener = database.listen(EVENTS_CHANNEL, () => loop.kick());

  function open(after: bigint, reader: string, render: RenderEvents): ReadableStream<Uint8Array> {
    if ([...streams].filter((other) => other.reader === reader).length >= MAX_STREAMS_PER_READER) {
      throw new TooManyStreamsError(MAX_STREAMS_PER_READER);
    }
    const stream: Stream = { reader, isAllowed: true, wake: () => {} };
    let position = after;
    let greeted = false;
    streams.add(stream);
    if (tail.after(after) === null) {
      loop.kick();
    }

    /** @returns null when the stream is over */
    async function next(): Promise<Uint8Array | null> {
      if (!greeted) {
        greeted = true;
        return encoder.encode(`retry: ${RETRY_MS}\n\n`);
      }
      const { promise: woken, resolve } = Promise.withResolvers<void>();
      stream.wake = resolve; // before reading, so that nothing is missed
      const found = await read();
      if (found === null || found.length > 0) {
        return found;
      }
      await woken;
      const late = await read();
      return late?.length === 0 ? HEARTBEAT : late;
    }

    async function read(): Promise<Uint8Array | null> {
      if (ended || !streams.has(stream) || !stream.isAllowed) {
        return null;
      }
      const batch = tail.after(position) ?? (await readBehind());
      if (batch === null) {
        return null;
      }
      if (batch.length === 0) {
        return NOTHING;
      }
      position = batch.at(-1)?.sequence ?? position;
      const text = await render(batch);
      return text.length === 0 ? read() : typeof text === 'string' ? encoder.encode(text) : text;
    }

    /** For a reader that is behind the others. */
    async function readBehind(): Promise<readonly StreamEvent[] | null> {
      const batch = await events.listAfter(position, BATCH);
      return batch.length === 0 || (await findWorkingReaders([reader])).has(reader) ? batch : null;
    }

    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const chunk = await next().catch((err: unknown) => {
            logger.warn({ err }, 'an event stream ends because events cannot be read');
            return null;
          });
          if (!streams.has(stream)) {
            return; // cancelled
          }
          if (chunk === null) {
            streams.delete(stream);
            controller.close();
            return;
          }
          controller.enqueue(chunk);
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
    for (const stream of streams) {
      stream.wake();
    }
  }

  return {
    open,
    count: () => streams.size,
    end,
    async [Symbol.asyncDispose]() {
      end();
      await listener[Symbol.asyncDispose]();
      await loop[Symbol.asyncDispose]();
    },
  };
}
