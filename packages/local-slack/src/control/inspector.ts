import type { Ack } from '../delivery/delivery.ts';
import type { RecordedDelivery } from '../delivery/dispatcher.ts';
import type { RecordedCall } from '../methods/web-api.ts';
import { redactPayload } from './redact-payload.ts';

/** One call of the app, or one delivery to it. */
export interface InspectorEntry {
  /** Counts up from 1. */
  readonly id: number;
  readonly at: string;
  readonly direction: 'to_slack' | 'to_app';
  /** A method, `response_url`, a command, or the type of the delivered payload. */
  readonly name: string;
  /** Without secrets. `{ cut, characters, start }` when it was too long. */
  readonly payload: unknown;
  readonly answer: unknown;
  readonly latencyMs: number;
  /** For people: `ok`, an error code, `acked in 12 ms`, `not acked within 3 s`. */
  readonly verdict: string;
  readonly isFine: boolean;
}

export interface Inspector {
  noteCall(call: RecordedCall): void;
  noteDelivery(delivery: RecordedDelivery): void;
  /** The entries after this id, oldest first. All entries when the id is unknown. */
  since(id: number): { readonly entries: readonly InspectorEntry[]; readonly latest: number };
}

const MAX_ENTRIES = 500;

export function createInspector(): Inspector {
  let entries: readonly InspectorEntry[] = [];
  let latest = 0;

  function note(entry: Omit<InspectorEntry, 'id'>): void {
    latest += 1;
    entries = [...entries, { id: latest, ...entry }].slice(-MAX_ENTRIES);
  }

  return {
    noteCall({ method, args, answer, verdict, at, latencyMs }) {
      note({
        at: at.toISOString(),
        direction: 'to_slack',
        name: method,
        payload: redactPayload(args),
        answer: redactPayload(answer),
        latencyMs,
        verdict,
        isFine: verdict === 'ok',
      });
    },
    noteDelivery({ envelope, ack, at, latencyMs }) {
      const again = envelope.retry === undefined ? '' : ` (attempt ${envelope.retry.attempt + 1})`;
      note({
        at: at.toISOString(),
        direction: 'to_app',
        name: nameOf(envelope),
        payload: redactPayload(envelope.payload),
        answer: redactPayload(ack.kind === 'acked' ? ack.body : null),
        latencyMs,
        verdict: `${verdictOf(ack, latencyMs)}${again}`,
        isFine: ack.kind === 'acked',
      });
    },
    since(id) {
      const isKnown = id <= latest;
      return { entries: isKnown ? entries.filter((entry) => entry.id > id) : entries, latest };
    },
  };
}

function nameOf({ payload }: RecordedDelivery['envelope']): string {
  const { event, type, command } = payload as {
    readonly event?: { readonly type?: string; readonly subtype?: string };
    readonly type?: string;
    readonly command?: string;
  };
  return event?.subtype ?? event?.type ?? type ?? command ?? 'unknown';
}

function verdictOf(ack: Ack, latencyMs: number): string {
  switch (ack.kind) {
    case 'acked':
      return `acked in ${latencyMs} ms`;
    case 'timeout':
      return 'not acked within 3 s';
    case 'unreachable':
      return 'no connection to the app';
    case 'refused':
      return `the app answered ${ack.status}`;
  }
}
