import { describe, expect, it } from 'vitest';
import { feedEngine } from '../../../test/support/feed-engine.ts';
import {
  END,
  FAULT,
  HOSTS,
  type Outcome,
  type Run,
  HOSTED_SERVICES as SERVICES,
  spansOf,
} from '../../../test/support/hosted-shop.ts';
import { createEngineState } from './engine.ts';
import { fromSnapshot, toSnapshot } from './engine-state.ts';
import type { Incident } from './grouping/incident.ts';
import { type FateSentences, fateSentences } from './sentences/reasons.ts';

const SECOND = 1_000;

describe('a host on which the instances of five services fail', () => {
  it('is one incident, with the services that lose requests there', () => {
    const incidents = incidentsOf(onHost('node-2', 'fails'));

    expect(incidents.map(({ fate }) => fate)).toEqual([{ attribute: 'host', value: 'node-2', isSilent: false }]);
    expect(losersOf(incidents[0])).toEqual(SERVICES);
    expect(SERVICES).toContain(incidents[0]?.root);
    expect(wordsOf(incidents[0])).toEqual({
      headline: 'node-2: 5 services lose requests there only',
      reason: 'cart, orders, prices and 2 more lose requests on host node-2 only',
    });
  });

  it('is one incident if they are only slow there', () => {
    const incidents = incidentsOf(onHost('node-2', 'slow'));

    expect(incidents.map(({ fate }) => fate?.value)).toEqual(['node-2']);
    expect(losersOf(incidents[0])).toEqual(SERVICES);
  });

  it('is one incident if one of them runs nowhere else', () => {
    const incidents = incidentsOf(onHost('node-2', 'fails'), (service) => (service === 'users' ? ['node-2'] : HOSTS));

    expect(incidents.map(({ fate }) => fate?.value)).toEqual(['node-2']);
    expect(losersOf(incidents[0])).toEqual(SERVICES);
  });

  it('is one incident if no instance there answers any more', () => {
    const incidents = incidentsOf(onHost('node-2', 'lost'));

    expect(incidents.map(({ fate }) => fate)).toEqual([{ attribute: 'host', value: 'node-2', isSilent: true }]);
    expect(losersOf(incidents[0])).toEqual(SERVICES);
    expect(wordsOf(incidents[0])).toEqual({
      headline: 'node-2 does not answer: 5 services lose requests',
      reason: 'cart, orders, prices and 2 more no longer answer from host node-2, and lose requests since',
    });
  });

  it('is the same incident after a restart from a snapshot', () => {
    const spans = spansOf(onHost('node-2', 'fails'));
    const cut = spans.findIndex(({ at }) => at >= FAULT + 8 * SECOND);
    const state = createEngineState();
    feedEngine(state, spans.slice(0, cut));
    const restored = fromSnapshot<typeof state>(toSnapshot(state));

    for (const each of [state, restored]) {
      feedEngine(each, spans.slice(cut), END);
    }

    expect(toSnapshot(restored)).toBe(toSnapshot(state));
    expect([...restored.correlation.live.byNumber.values()].map(({ fate }) => fate?.value)).toEqual(['node-2']);
  });
});

describe('a zone with several hosts', () => {
  it('is one incident, which names the zone', () => {
    const incidents = incidentsOf(({ host }) => (host === 'node-1' ? 'well' : 'lost'));

    expect(incidents.map(({ fate }) => fate)).toEqual([{ attribute: 'zone', value: 'zone-b', isSilent: true }]);
  });
});

describe('two faults at once', () => {
  it('are two incidents if each service fails on all of its hosts', () => {
    const incidents = incidentsOf(({ service, index }) =>
      ['cart', 'orders'].includes(service) && index % 3 > 0 ? 'fails' : 'well',
    );

    expect(incidents.map(({ root }) => root).toSorted()).toEqual(['cart', 'orders']);
    expect(incidents.map(({ fate }) => fate)).toEqual([null, null]);
  });

  it('are two incidents if each service fails on another host', () => {
    const incidents = incidentsOf(({ service, host }) =>
      `${service} ${host}` === 'cart node-1' || `${service} ${host}` === 'orders node-2' ? 'fails' : 'well',
    );

    expect(incidents.map(({ root }) => root).toSorted()).toEqual(['cart', 'orders']);
  });

  it('are two incidents if each service has a host of its own', () => {
    const incidents = incidentsOf(
      ({ service }) => (['cart', 'orders'].includes(service) ? 'fails' : 'well'),
      (service) => [`host of ${service}`],
    );

    expect(incidents.map(({ root }) => root).toSorted()).toEqual(['cart', 'orders']);
  });

  it('are two incidents if everything runs on one host', () => {
    const incidents = incidentsOf(
      ({ service }) => (['cart', 'orders'].includes(service) ? 'fails' : 'well'),
      () => ['node-1'],
    );

    expect(incidents.map(({ root }) => root).toSorted()).toEqual(['cart', 'orders']);
  });

  it('are two incidents if nobody says where anything runs', () => {
    const incidents = incidentsOf(
      ({ service }) => (['cart', 'orders'].includes(service) ? 'fails' : 'well'),
      () => [],
    );

    expect(incidents.map(({ root }) => root).toSorted()).toEqual(['cart', 'orders']);
  });

  it('are two incidents if one is a host that fails and the other a service that fails everywhere', () => {
    const incidents = incidentsOf(({ service, host }) =>
      service === 'users' || (host === 'node-2' && service !== 'search') ? 'fails' : 'well',
    );

    expect(incidents.map(({ fate }) => fate?.value)).toEqual(expect.arrayContaining(['node-2', undefined]));
    expect(incidents.filter(({ fate }) => fate === null).map(({ root }) => root)).toEqual(['users']);
    expect(incidents).toHaveLength(2);
  });
});

function onHost(lost: string, what: Outcome) {
  return ({ host }: Run): Outcome => (host === lost ? what : 'well');
}

/** Incidents of a shop with a fault, those left out that became part of another. */
function incidentsOf(fault: (run: Run) => Outcome, hostsOf: (service: string) => readonly string[] = () => HOSTS) {
  const events = feedEngine(createEngineState(), spansOf(fault, hostsOf), END);
  const opened = events.filter(({ type }) => type === 'opened').map(({ incident }) => incident);
  return opened.filter(({ mergedInto }) => mergedInto === null);
}

function wordsOf(incident: Incident | undefined): FateSentences | null {
  return incident === undefined ? null : fateSentences(incident);
}

function losersOf(incident: Incident | undefined): string[] {
  const all = [...(incident?.members.values() ?? [])].map(({ evidence }) => evidence);
  const lost = all.filter(({ lost, significance = 0 }) => lost !== undefined && significance >= 1);
  return [...new Set(lost.map(({ service }) => service))].toSorted();
}
