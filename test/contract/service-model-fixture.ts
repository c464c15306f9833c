import { expect } from 'vitest';
import { Integration, IntegrationList } from '../../src/contract/integrations.ts';
import { IncidentList, SignalList } from '../../src/contract/lists.ts';
import { Incident, type IncidentSummary } from '../../src/contract/resources.ts';
import type { Scope } from '../../src/contract/route.ts';
import { openApiKeyStore } from '../../src/service/store/keys/api-key-store.ts';
import type { TestService } from '../support/test-service.ts';
import { LIST_NAMES, type ListName, type Step } from './service-model-steps.ts';

interface ModelKey {
  readonly id: string;
  readonly rawKey: string;
  readonly scope: Scope;
  /** `ending`: a request to end it was sent and may not be done yet. */
  state: 'working' | 'ending' | 'ended';
}

/** The expected state of the service after each step. `perform` and `check` throw on a difference. */
export interface ServiceModel {
  /** Runs all steps concurrently. */
  perform(batch: readonly Step[]): Promise<void>;
  /** Call it only while no step runs. */
  check(): Promise<void>;
  /** At the last check. */
  incidentCount(): number;
}

export async function createServiceModel(tocsin: TestService): Promise<ServiceModel> {
  const keyStore = await openApiKeyStore(tocsin.database);
  const occurrences = new Map<string, number>();
  const acknowledgedBy = new Map<string, string>();
  const notes = new Map<string, string>();
  const keys: ModelKey[] = [];
  /** Ids in each list that only `deleted` removes. */
  const standing: Record<ListName, readonly string[]> = { incidents: [], signals: [], integrations: [] };
  /** Names of integrations by id. */
  const created = new Map<string, string>();
  const deleted = new Set<string>();
  /** Sent requests, whether they were done or not: `<id> <user>`, and ids. */
  const acknowledging = new Set<string>();
  const resolving = new Set<string>();

  async function read(path: string): Promise<unknown> {
    const response = await tocsin.call('GET', path);
    expect(response.status).toBe(200);
    return await response.json();
  }

  async function change(incidentId: string, verb: 'acknowledge' | 'resolve', body: object) {
    const response = await tocsin.call('POST', `/incidents/${incidentId}/${verb}`, { body });
    expect([200, 409]).toContain(response.status);
    return response.status === 200 ? Incident.parse(await response.json()) : null;
  }

  async function fail(services: readonly string[], name: string, times: number): Promise<void> {
    await tocsin.failIn(services, { name, times });
    for (const service of services) {
      occurrences.set(service, (occurrences.get(service) ?? 0) + times);
    }
  }

  async function acknowledge(id: string, user: string): Promise<void> {
    const wasClosed = notes.has(id);
    acknowledging.add(`${id} ${user}`);
    const incident = await change(id, 'acknowledge', { user });
    if (incident === null) {
      expect(resolving).toContain(id);
      return;
    }
    const by = incident.acknowledged_by ?? '';
    expect(wasClosed).toBe(false);
    expect(acknowledging).toContain(`${id} ${by}`);
    expect(by).toBe(acknowledgedBy.get(id) ?? by);
    acknowledgedBy.set(id, by);
  }

  async function resolve(id: string, note: string): Promise<() => void> {
    resolving.add(id);
    const incident = await change(id, 'resolve', { resolution_note: note });
    if (incident === null) {
      return () => expect(notes.get(id)).not.toBe(note);
    }
    expect(incident).toMatchObject({ status: 'closed', resolution_note: note });
    expect(note).toBe(notes.get(id) ?? note);
    notes.set(id, note);
    return () => undefined;
  }

  /** Reads the ids of a list page by page. */
  async function walk(list: ListName, limit: number): Promise<string[]> {
    const ids: string[] = [];
    let query: string | null = `?limit=${limit}`;
    while (query !== null) {
      const page = parsePage(list, await read(`/${list}${query}`));
      ids.push(...page.ids);
      query = page.next === null ? null : `?limit=${limit}&cursor=${page.next}`;
    }
    return ids;
  }

  async function walkWhileChanging(list: ListName, limit: number): Promise<void> {
    const before = standing[list];
    const ids = await walk(list, limit);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(expect.arrayContaining(before.filter((id) => !deleted.has(id))));
  }

  /** The name is the natural key, so at most one exists. */
  async function createIntegration(name: string): Promise<() => void> {
    const response = await tocsin.call('POST', '/integrations', { body: { type: 'otlp', name } });
    const { id } = Integration.parse(await response.json());
    if (response.status === 200) {
      return () => expect(created.get(id)).toBe(name);
    }
    expect(response.status).toBe(201);
    const others = [...created].filter(([, other]) => other === name).map(([other]) => other);
    expect([...deleted]).toEqual(expect.arrayContaining(others));
    created.set(id, name);
    return () => undefined;
  }

  async function deleteIntegration(id: string): Promise<void> {
    deleted.add(id);
    const { status } = await tocsin.call('DELETE', `/integrations/${id}`);
    expect([204, 404]).toContain(status);
  }

  async function addKey(scope: Scope): Promise<void> {
    const { key, rawKey } = await keyStore.create('model', scope, new Date(), 'a test');
    keys.push({ id: key.id, rawKey, scope, state: 'working' });
  }

  async function endKey(key: ModelKey, how: 'revoke key' | 'rotate key'): Promise<void> {
    key.state = key.state === 'working' ? 'ending' : key.state;
    if (how === 'revoke key') {
      expect(await keyStore.revoke(key.id, new Date(), 'a test')).toBe(true);
    } else {
      const rotation = await keyStore.rotate(key.id, 0, new Date(), 'a test');
      if (rotation !== null) {
        keys.push({ id: rotation.key.id, rawKey: rotation.rawKey, scope: key.scope, state: 'working' });
      }
    }
    key.state = 'ended';
    await useKey(key);
  }

  async function useKey(key: ModelKey): Promise<void> {
    const { state } = key;
    const reading = await tocsin.call('GET', '/integrations?limit=1', { key: key.rawKey });
    if (state === key.state && state !== 'ending') {
      expect(reading.status).toBe(state === 'ended' ? 401 : 200);
    }
    const writing = await tocsin.call('DELETE', '/integrations/none', { key: key.rawKey });
    const permitted = key.scope === 'read-only' ? 403 : 404;
    expect(reading.status === 401 ? [401] : [permitted, 401]).toContain(writing.status);
  }

  /** @returns a check that runs once all steps have ended */
  async function take(step: Step): Promise<(() => void) | null> {
    switch (step.does) {
      case 'fail':
        await fail([step.service], step.name, step.times);
        return null;
      case 'wait':
        tocsin.advance(step.ms);
        await fail(['clock'], 'GET /', 1); // a write makes the service correlate waiting signals
        return null;
      case 'walk':
        await walkWhileChanging(step.list, step.limit);
        return null;
      case 'create integration':
        return await createIntegration(step.name);
      case 'create key':
        await addKey(step.scope);
        return null;
      case 'delete integration':
        await withOne(standing.integrations, step.pick, deleteIntegration);
        return null;
      case 'acknowledge':
        await withOne(standing.incidents, step.pick, (id) => acknowledge(id, step.user));
        return null;
      case 'resolve':
        return await withOne(standing.incidents, step.pick, (id) => resolve(id, step.note));
      case 'use key':
        await withOne(keys, step.pick, useKey);
        return null;
      case 'revoke key':
      case 'rotate key': {
        const how = step.does;
        await withOne(keys, step.pick, (key) => endKey(key, how));
        return null;
      }
    }
  }

  async function checkIncidents(): Promise<void> {
    const { incidents, total } = IncidentList.parse(await read('/incidents?limit=200'));
    expect(incidents).toHaveLength(total ?? -1);
    expect(incidents.map(({ id }) => id)).toEqual(expect.arrayContaining([...standing.incidents]));
    for (const incident of incidents) {
      const { id, signal_count: count } = incident;
      expect(incident.acknowledged_by).toBe(acknowledgedBy.get(id) ?? null);
      expect(incident.status).toBe(notes.has(id) ? 'closed' : 'open');
      const members = SignalList.parse(await read(`/incidents/${id}/signals?limit=200`));
      expect([members.total, members.signals.length]).toEqual([count, count]);
      expect(new Set(members.signals.map(({ incident_id: of }) => of))).toEqual(new Set([id]));
    }
    const filters: readonly (readonly [string, (incident: IncidentSummary) => boolean])[] = [
      ['status=open', ({ status }) => status === 'open'],
      ['status=closed', ({ status }) => status === 'closed'],
      [
        'acknowledged=true&service=payments',
        ({ acknowledged_by: by, services }) => by !== null && services?.includes('payments') === true,
      ],
    ];
    for (const [query, fits] of filters) {
      const page = IncidentList.parse(await read(`/incidents?limit=200&${query}`));
      expect(page.incidents).toEqual(incidents.filter(fits));
      expect(page.total).toBe(page.incidents.length);
    }
  }

  async function checkSignals(): Promise<void> {
    const { signals, total } = SignalList.parse(await read('/signals?limit=200'));
    expect(signals).toHaveLength(total ?? -1);
    const sums = new Map<string, number>();
    for (const { service, occurrences: times = 0 } of signals) {
      sums.set(service, (sums.get(service) ?? 0) + times);
    }
    expect(sums).toEqual(occurrences);
    standing.signals = signals.filter(({ incident_id: of }) => of !== undefined).map(({ id }) => id);
  }

  async function checkPaging(list: ListName): Promise<void> {
    const { ids } = parsePage(list, await read(`/${list}?limit=200`));
    const byOffset: string[] = [];
    for (let offset = 0; offset < ids.length; offset += 2) {
      byOffset.push(...parsePage(list, await read(`/${list}?limit=2&offset=${offset}`)).ids);
    }
    expect([byOffset, await walk(list, 2)]).toEqual([ids, ids]);
    standing[list] = list === 'signals' ? standing.signals : ids;
  }

  return {
    incidentCount: () => standing.incidents.length,

    async perform(batch) {
      const later = await Promise.all(batch.map(take));
      for (const tell of later) {
        tell?.();
      }
    },

    async check() {
      await checkIncidents();
      await checkSignals();
      await Promise.all(LIST_NAMES.map(checkPaging));
      expect(new Set(standing.integrations)).toEqual(new Set([...created.keys()].filter((id) => !deleted.has(id))));
      await Promise.all(keys.map(useKey));
    },
  };
}

function parsePage(list: ListName, answer: unknown): { readonly ids: string[]; readonly next: string | null } {
  switch (list) {
    case 'incidents': {
      const page = IncidentList.parse(answer);
      return { ids: page.incidents.map(({ id }) => id), next: page.next_cursor ?? null };
    }
    case 'signals': {
      const page = SignalList.parse(answer);
      return { ids: page.signals.map(({ id }) => id), next: page.next_cursor ?? null };
    }
    case 'integrations': {
      const page = IntegrationList.parse(answer);
      return { ids: page.integrations.map(({ id }) => id), next: page.next_cursor ?? null };
    }
  }
}

/** @returns null when there is no choice */
async function withOne<T, Result>(
  all: readonly T[],
  pick: number,
  action: (one: T) => Promise<Result>,
): Promise<Result | null> {
  const one = all[pick % all.length];
  return one === undefined ? null : await action(one);
}
