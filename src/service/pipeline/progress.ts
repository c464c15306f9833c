/** The work that the correlating thread is doing. */
export interface Work {
  /** Partition of the log. */
  readonly partition: string;
  /** Entry of the log; 0: it restores a snapshot. */
  readonly sequence: bigint;
  /** Index of the report in the entry; null: the entry as a whole. */
  readonly report: number | null;
  /** Different for each piece of work. */
  readonly number: bigint;
}

/**
 * Memory that two threads share. The main thread reads from it what the other one works on, even while that one is busy
 * or out of memory, and tells it the time.
 */
export interface Progress {
  /** All that begins from now on is of this partition. @param partition at most 40 characters of ASCII */
  enter(partition: string): void;
  begin(sequence: bigint, report: number | null): void;
  end(): void;
  /** The partition that was entered last; empty: none was. */
  entered(): string;
  /** null: it works on nothing that could hang. */
  current(): Work | null;
  /** By how much the clock of the main thread is ahead of the machine's, in milliseconds. */
  skewMs(): number;
  setSkewMs(ms: number): void;
}

/** Places in the memory. */
const NUMBER = 0;
const SEQUENCE = 1;
const REPORT = 2;
const IS_BUSY = 3;
const SKEW = 4;
const PLACES = 5;
/** The name of the partition follows, and zeros. */
const NAME_BYTES = 40;

export function createSharedMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(PLACES * BigInt64Array.BYTES_PER_ELEMENT + NAME_BYTES);
}

export function createProgress(memory: SharedArrayBuffer): Progress {
  const places = new BigInt64Array(memory, 0, PLACES);
  const name = new Uint8Array(memory, PLACES * BigInt64Array.BYTES_PER_ELEMENT, NAME_BYTES);
  const entered = () => Buffer.from(name).toString('ascii').replaceAll('\0', '');
  return {
    enter(partition) {
      name.fill(0);
      name.set(Buffer.from(partition, 'ascii').subarray(0, NAME_BYTES));
    },
    begin(sequence, report) {
      Atomics.store(places, SEQUENCE, sequence);
      Atomics.store(places, REPORT, BigInt(report ?? -1));
      Atomics.add(places, NUMBER, 1n);
      Atomics.store(places, IS_BUSY, 1n);
    },
    end() {
      Atomics.store(places, IS_BUSY, 0n);
    },
    entered,
    current() {
      if (Atomics.load(places, IS_BUSY) === 0n) {
        return null;
      }
      const report = Number(Atomics.load(places, REPORT));
      return {
        partition: entered(),
        sequence: Atomics.load(places, SEQUENCE),
        report: report < 0 ? null : report,
        number: Atomics.load(places, NUMBER),
      };
    },
    skewMs: () => Number(Atomics.load(places, SKEW)),
    setSkewMs(ms) {
      Atomics.store(places, SKEW, BigInt(Math.round(ms)));
    },
  };
}
