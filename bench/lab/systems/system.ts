import type { Family } from '../vocabulary/vocabulary.ts';

/** What stands at a place. All but services send no telemetry: they show only as peers of their callers. */
export type PlaceKind = 'service' | 'database' | 'cache' | 'vendor' | 'queue';

export interface Place {
  readonly id: number;
  readonly kind: PlaceKind;
  readonly name: string;
  /** One or more; requests are spread evenly. */
  readonly instances: readonly string[];
  readonly habit: Habit;
  readonly noise: Noise;
  /** Its telemetry's clock against true time. */
  readonly skewMs: number;
  /** After this time its spans reach Tocsin. */
  readonly lateMs: number;
}

/** How a service's SDK and its people report. */
export interface Habit {
  /** `none`: nothing tells that it served a request, but for logs or metrics. */
  readonly spans: 'none' | 'server' | 'all';
  /** Whether client spans name the service at the other end. */
  readonly namesPeers: boolean;
  /** Whether spans tell server from client. */
  readonly tellsKind: boolean;
  /** Internal child spans of each server span. */
  readonly steps: readonly string[];
  /** `http`: the status code alone; `none`: a failed span looks like any other. */
  readonly status: 'error' | 'http' | 'none';
  /** `untraced`: its lines hold no trace id. */
  readonly logs: 'none' | 'errors' | 'all' | 'untraced';
  readonly infoLine: string;
  readonly errorLine: string;
  /** Names of its metrics; empty: it sends none. */
  readonly metrics: readonly MetricHabit[];
}

export type MetricSource = 'cpu' | 'memory' | 'disk' | 'duration' | 'failures' | 'backlog' | 'random';

export interface MetricHabit {
  readonly source: MetricSource;
  readonly name: string;
  /** Standard deviation of what is added at random, as a share of the value. */
  readonly noise: number;
  /** What is added an hour, as a share of the value. */
  readonly driftPerHour: number;
}

/** What goes wrong all the time without a fault. */
export interface Noise {
  /** Share of its requests that fail by themselves. */
  readonly failedShare: number;
  /** How many fail in a row when one does, on average. */
  readonly burst: number;
  /** Share of requests that are refused for their content: 4xx. */
  readonly rejectedShare: number;
  readonly idleErrorsPerMinute: number;
  readonly idleError: string;
  /** Share of requests that a pause of the process delays, and for how long. */
  readonly pauseShare: number;
  readonly pauseMs: number;
}

export interface Operation {
  readonly id: number;
  readonly place: Place;
  readonly name: string;
  /** Own work of it, without its calls. */
  readonly medianMs: number;
  readonly sigma: number;
  /** In order; grown while the system is built. */
  readonly calls: Call[];
  /** Whether its calls are made all at once. */
  readonly isParallel: boolean;
}

export interface Call {
  readonly to: Operation;
  /** Share of requests that make it. */
  readonly share: number;
  /** The request works without it. */
  readonly isOptional: boolean;
  /** By a queue: nobody waits for the answer. `linked`: the consumer starts a trace of its own. */
  readonly queue: { readonly place: Place; readonly trace: 'same' | 'linked' } | null;
  /** Made only when the cache did not have it: index of the call in the same operation. */
  readonly onMissOf: number | null;
  readonly retries: number;
  readonly timeoutMs: number;
}

export interface Entry {
  readonly operation: Operation;
  readonly weight: number;
}

export interface Traffic {
  /** Requests a second, on average. */
  readonly perSecond: number;
  /** Relative size of the wave around that, 0 to 1, and its period. */
  readonly wave: number;
  readonly waveMs: number;
  /** Share of traces of which spans are sent. */
  readonly sampledShare: number;
  /** Share of spans that are lost on the way. */
  readonly lostShare: number;
  /** Share of batches of spans or lines that are lost, and that are sent twice. */
  readonly lostBatchShare: number;
  readonly repeatedBatchShare: number;
}

export interface System {
  readonly seed: string;
  readonly family: Family;
  readonly shape: string;
  readonly places: readonly Place[];
  readonly operations: readonly Operation[];
  readonly entries: readonly Entry[];
  readonly traffic: Traffic;
  readonly metricsEveryMs: number;
  /** One way from a machine to another. */
  readonly networkMs: number;
}
