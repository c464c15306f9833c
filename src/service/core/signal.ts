import type { Link, Severity, SignalType } from '../../contract/resources.ts';
import type { NamedAlert } from './alert-place.ts';
import type { PostedAlert } from './posted-alert.ts';
import type { TelemetryItem } from './telemetry-item.ts';

/** How often a failure was seen, and until when. */
export interface Sightings {
  /** 1 or more. */
  readonly occurrences: number;
  readonly lastSeenAt: Date;
  /** As reported by the sender; null while the failure goes on, or when the sender does not report its end. */
  readonly endedAt: Date | null;
}

/** A failure of one service on its way into the store. Normal telemetry never becomes a signal. */
export interface ObservedSignal extends Sightings {
  readonly type: SignalType;
  /** OpenTelemetry `service.name`; `unknown` when the sender gave none. */
  readonly service: string;
  /** One line of at most 200 characters. */
  readonly summary: string;
  readonly severity: Severity;
  /** When it was first seen. */
  readonly observedAt: Date;
  /** Equal for sightings of the same failure: they fold into one signal. */
  readonly fingerprint: string;
  /** 32 lower-case hex digits, or null. */
  readonly traceId: string | null;
  /** 16 lower-case hex digits, or null. */
  readonly spanId: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The sender: `{ format: 'otlp', … }`. */
  readonly source: Readonly<Record<string, unknown>>;
  readonly detail: SignalDetail;
  /** Pages that the sender named. */
  readonly links?: readonly Link[];
  /** Integration or key that sent it, see `senderOf`. Absent: nobody, correlation found it. */
  readonly sender?: string;
  /** The system of the sender. Absent: the default one. */
  readonly system?: string;
}

/** What only one kind of signal has. The API knows an alert as a `metric`. */
export type SignalDetail =
  | { readonly type: 'trace'; readonly durationMs: number; readonly status: string }
  | { readonly type: 'metric'; readonly value: number; readonly threshold: number; readonly unit: string }
  | { readonly type: 'log'; readonly body: string }
  /** Judged by another system. `reportsEnd`: the sender reports when the alert is over. `named`: what tells it apart. */
  | {
      readonly type: 'alert';
      readonly reportsEnd: boolean;
      readonly named?: NamedAlert;
      readonly place?: string | null;
    };

export interface StoredSignal extends ObservedSignal {
  readonly id: string;
  readonly receivedAt: Date;
  /** null while it belongs to no incident. */
  readonly incidentId: string | null;
}

/** A sender's report that a failure is over. */
export interface SignalEnd {
  /** The fingerprint of the signal that ended. */
  readonly fingerprint: string;
  readonly endedAt: Date;
}

/** What one request of a sender contains, once it is decoded and judged. */
export interface SignalBatch {
  readonly signals: readonly ObservedSignal[];
  readonly ends?: readonly SignalEnd[];
  /** Integration or key that sent it, see `senderOf`. Absent: its incidents are not limited. */
  readonly sender?: string;
  /** For correlation: also what works. Absent for alerts, which are judged already. */
  readonly telemetry?: readonly TelemetryItem[];
  /** What changes in the list of alerts that the sender posts; stored with the rest or not at all. Needs a sender. */
  readonly posted?: PostedAlertChange;
}

/** What became of a batch, once it is durable. */
export interface Accepted {
  /** Ends of failures that nobody has reported. */
  readonly endedNothing: number;
}

/** Changes of the alerts that fire for one sender. */
export interface PostedAlertChange {
  /** Alerts to add, or whose end to move. */
  readonly keep: readonly PostedAlert[];
  /** Fingerprints of alerts that are over. */
  readonly remove: readonly string[];
}
