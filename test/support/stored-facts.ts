import type { StoredFacts } from '../../src/service/store/incidents/incident-facts.ts';

/** What the store tells of an incident without signals, at one time. */
export function storedFacts(at: Date, given: Partial<StoredFacts> = {}): StoredFacts {
  return {
    signalCounts: { trace: 0, metric: 0, log: 0 },
    signalsByService: new Map(),
    severity: 'error',
    firstSeenAt: at,
    lastSeenAt: at,
    endedAt: null,
    rootSummary: null,
    callerSummary: null,
    occurrences: 0,
    occurrencesByService: new Map(),
    labels: [],
    links: [],
    traceId: null,
    integrations: [],
    soleIntegration: null,
    isOnlyDeclared: false,
    declaration: null,
    ...given,
  };
}
