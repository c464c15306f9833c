const HEARTBEAT_MS = 15_000;
const COALESCE_MS = 20;

export interface Changes extends Disposable {
  /** A stream of server-sent events: one `changed` for every batch of changes. */
  open(): Response;
  announce(): void;
}

export function createChanges(): Changes {
  const encoder = new TextEncoder();
  const streams = new Set<ReadableStreamDefaultController<Uint8Array>>();
  let pending: NodeJS.Timeout | null = null;

  function write(text: string): void {
    for (const stream of streams) {
      try {
        stream.enqueue(encoder.encode(text));
      } catch {
        streams.delete(stream); // the reader has gone
      }
    }
  }

  const heartbeat = setInterval(() => write(': still here\n\n'), HEARTBEAT_MS).unref();

  return {
    open() {
      let own: ReadableStreamDefaultController<Uint8Array> | null = null;
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          own = controller;
          streams.add(controller);
          controller.enqueue(encoder.encode('retry: 1000\n\n'));
        },
        cancel() {
          if (own !== null) {
            streams.delete(own);
          }
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store' } });
    },
    announce() {
      pending ??= setTimeout(() => {
        pending = null;
        write('event: changed\ndata: {}\n\n');
      }, COALESCE_MS);
    },
    [Symbol.dispose]() {
      clearInterval(heartbeat);
      if (pending !== null) {
        clearTimeout(pending);
      }
      for (const stream of streams) {
        stream.close();
      }
      streams.clear();
    },
  };
}
