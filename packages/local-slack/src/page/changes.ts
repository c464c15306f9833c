const HEARTBEAT_MS = 15_000;
const COALESCE_MS = 20;

/** The workspace, or the panel of another program. */
export type ChangeKind = 'changed' | 'panel';

export interface Changes extends Disposable {
  /** Opens a stream of server-sent events, with one event per kind for a batch of changes. */
  open(): Response;
  announce(kind: ChangeKind): void;
}

export function createChanges(): Changes {
  const encoder = new TextEncoder();
  const streams = new Set<ReadableStreamDefaultController<Uint8Array>>();
  const pending = new Map<ChangeKind, NodeJS.Timeout>();

  function write(text: string): void {
    for (const stream of streams) {
      try {
        stream.enqueue(encoder.encode(text));
      } catch {
        streams.delete(stream); // the page was closed
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
    announce(kind) {
      if (pending.has(kind)) {
        return;
      }
      const timer = setTimeout(() => {
        pending.delete(kind);
        write(`event: ${kind}\ndata: {}\n\n`);
      }, COALESCE_MS);
      pending.set(kind, timer);
    },
    [Symbol.dispose]() {
      clearInterval(heartbeat);
      for (const timer of pending.values()) {
        clearTimeout(timer);
      }
      for (const stream of streams) {
        stream.close();
      }
      streams.clear();
    },
  };
}
