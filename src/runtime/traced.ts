import { AsyncLocalStorage } from 'node:async_hooks';

/** Tracer name of Tocsin's own spans, by which it recognizes them when they are sent to itself. */
export const OWN_SPANS = 'tocsin.own-work';

type Attributes = Readonly<Record<string, string | number>>;

/** A piece of work that becomes a span. */
export interface Work {
  readonly name: string;
  readonly kind: 'server' | 'client' | 'internal';
  /** `traceparent` of the caller, whose trace the span joins. Absent: joins the surrounding trace, or starts one. */
  readonly traceparent?: string | undefined;
  readonly attributes?: Attributes;
}

/** The span of a piece of work. */
export interface WorkSpan {
  /** null: nothing is traced. */
  readonly traceId: string | null;
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** Marks the work as failed. @param reason one of few values, without secrets */
  fail(reason: string): void;
}

/** Makes spans of work. */
export interface WorkTracer {
  /** @param parent the surrounding span that this tracer has begun; null: none */
  begin(work: Work, parent: StartedSpan | null, startedAt: Date): StartedSpan;
}

export interface StartedSpan extends WorkSpan {
  end(): void;
}

const UNTRACED: WorkSpan = { traceId: null, rename: () => {}, set: () => {}, fail: () => {} };

/** Work that is not traced, including everything inside it. */
const IGNORED: StartedSpan = { ...UNTRACED, end: () => {} };

interface Surrounding {
  span: StartedSpan;
}

const surrounding = new AsyncLocalStorage<Surrounding>();
let tracer: WorkTracer | null = null;

/** Traces the work of this process until the result is disposed of. Only one tracer is active at a time. */
export function traceWork(by: WorkTracer): Disposable {
  tracer = by;
  return {
    [Symbol.dispose]() {
      tracer = null;
    },
  };
}

/** Does the work and records it as a span. Without a tracer it only does the work. */
export async function traced<Result>(work: Work, run: (span: WorkSpan) => Promise<Result>): Promise<Result> {
  if (tracer === null) {
    return run(UNTRACED);
  }
  const outer = surrounding.getStore()?.span ?? null;
  const own: Surrounding = { span: outer === IGNORED ? IGNORED : tracer.begin(work, outer, new Date()) };
  const { span } = own;
  return surrounding.run(own, async () => {
    try {
      return await run(span);
    } catch (error) {
      span.fail(error instanceof Error ? error.name : 'error');
      throw error;
    } finally {
      own.span.end();
    }
  });
}

/** Records work that has just ended, for example in another thread. */
export function traceEnded(work: Work, durationMs: number): void {
  tracer?.begin(work, null, new Date(Date.now() - durationMs)).end();
}

/**
 * Leaves the surrounding work out if it receives Tocsin's own spans. Otherwise storing them would make new ones, for ever.
 *
 * @param body what is received, not compressed
 */
export function ignoreOwnSpans(body: Uint8Array): void {
  const around = surrounding.getStore();
  if (around !== undefined && Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes(OWN_SPANS)) {
    around.span = IGNORED;
  }
}
