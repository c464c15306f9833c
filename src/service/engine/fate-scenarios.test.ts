import { describe, expect, it } from 'vitest';
import { feedEngine } from '../../../test/support/feed-engine.ts';
import { traceBuilder } from '../../../test/support/span-item.ts';
import type { SpanItem } from '../core/telemetry-item.ts';
import { createEngineState } from './engine.ts';
import type { Incident } from './grouping/incident.ts';
import { type FateSentences, fateSentences } from './ranking/fate-sentences.ts';
import { fromSnapshot, toSnapshot } from './snapshot.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const START = Date.parse('2026-01-01T00:00:00Z');
const FAULT = START + 10 * MINUTE;
const END = START + 13 * MINUTE;
/** Called by `web`, each in a request of its own. */
const SERVICES = ['cart', 'orders', 'prices', 'search', 'users'];
const HOSTS = ['node-1', 'node-2', 'node-3'];
const ZONES = { 'node-1': 'zone-a', 'node-2': 'zone-b', 'node-3': 'zone-b' } as const;

/** Where the run of a service was, and when. */
interface Run {
  readonly service: string;
  readonly host: string;
  readonly at: number;
  /** Of this service. */
  readonly index: number;
}
type What = 'well' | 'fails' | 'slow' | 'lost';

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

function onHost(lost: string, what: What) {
  return ({ host }: Run): What => (host === lost ? what : 'well');
}

/** Incidents of a shop with a fault, those left out that became part of another. */
function incidentsOf(fault: (run: Run) => What, hostsOf: (service: string) => readonly string[] = () => HOSTS) {
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

/** Two requests a second. Each service answers one of five, from its hosts in turn. */
function spansOf(fault: (run: Run) => What, hostsOf: (service: string) => readonly string[] = () => HOSTS): SpanItem[] {
  const spans: SpanItem[] = [];
  for (let at = START, index = 0; at < END - 10 * SECOND; at += 200, index += 1) {
    const service = SERVICES[index % SERVICES.length] ?? 'cart';
    const turn = Math.floor(index / SERVICES.length);
    const hosts = hostsOf(service);
    const host = hosts[(turn * 7 + Math.floor(turn / 5)) % Math.max(1, hosts.length)];
    const what = at < FAULT ? 'well' : fault({ service, host: host ?? '', at, index: turn });
    addRequest(spans, at, service, host, what);
  }
  return spans.toSorted((a, b) => a.at - b.at);
}

function addRequest(spans: SpanItem[], at: number, service: string, host: string | undefined, what: What): void {
  const add = traceBuilder(spans, at);
  const isFailed = what === 'fails' || what === 'lost';
  const durationMs = { well: 20, fails: 20, slow: 600, lost: 1_000 }[what];
  const ranAt =
    host === undefined
      ? {}
      : {
          instance: `${service} on ${host}`,
          attributes: { host, zone: ZONES[host as keyof typeof ZONES] ?? 'zone-a' },
        };
  const operation = `GET /${service}`;
  const entry = add(null, { service: 'web', operation, durationMs: durationMs + 4, isFailed, instance: 'web-1' });
  const call = add(entry, {
    service: 'web',
    role: 'client',
    operation,
    durationMs: durationMs + 2,
    isFailed,
    peer: service,
    instance: 'web-1',
  });
  if (what !== 'lost') {
    add(call, { service, operation, durationMs, isFailed, ...ranAt });
  }
}
