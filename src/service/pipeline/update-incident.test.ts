import { expect, it } from 'vitest';
import { evidence, lostAt } from '../../../test/support/evidence.ts';
import { storedFacts } from '../../../test/support/stored-facts.ts';
import type { Evidence } from '../core/evidence.ts';
import { type Incident, newIncident } from '../core/incident.ts';
import { createEngineState } from '../engine/engine.ts';
import type { CorrelationEvent } from '../engine/grouping/correlation-state.ts';
import { createIncident, type Incident as EngineIncident } from '../engine/grouping/incident.ts';
import { joinIncident } from '../engine/grouping/incidents.ts';
import { hasChanged, holderOf, splitMoments, updateIncident } from './update-incident.ts';

const NOW = new Date('2026-01-30T10:00:00Z');
const stored = new Map([7, 8].map((number) => [number, newIncident(number, 'payments', null, NOW)]));
const numbered = (number: number) => ({ number }) as EngineIncident; // the only field that is read

function split(incident: number, from: number, isDecided: boolean): CorrelationEvent {
  return { type: 'split', at: 0, incident: numbered(incident), from: numbered(from), fingerprints: [], isDecided };
}

it('records an automatic split once on both sides, and no split that a person decided or that is not stored', () => {
  const moments = splitMoments(
    [split(8, 7, false), split(8, 7, false), split(7, 8, true), split(9, 7, false)],
    stored,
    NOW,
  );

  expect(moments).toEqual([
    { at: NOW, event: 'split', by: null, incidentId: stored.get(8)?.id, text: '#7' },
    { at: NOW, event: 'split', by: null, incidentId: stored.get(7)?.id, text: '#8' },
  ]);
});

it('never says that it recovered before it opened, though its failure was seen last before that', () => {
  const known = newIncident(9, 'payments', null, NOW);
  const over = createIncident(9, NOW.getTime() - 60_000, 'payments', null);
  Object.assign(over, { activity: 'recovered', activeSince: NOW.getTime() - 30_000 });
  const nothing = {
    facts: new Map(),
    events: [],
    stored,
    senders: new Map(),
    similar: new Map(),
    teachers: new Map(),
    calls: [],
    now: NOW,
  };

  const { activity, activeSince } = updateIncident(known, over, { state: createEngineState(), ...nothing });
  expect({ activity, activeSince }).toEqual({ activity: 'recovered', activeSince: known.openedAt });
});

it('sends subscribers no event while only the harm grows', () => {
  const before = newIncident(9, 'payments', null, NOW);
  const harm = { requests: 9, total: 20, failed: 9, since: NOW.toISOString(), per_minute: 9 };
  const after = { ...before, correlation: { ...before.correlation, harm } };

  expect(hasChanged(before, after)).toBe(false);
  expect(hasChanged(before, { ...after, title: 'payments fails' })).toBe(true);
});

it('takes a merge from the store if a person decided it, because it may have been taken back since', () => {
  const gone = { number: 7, mergedInto: 8 } as EngineIncident;
  const merged = (isDecided: boolean): CorrelationEvent[] => [
    { type: 'merged', at: 0, incident: gone, into: numbered(8), isDecided },
  ];
  const [first, into] = [stored.get(7), stored.get(8)];
  expect.assert(first && into);
  const stillMerged = new Map([
    [7, { ...first, mergedInto: into.id }],
    [8, into],
  ]);

  expect(holderOf(gone, merged(false), stored)).toBe(into);
  expect(holderOf(gone, merged(true), stillMerged)).toBe(into);
  expect(holderOf(gone, merged(true), stored)).toBeUndefined();
});

it('is no less than an error while requests are lost, whatever the alerts about it say', () => {
  const alert = evidence({ subject: 'slow' });

  expect(updateWith([alert]).severity).toBe('warning');
  expect(updateWith([alert, lostAt('payments')]).severity).toBe('error');
});

it('tells no more lost requests of the last minute than of the whole failure', () => {
  const counts = { requests: 26, total: 42, failed: 26, extraMs: 0, perMinute: 27, path: [] };
  const lost = { ...lostAt('payments'), lost: { kind: 'error', ...counts } } as const;

  expect(updateWith([lost]).correlation.harm).toMatchObject({ requests: 26, per_minute: 26 });
});

/** An incident at payments with this evidence, whose signals are all warnings. */
function updateWith(members: readonly Evidence[]): Incident {
  const incident = createIncident(9, NOW.getTime(), 'payments', null);
  const state = createEngineState();
  for (const member of members) {
    joinIncident(state.correlation.live, incident, member, NOW.getTime());
  }
  const facts = storedFacts(NOW, {
    signalCounts: { trace: 0, log: 0, metric: 1, declared: 0 },
    signalsByService: new Map([['payments', 1]]),
    severity: 'warning',
    occurrences: 1,
  });
  const known = newIncident(9, 'payments', null, NOW);
  const context = {
    facts: new Map([[known.id, facts]]),
    events: [],
    stored,
    senders: new Map(),
    similar: new Map(),
    calls: [],
    teachers: new Map(),
    now: NOW,
  };
  return updateIncident(known, incident, { state, ...context });
}
