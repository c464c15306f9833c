import { z } from 'zod';
import type { CreateIntegrationRequest, Integration } from '../contract/integrations.ts';
import { PAGE_LIMITS } from '../contract/requests.ts';
import type { Incident, IncidentStatus, IncidentSummary, Signal, SignalType } from '../contract/resources.ts';
import { type RouteName, routes } from '../contract/routes.ts';
import { SignInLink } from '../contract/sign-in.ts';
import { type AdditionsClient, offered } from './additions.ts';
import { ContractViolationError, ServiceResponseError } from './errors.ts';
import { readEvents, type ServiceEvent } from './event-stream.ts';
import {
  LiberalIncident,
  LiberalIncidentSummary,
  LiberalIntegration,
  LiberalMute,
  LiberalSignal,
  type Listed,
  listOf,
  parseJson,
  showsOurAdditions,
  showsUserIds,
} from './liberal.ts';
import { lengthOf, offersMore, type PageStart, walkPages } from './paging.ts';
import { createTransport, type TransportOptions } from './transport.ts';

export interface ListIncidentsRequest {
  readonly status?: IncidentStatus;
  readonly limit?: number;
  readonly offset?: number;
}

export interface IncidentPage {
  readonly incidents: readonly IncidentSummary[];
  /** Length of the whole list; null: not reported. */
  readonly total: number | null;
  /** The page size that the service used; null: not reported. */
  readonly limit: number | null;
  /** As reported, or derived from the page. */
  readonly hasMore: boolean;
}

/** The change fails with 412 if the incident has changed since; null or absent: it is unconditional. */
interface IfMatch {
  readonly ifMatch?: string | null;
}

/**
 * The API of an incident service. Every call has one of four results: the parsed response, `ServiceUnreachableError`,
 * `ServiceResponseError` or `ContractViolationError`. Ids are always strings and times RFC 3339 in UTC, whatever format
 * the service uses.
 */
export interface ServiceClient extends AdditionsClient, AsyncDisposable {
  listIncidents(request?: ListIncidentsRequest): Promise<IncidentPage>;
  /** Iterates over all pages. Yields each incident once, even if the list changes meanwhile. */
  incidents(request?: { readonly status?: IncidentStatus; readonly pageSize?: number }): AsyncIterable<IncidentSummary>;
  getIncident(id: string): Promise<Incident>;
  /** With its entity tag; null: the service has none. */
  getTaggedIncident(id: string): Promise<{ readonly incident: Incident; readonly etag: string | null }>;
  /** `userId` is only sent to a service known to accept it. @returns null: success, but the response has no incident */
  acknowledgeIncident(
    id: string,
    request: { readonly user: string; readonly userId?: string } & IfMatch,
  ): Promise<Incident | null>;
  /** `user`, `userId` and `isNoProblem` are only sent to a service known to accept them. @returns null: success, but the response has no incident */
  resolveIncident(
    id: string,
    request: {
      readonly resolutionNote: string;
      readonly user: string;
      readonly userId?: string;
      readonly isNoProblem?: boolean;
    } & IfMatch,
  ): Promise<Incident | null>;
  /** Lists all signals, up to about 10,000 if the service uses pages. Only ours filters them. */
  listIncidentSignals(id: string, filter?: SignalSearch): Promise<Signal[]>;
  /** Lists signals in the service's order, up to about 10,000 if the service uses pages. */
  listSignals(request?: SignalSearch & { readonly from?: Date; readonly to?: Date }): Promise<Signal[]>;
  getSignal(id: string): Promise<Signal>;
  listIntegrations(): Promise<Integration[]>;
  /** @returns null: success, but the response has no integration */
  createIntegration(request: CreateIntegrationRequest): Promise<Integration | null>;
  deleteIntegration(id: string): Promise<void>;
  /**
   * Follows changes from now on, or after `lastEventId`, until `signal` aborts. The API document does not include this
   * call; on a service without it, it fails like any call to an unknown address.
   */
  followEvents(options: {
    readonly lastEventId: string | null;
    readonly signal: AbortSignal;
  }): Promise<AsyncIterable<ServiceEvent>>;
}

interface SignalSearch {
  readonly service?: string;
  readonly type?: SignalType;
  /** Part of the summary or of the service's name. Only our service knows it. */
  readonly q?: string;
}

type Query = Readonly<Record<string, string | number | undefined>>;

interface Call {
  readonly id?: string;
  readonly query?: Query;
  readonly body?: unknown;
  readonly ifMatch?: string | undefined;
  readonly idempotencyKey?: string | undefined;
}

const IncidentList = listOf('incidents', LiberalIncidentSummary);
const SignalList = listOf('signals', LiberalSignal);
const IntegrationList = listOf('integrations', LiberalIntegration);
const MuteList = listOf('mutes', LiberalMute);

export interface ServiceClientOptions extends TransportOptions {
  /** Called when a list has unreadable items, which are left out. */
  readonly onUnreadable?: (fault: ContractViolationError) => void;
}

/** @throws TypeError when the base address or the key is invalid */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const transport = createTransport(options);
  let takesOurAdditions = false;
  let takesUserIds = false;

  /** @returns undefined: not JSON */
  function readJson(text: string): unknown {
    try {
      const answer = parseJson(text);
      takesOurAdditions ||= showsOurAdditions(answer);
      takesUserIds ||= showsUserIds(answer);
      return answer;
    } catch {
      return undefined;
    }
  }

  async function read<T>(name: RouteName, schema: z.ZodType<T>, call: Call = {}): Promise<T> {
    return (await readTagged(name, schema, call)).data;
  }

  async function readTagged<T>(name: RouteName, schema: z.ZodType<T>, { id, query = {} }: Call) {
    const { method, path } = routes[name];
    const target = fillPath(path, id) + queryText(query);
    const call = `${method} ${target}`;
    const { text, etag } = await transport.send({ method, path: target });
    const answer = readJson(text);
    if (answer === undefined) {
      throw new ContractViolationError(text.trim() === '' ? 'the response is empty' : 'the response is not JSON', call);
    }
    const parsed = schema.safeParse(answer);
    if (!parsed.success) {
      throw new ContractViolationError(transport.redact(z.prettifyError(parsed.error)), call);
    }
    return { data: parsed.data, etag };
  }

  async function readList<T>(name: RouteName, schema: z.ZodType<Listed<T>>, call: Call = {}): Promise<Listed<T>> {
    const list = await read(name, schema, call);
    const [fault] = list.unreadable;
    if (fault !== undefined) {
      const sentence = `left out ${list.unreadable.length} unreadable items; the first: ${fault}`;
      options.onUnreadable?.(new ContractViolationError(transport.redact(sentence), `GET ${routes[name].path}`));
    }
    return list;
  }

  /** The API document leaves the response of a write open, so anything but a web page is accepted. @returns null: unreadable */
  async function write<T>(
    name: RouteName,
    schema: z.ZodType<T>,
    { id, body, query = {}, ifMatch, idempotencyKey }: Call,
  ): Promise<T | null> {
    const { method, path } = routes[name];
    const target = fillPath(path, id) + queryText(query);
    const { text } = await transport.send({
      method,
      path: target,
      ifMatch,
      idempotencyKey,
      ...(body === undefined ? {} : { body }),
    });
    if (text.trimStart().startsWith('<')) {
      throw new ContractViolationError('the response is a web page, not JSON', `${method} ${target}`);
    }
    return schema.safeParse(readJson(text)).data ?? null;
  }

  function change(name: RouteName, id: string, body: unknown, ifMatch?: string | null): Promise<Incident | null> {
    return offered(write(name, LiberalIncident, { id, body, ifMatch: ifMatch ?? undefined }));
  }

  /** The API document has no paging here, so more pages are requested only if the service reports them. */
  async function listAll<T extends { id: string }>(
    name: RouteName,
    schema: z.ZodType<Listed<T>>,
    { id, query }: Call = {},
  ): Promise<T[]> {
    const pages = walkPages(`GET ${routes[name].path}`, async (start) => {
      const { offset } = start;
      const paging = offset === 0 ? {} : { limit: PAGE_LIMITS.maxLimit, ...startQuery(start) };
      const page = await readList(name, schema, {
        ...(id === undefined ? {} : { id }),
        query: { ...query, ...paging },
      });
      const mayGoOn = page.hasMore === true && offset + lengthOf(page) <= PAGE_LIMITS.maxOffset;
      return { ...page, hasMore: mayGoOn, nextCursor: mayGoOn ? page.nextCursor : null };
    });
    const items: T[] = [];
    for await (const item of pages) {
      items.push(item);
    }
    return items;
  }

  function readIncidentList(status: IncidentStatus | undefined, limit: number, start: PageStart) {
    return readList('listIncidents', IncidentList, { query: { status, limit, ...startQuery(start) } });
  }

  return {
    async listIncidents({ status, limit = PAGE_LIMITS.defaultLimit, offset = 0 } = {}) {
      const page = await readIncidentList(status, limit, { offset, cursor: null });
      const hasMore = offersMore(page, { limit, offset });
      return { incidents: page.items, total: page.total, limit: page.limit, hasMore };
    },
    incidents({ status, pageSize = PAGE_LIMITS.defaultLimit } = {}) {
      return walkPages('GET /incidents', (start) => readIncidentList(status, pageSize, start));
    },
    getIncident: (id) => read('getIncident', LiberalIncident, { id }),
    async getTaggedIncident(id) {
      const { data: incident, etag } = await readTagged('getIncident', LiberalIncident, { id });
      return { incident, etag };
    },
    acknowledgeIncident(id, { user, userId, ifMatch }) {
      const body = { user, ...(takesOurAdditions && { user_id: userId }) };
      return write('acknowledgeIncident', LiberalIncident, { id, body, ifMatch: ifMatch ?? undefined });
    },
    resolveIncident(id, { resolutionNote, user, userId, isNoProblem, ifMatch }) {
      const additions = { user, user_id: userId, ...(isNoProblem === true && { not_a_problem: true }) };
      const body = { resolution_note: resolutionNote, ...(takesOurAdditions ? additions : {}) };
      return write('resolveIncident', LiberalIncident, { id, body, ifMatch: ifMatch ?? undefined });
    },
    unacknowledgeIncident: (id, { ifMatch, ...request }) => change('unacknowledgeIncident', id, request, ifMatch),
    reopenIncident: (id, { ifMatch, ...request }) => change('reopenIncident', id, request, ifMatch),
    addNote: (id, request) => change('addNote', id, request),
    updateIncident: (id, { ifMatch, ...request }) => change('updateIncident', id, request, ifMatch),
    async declareIncident(request, idempotencyKey) {
      const incident = await offered(write('declareIncident', LiberalIncident, { body: request, idempotencyKey }));
      if (incident === null) {
        throw new ContractViolationError('the response is not an incident', 'POST /incidents');
      }
      return incident;
    },
    linkCard: (id, card) => change('linkCard', id, card),
    mergeIncident: (id, request) => change('mergeIncident', id, request),
    splitIncident: (id, request) => change('splitIncident', id, request),
    async listMutes() {
      return [...(await offered(readList('listMutes', MuteList))).items];
    },
    async createMute({ until, ...request }) {
      const mute = await offered(
        write('createMute', LiberalMute, { body: { ...request, until: until.toISOString() } }),
      );
      if (mute === null) {
        throw new ContractViolationError('the response is not a mute', 'POST /mutes');
      }
      return mute;
    },
    async deleteMute(id, { user, user_id }) {
      const query = { user, ...(takesUserIds && { user_id }) };
      await offered(write('deleteMute', z.unknown(), { id, query }));
    },
    listIncidentSignals: (id, { service, type, q } = {}) =>
      listAll('listIncidentSignals', SignalList, { id, query: { service, type, q } }),
    listSignals({ service, type, q, from, to } = {}) {
      const query = { service, type, q, from: from?.toISOString(), to: to?.toISOString() };
      return listAll('listSignals', SignalList, { query });
    },
    getSignal: (id) => read('getSignal', LiberalSignal, { id }),
    listIntegrations: () => listAll('listIntegrations', IntegrationList),
    createIntegration: (request) => write('createIntegration', LiberalIntegration, { body: request }),
    async deleteIntegration(id) {
      await write('deleteIntegration', z.unknown(), { id });
    },
    async createSignInLink(request) {
      const link = await offered(write('createSignInLink', SignInLink, { body: request }));
      if (link?.url === undefined) {
        throw new ContractViolationError('the response is not a link', 'POST /sign-in-links');
      }
      return { url: link.url, expiresAt: new Date(link.expires_at) };
    },
    async followEvents({ lastEventId, signal }) {
      const headers = lastEventId === null ? {} : { 'last-event-id': lastEventId };
      return readEvents(await transport.open('/events', headers, signal));
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}

/**
 * @throws {ServiceResponseError} 404 for an id that cannot be part of a path, because URLs drop empty segments and dots
 */
function fillPath(path: string, id: string | undefined): string {
  if (id !== undefined && /^\.{0,2}$/.test(id)) {
    const problem = { title: 'Not Found', status: 404, detail: `nothing has the id "${id}"` };
    throw new ServiceResponseError(404, problem, null, { call: path, effect: 'not-sent', retryable: false });
  }
  return path.replace('{id}', () => encodeURIComponent(id ?? ''));
}

/** Sends no offset with a cursor: Tocsin's service rejects the combination. */
function startQuery({ offset, cursor }: PageStart): Query {
  return cursor === null ? { offset } : { cursor };
}

function queryText(query: Query): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined) {
      parameters.set(key, String(value));
    }
  }
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
}
