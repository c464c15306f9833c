import type { ObservedSignal, SignalBatch } from '../../core/signal.ts';
import type { MappedReading } from './mapped-event.ts';

/** What was open before the events came: fingerprints, with the word of the state that opened each. */
export type OpenFailures = ReadonlyMap<string, string | null>;

type Failing = Extract<MappedReading, { readonly kind: 'unknown' }>;

/** An event whose state nobody has explained yet. */
export interface AskedEvent extends Pick<Failing, 'signal' | 'word'> {
  /** Whether it is kept back until somebody does; else it counts as a failure already. */
  readonly isWaiting: boolean;
}

/** What becomes of the events of one request. */
export interface Settled {
  readonly batch: SignalBatch;
  /** What people did at the sender. */
  readonly done: readonly Extract<MappedReading, { readonly kind: 'acknowledged' | 'noted' }>[];
  readonly asked: readonly AskedEvent[];
  /** Ends of failures that are not open. */
  readonly endedNothing: number;
}

/**
 * An unknown word begins a failure that is not open, so that none is lost. For one that is open it may be the end, or
 * anything else: it waits for the answer, unless it is the word that began it. What somebody wrote there is kept at once.
 */
export function settle(readings: readonly MappedReading[], before: OpenFailures, now: Date): Settled {
  const open = new Map(before);
  const ended = new Set<string>();
  // Signals are stored before the ends of their request: what began again in it has not ended.
  const begin = (signal: ObservedSignal, word: string | null) => {
    settled.signals.push(signal);
    open.set(signal.fingerprint, word);
    ended.delete(signal.fingerprint);
  };
  const settled = {
    signals: [] as SignalBatch['signals'][number][],
    done: [] as Settled['done'][number][],
    asked: [] as AskedEvent[],
    endedNothing: 0,
  };
  for (const reading of readings) {
    switch (reading.kind) {
      case 'fails':
        begin(reading.signal, reading.word);
        break;
      case 'unknown': {
        const { signal, word, user, note } = reading;
        const isWaiting = open.has(signal.fingerprint) && open.get(signal.fingerprint) !== word;
        settled.asked.push({ signal, word, isWaiting });
        if (!isWaiting) {
          begin(signal, word);
        } else if (note !== null) {
          settled.done.push({ kind: 'noted', fingerprint: signal.fingerprint, user, note });
        }
        break;
      }
      case 'over':
        ended.add(reading.fingerprint);
        settled.endedNothing += open.delete(reading.fingerprint) ? 0 : 1;
        if (reading.note !== null) {
          const { fingerprint, user, note } = reading;
          settled.done.push({ kind: 'noted', fingerprint, user, note });
        }
        break;
      case 'acknowledged':
      case 'noted':
        settled.done.push(reading);
        break;
      case 'ignored':
      case 'unreadable':
        break;
      default:
        reading satisfies never;
    }
  }
  const { signals, ...others } = settled;
  const ends = [...ended].map((fingerprint) => ({ fingerprint, endedAt: now }));
  return { batch: { signals, ends }, ...others };
}

/** Fingerprints of which it matters whether they are open. */
export function doubtfulIn(readings: readonly MappedReading[]): string[] {
  return readings.flatMap((reading) => {
    if (reading.kind === 'unknown') {
      return [reading.signal.fingerprint];
    }
    return reading.kind === 'over' ? [reading.fingerprint] : [];
  });
}
