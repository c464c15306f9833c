import type { Severity, SignalType } from '../../contract/resources.ts';

/**
 * A judged observation on its way into the store: something went wrong at one service. What is unremarkable never
 * becomes one.
 */
export interface ObservedSignal {
  readonly type: SignalType;
  /** OpenTelemetry `service.name`, `unknown` when the sender gave none. */
  readonly service: string;
  /** One line for people, at most 200 characters. */
  readonly summary: string;
  readonly severity: Severity;
  readonly observedAt: Date;
  /** Equal for observations of the same failure: those fold into one signal. */
  readonly fingerprint: string;
  /** How many equal observations this one stands for; 1 or more. */
  readonly occurrences: number;
  /** 32 lower-case hex digits, or null. */
  readonly traceId: string | null;
  /** 16 lower-case hex digits, or null. */
  readonly spanId: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Where it came from: `{ format: 'otlp', … }`. */
  readonly source: Readonly<Record<string, unknown>>;
  readonly detail: SignalDetail;
}

/** What only one type of signal has. */
export type SignalDetail =
  | { readonly type: 'trace'; readonly durationMs: number; readonly status: string }
  /** Of an alert that another system has judged, value and threshold are null: it does not tell them. */
  | { readonly type: 'metric'; readonly value: number | null; readonly threshold: number | null; readonly unit: string }
  | { readonly type: 'log'; readonly body: string };

/** A signal as stored. `observedAt` is when it was first seen. */
export interface StoredSignal extends ObservedSignal {
  readonly id: string;
  readonly receivedAt: Date;
  readonly lastSeenAt: Date;
  /** When it was over, as its sender says; null: it goes on, or its sender does not say. */
  readonly endedAt: Date | null;
  /** null while it belongs to no incident. */
  readonly incidentId: string | null;
}

/** Alerts are told to be over; telemetry only stops coming. */
export function saysWhenItEnds({ source }: Pick<StoredSignal, 'source'>): boolean {
  return source.format === 'alertmanager' || source.format === 'pagerduty_events';
}

/** A sender says that a failure is over. */
export interface SignalEnd {
  /** Of its signal. */
  readonly fingerprint: string;
  readonly endedAt: Date;
}

/** Calls seen from one service to another in some span of time. */
export interface ServiceCall {
  readonly from: string;
  readonly to: string;
  readonly calls: number;
  readonly errors: number;
}
