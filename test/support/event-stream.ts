import { vi } from 'vitest';
import { IncidentEvent } from '../../src/contract/events.ts';
import { HANG_MS } from './hang.ts';

/** Reads an open `GET /events`. */
export interface EventStream extends AsyncDisposable {
  readonly status: number;
  readonly events: readonly IncidentEvent[];
  /** The `id:` of each event. */
  readonly positions: readonly string[];
  /** The `event:` of each event, which equals the type in its data. */
  readonly types: readonly string[];
  readonly isEnded: boolean;
  /** Waits until `count` events have arrived in total. */
  take(count: number): Promise<readonly IncidentEvent[]>;
  waitForEnd(): Promise<void>;
}

export async function openEventStream(
  baseUrl: string,
  key: string,
  options: { readonly lastEventId?: string; readonly query?: string } = {},
): Promise<EventStream> {
  const leave = new AbortController();
  const response = await fetch(`${baseUrl}/v1/events${options.query ?? ''}`, {
    headers: {
      authorization: `Bearer ${key}`,
      ...(options.lastEventId === undefined ? {} : { 'last-event-id': options.lastEventId }),
    },
    signal: leave.signal,
  });
  const events: IncidentEvent[] = [];
  const positions: string[] = [];
  const types: string[] = [];
  let isEnded = false;

  async function read(): Promise<void> {
    let rest = '';
    for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const all = `${rest}${text}`.split('\n');
      rest = all.pop() ?? '';
      positions.push(...valuesOf('id', all));
      types.push(...valuesOf('event', all));
      events.push(...valuesOf('data', all).map((value) => IncidentEvent.parse(JSON.parse(value))));
    }
  }

  const reading = read()
    .catch(() => undefined) // the test closed the stream
    .finally(() => {
      isEnded = true;
    });
  return {
    status: response.status,
    events,
    positions,
    types,
    get isEnded() {
      return isEnded;
    },
    async take(count) {
      await vi.waitUntil(() => events.length >= count, { timeout: HANG_MS, interval: 5 });
      return events.slice(0, count);
    },
    waitForEnd: () => reading,
    async [Symbol.asyncDispose]() {
      leave.abort();
      await reading;
    },
  };
}

function valuesOf(field: string, lines: readonly string[]): string[] {
  return lines.filter((line) => line.startsWith(`${field}: `)).map((line) => line.slice(field.length + 2));
}
