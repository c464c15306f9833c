import type { Actor } from '../../contract/actor.ts';
import type { Mute } from '../../contract/mute.ts';
import {
  type Activity,
  type Change,
  type Correlation,
  type FailingCall,
  type Harm,
  type IncidentStatus,
  type Link,
  type RootChange,
  type Severity,
  SIGNAL_TYPES,
  type SignalCounts,
  type SignalType,
  type TimelineEntry,
} from '../../contract/resources.ts';
import { MAIN_SYSTEM } from '../../contract/system.ts';
import { createId } from './ids.ts';
import type { Taught } from './lesson.ts';

/** Maximum number of folded signals in one incident. Further ones stay without an incident. */
export const MAX_SIGNALS_PER_INCIDENT = 10_000;

export interface Incident {
  readonly id: string;
  /** Shown to people as `#142`. */
  readonly number: number;
  /** The system whose signals it has. */
  readonly system: string;
  /** Correlation knows it by this: the incidents of each system are counted apart. */
  readonly ordinal: number;
  readonly title: string;
  readonly severity: Severity;
  readonly rootService: string;
  readonly services: readonly string[];
  /** Counts signals, not occurrences. */
  readonly signalCounts: CountedSignals;
  readonly correlation: Correlation;
  readonly openedAt: Date;
  readonly updatedAt: Date;
  /** End of the last signal, as reported by the senders; null while one goes on or its sender reports no end. */
  readonly signalsEndedAt: Date | null;
  readonly acknowledgement: (Actor & { readonly at: Date }) | null;
  /** null while the incident is open. `isNoProblem`: it was closed as "not a problem"; absent: it was not. */
  readonly closing: {
    readonly note: string;
    readonly by: string | null;
    readonly byId?: Actor['byId'];
    readonly at: Date;
    readonly isNoProblem?: boolean;
  } | null;
  /** The previous incident of the same failure. */
  readonly previousIncidentId: string | null;
  /** Numbers of earlier incidents of the same failure, newest first, at most ten. */
  readonly similarNumbers: readonly number[];
  readonly activity: Activity;
  /** Since when `activity` is what it is. */
  readonly activeSince: Date;
  /** When its failure was last seen. */
  readonly lastSeenAt: Date;
  /** How often its failure came back while it was open, see `countRecurrence`. */
  readonly recurrences: number;
  /** Which calls fail, the most failures first. */
  readonly impact: readonly FailingCall[];
  /** Oldest first. */
  readonly rootChanges: readonly RootChange[];
  /** Id of the incident that it turned out to be part of. */
  readonly mergedInto: string | null;
  /** What people route it by, as `team:payments`, see `labelsOf`. */
  readonly labels: readonly string[];
  readonly links: readonly Link[];
  /** A trace that failed. */
  readonly traceId: string | null;
  /** Deployments before the failure, newest first. */
  readonly changes: readonly Change[];
  /** Integrations whose signals it has. */
  readonly integrations: readonly { readonly id: string; readonly name: string | null }[];
  /** The integration that all its signals come from; null: there is none. */
  readonly soleIntegration: string | null;
  /** Failures in the last minutes that had any, oldest first. */
  readonly failures: readonly MinuteOfFailures[];
  /** Who opened it by hand; null: signals did. */
  readonly declaredBy: string | null;
  readonly declaredById?: Actor['byId'];
  /** What people set. It is shown in place of what correlation finds. */
  readonly byHand: ByHand;
  /** What correlation finds, of the fields that are set by hand. */
  readonly found: Found;
  /** What closing it as "not a problem" teaches, and what setting another root does; empty: nothing. */
  readonly teachable: readonly Taught[];
  /** The mute that ends last of those that apply to it; it may have ended. */
  readonly mute: Mute | null;
}

/** A field that is absent is not set. */
export interface ByHand {
  readonly title?: string;
  readonly severity?: Severity;
  readonly rootService?: string;
  /** Who leads, and who informs others. */
  readonly lead?: string;
  readonly communications?: string;
}

export type Found = Pick<ByHand, 'title' | 'severity' | 'rootService'>;

export interface MinuteOfFailures {
  /** Start of the minute, in milliseconds since 1970. */
  readonly at: number;
  readonly count: number;
}

/** Something that happened to an incident. */
export interface TimelineMoment {
  readonly at: Date;
  readonly event: TimelineEntry['event'];
  /** Who did it; null: Tocsin did. */
  readonly by: string | null;
  readonly byId?: Actor['byId'];
  readonly text: string | null;
}

/** An incident with what happened to it, oldest first. */
export interface IncidentRecord extends Incident {
  readonly timeline: readonly TimelineMoment[];
}

export type ClosedIncident = Pick<Incident, 'id' | 'number' | 'title'> & {
  readonly closing: NonNullable<Incident['closing']>;
};

export function statusOf({ closing }: Pick<Incident, 'closing'>): IncidentStatus {
  return closing === null ? 'open' : 'closed';
}

/** Signals by type. */
export interface CountedSignals extends SignalCounts {
  /** How many of them people declared: the type of these is `metric`. Absent: none. */
  readonly declared?: number;
  /** How many of them are alerts of which nobody reports an end. Absent: none is known. */
  readonly unended?: number;
}

export function signalCountOf({ signalCounts }: Pick<Incident, 'signalCounts'>): number {
  return SIGNAL_TYPES.reduce((sum, type) => sum + signalCounts[type], 0);
}

/** Whether anything would see its failure go on, so that silence means that it does not. */
export function isMeasured(incident: Pick<Incident, 'signalCounts'>): boolean {
  const { declared = 0, unended = 0 } = incident.signalCounts;
  return signalCountOf(incident) > declared + unended;
}

/** @param types of the signals to count */
export function countByType(types: readonly SignalType[]): SignalCounts {
  const count = (type: SignalType) => types.filter((each) => each === type).length;
  return Object.fromEntries(SIGNAL_TYPES.map((type) => [type, count(type)])) as SignalCounts; // one entry per type
}

/** Oldest first. */
export function timelineOf({ timeline }: IncidentRecord): TimelineEntry[] {
  return timeline.map(({ at, event, by, byId = null, text }) => ({
    at: at.toISOString(),
    event,
    ...(by === null ? {} : { by }),
    ...(byId === null ? {} : { by_id: byId }),
    ...(text === null ? {} : { text }),
  }));
}

/** A new incident of the default system before its signals are known. Its number is its ordinal, until it is stored. */
export function newIncident(
  ordinal: number,
  rootService: string,
  previousIncidentId: string | null,
  at: Date,
): Incident {
  return {
    id: createId('inc', at),
    number: ordinal,
    system: MAIN_SYSTEM,
    ordinal,
    title: '',
    severity: 'error',
    rootService,
    services: [rootService],
    signalCounts: countByType([]),
    correlation: {
      method: '',
      confidence: 0,
      services: [],
      edges: [],
      window: { from: at.toISOString(), to: at.toISOString() },
      evidence: [],
    },
    openedAt: at,
    updatedAt: at,
    signalsEndedAt: null,
    acknowledgement: null,
    closing: null,
    previousIncidentId,
    similarNumbers: [],
    activity: 'failing',
    activeSince: at,
    lastSeenAt: at,
    recurrences: 0,
    impact: [],
    rootChanges: [],
    mergedInto: null,
    labels: [],
    links: [],
    traceId: null,
    changes: [],
    integrations: [],
    soleIntegration: null,
    failures: [],
    declaredBy: null,
    byHand: {},
    found: {},
    teachable: [],
    mute: null,
  };
}

/** What people lost. A rate of the moment is known only while it is open and fails. */
export function harmOf({
  closing,
  activity,
  correlation: { harm },
}: Pick<Incident, 'closing' | 'activity' | 'correlation'>): Harm | null {
  const isCurrent = closing === null && activity === 'failing';
  return harm === null || harm === undefined || isCurrent ? (harm ?? null) : { ...harm, per_minute: 0 };
}

/** Whether the failures of an incident are lost requests, each once. Otherwise they are its signals. */
export function isCountedInRequests({ correlation }: Pick<Incident, 'correlation'>): boolean {
  return (correlation.harm ?? null) !== null;
}
