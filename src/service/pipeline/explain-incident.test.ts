import { expect, it } from 'vitest';
import { feedEngine } from '../../../test/support/feed-engine.ts';
import { END, spansOf } from '../../../test/support/hosted-shop.ts';
import { createEngineState } from '../engine/engine.ts';
import type { StoredFacts } from '../store/incidents/incident-facts.ts';
import { explainIncident } from './explain-incident.ts';

it('calls an incident by the host that its services share', () => {
  const state = createEngineState();
  feedEngine(
    state,
    spansOf(({ host }) => (host === 'node-2' ? 'fails' : 'well')),
    END,
  );
  const [incident] = state.correlation.live.byNumber.values();

  const explained = incident === undefined ? null : explainIncident(incident, state, FACTS, null);

  expect(explained?.title).toBe('node-2: 5 services lose requests there only');
  expect(explained?.correlation.evidence[0]).toBe('cart, orders, prices and 2 more lose requests on host node-2 only');
});

const FACTS: StoredFacts = {
  signalCounts: { trace: 0, metric: 0, log: 0 },
  signalsByService: new Map(),
  severity: 'error',
  firstSeenAt: new Date(END),
  lastSeenAt: new Date(END),
  endedAt: null,
  rootSummary: null,
  occurrences: 0,
  occurrencesByService: new Map(),
  labels: [],
  links: [],
  traceId: null,
  integrations: [],
  soleIntegration: null,
  isOnlyDeclared: false,
  declaration: null,
};
