import type { Activity } from '../../contract/resources.ts';

/** What is stored of an incident that correlation may have forgotten. Times in milliseconds since 1970. */
export interface KnownIncident {
  /** See `Incident.ordinal`. */
  readonly number: number;
  readonly root: string;
  readonly openedAt: number;
  readonly lastAt: number;
  readonly activity: Activity;
  readonly activeSince: number;
  /** What it lost so far. Absent: nothing, or not read. */
  readonly lost?: LostSoFar;
  /** Fingerprints of alerts whose senders have not said that they are over. Absent: not read. */
  readonly openAlerts?: readonly string[];
  /** Whether it has signals whose senders do not say when they are over. Absent: not read. */
  readonly hasTelemetry?: boolean;
}

/** Requests that an incident lost, or a place by an account. Times in milliseconds since 1970. */
export interface LostSoFar {
  /** Failed ones, and slow ones. */
  readonly requests: number;
  /** Of those that went through the places meanwhile. */
  readonly total: number;
  readonly failed: number;
  readonly since: number;
}
