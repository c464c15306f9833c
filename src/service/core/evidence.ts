import type { Comparison } from './comparison.ts';
import type { TaughtRequests } from './lesson.ts';
import type { AlertHistory, Family, Fate, Inhibition, Lost, Origin } from './telemetry-item.ts';

/** A judged observation: something at one service differs from normal, in the bad direction. */
export interface Evidence extends AlertHistory, Inhibition {
  /** Equal for observations of the same failure. */
  readonly fingerprint: string;
  readonly origin: Origin;
  /** Who reported it. Empty: nobody knows. */
  readonly sender: string;
  readonly service: string;
  /** The instance that a metric or an alert is about; null: all of them. */
  readonly instance: string | null;
  readonly family: Family;
  /** The service at the other end of a call, or null. */
  readonly peer: string | null;
  /** Operation, log template or metric name. */
  readonly subject: string;
  /** Where in its service an alert fires. Absent: the service says it, or it is no alert. */
  readonly place?: string;
  readonly at: number;
  /** When its sender saw an alert, which is taken `at` a time. Absent: at `at`. */
  readonly reportedAt?: number;
  /** Start of the slot in which it last happened. Absent: at `at`. */
  readonly seenAt?: number;
  /** How long it says something about, from `at`: until its metric is reported again. Absent: it is about `at`. */
  readonly lastsMs?: number;
  /** When it first happened in the present episode, in event time. Absent: nobody knows. */
  readonly since?: number;
  /** Other places that would be blamed, if its service did not explain them. Absent: none. */
  readonly explains?: readonly string[];
  /** Other services that it is also about. Absent: none. */
  readonly also?: readonly string[];
  /** What comes from its sender since requests stopped. Absent: other telemetry. */
  readonly meanwhile?: 'nothing' | 'requests behind it';
  /** What its service shares with others that lose requests. Absent: nothing is known. */
  readonly fate?: Fate;
  /** 0 to 1: how sure and how large the difference is; of accounts, from 1 on it is no chance. */
  readonly strength: number;
  /** 0 to 1: 1 never fires in quiet time. */
  readonly rarity: number;
  /** From 1 on it is no chance that it comes so often. Absent: it opens nothing by itself, or others have judged it. */
  readonly significance?: number;
  readonly traceId: string | null;
  /** The values of the reason: now and usual. Shares are 0 to 1, times milliseconds. */
  readonly now: number;
  readonly usual: number;
  /** Whether `now` of a metric is a share. Default: no. */
  readonly isShare?: boolean;
  /** How many observations `now` stands on. */
  readonly count: number;
  /** Whether its sender says that it is over; null: telemetry only stops coming. */
  readonly hasEnded: boolean | null;
  /** What requests lost at its service. Absent: it is not about requests. */
  readonly lost?: Lost;
  /** How these requests differ from good ones. Absent: it is not about harm that is beyond chance. */
  readonly comparison?: Comparison;
  /** What closing its incident as "not a problem" teaches. Absent: it is not about requests. */
  readonly teaches?: TaughtRequests;
  /** The lesson that it exceeds. Absent: there is none. */
  readonly beyond?: { readonly incident: number; readonly share: number };
  /** A line or a message as it was written, without anything masked. */
  readonly example?: string;
  /** Fingerprints of the stored signals that it stands on. Absent: of none, it is a finding of the engine. */
  readonly signals?: readonly string[];
}
