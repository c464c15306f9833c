import { z } from 'zod';
import type { CreateIntegrationRequest, Integration } from '../contract/integrations.ts';
import { Person, Schedule, Shift, Swap } from '../contract/on-call.ts';
import { PAGE_LIMITS } from '../contract/requests.ts';
import type { Incident, IncidentStatus, IncidentSummary, Signal, SignalType } from '../contract/resources.ts';
import type { RouteName } from '../contract/routes.ts';
import { SignInLink } from '../contract/sign-in.ts';
import { OnCallAnswer, Page, PageList, Policy, ReportedAttempt, Way } from '../contract/waking.ts';
import { type AdditionsClient, type Once, offered } from './additions.ts';
import { createCalls, startQuery } from './calls.ts';
import { ContractViolationError, ServiceResponseError } from './errors.ts';
import { readEvents, type ServiceEvent } from './event-stream.ts';
import {
  LiberalIncident,
  LiberalIncidentSummary,
  LiberalIntegration,
  LiberalMute,
  LiberalSignal,
  listOf,
} from './liberal.ts';
import { offersMore, type PageStart, walkPages } from './paging.ts';
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
    request: { readonly user: string; readonly userId?: string } & Once,
  ): Promise<Incident | null>;
  /** `user`, `userId` and `isNoProblem` are only sent to a service known to accept them. @returns null: success, but the response has no incident */
  resolveIncident(
    id: string,
    request: {
      readonly resolutionNote: string;
      readonly user: string;
      readonly userId?: string;
      readonly isNoProblem?: boolean;
    } & Once,
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

const IncidentList = listOf('incidents', LiberalIncidentSummary);
const SignalList = listOf('signals', LiberalSignal);
const IntegrationList = listOf('integrations', LiberalIntegration);
const MuteList = listOf('mutes', LiberalMute);
const ScheduleItems = listOf('schedules', Schedule);
const ShiftItems = listOf('shifts', Shift);
const SwapItems = listOf('swaps', Swap);
const PolicyItems = listOf('policies', Policy);
const PageItems = listOf('pages', Page);
const WayItems = listOf('ways', Way);
const PagingProblem = PageList.pick({ problem: true });

export interface ServiceClientOptions extends TransportOptions {
  /** Called when a list has unreadable items, which are left out. */
  readonly onUnreadable?: (fault: ContractViolationError) => void;
}

/** @throws TypeError when the base address or the key is invalid */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const transport = createTransport(options);
  const { read, readTagged, readList, listAll, write, change, takesOurAdditions, takesUserIds } = createCalls(
    transport,
    options.onUnreadable,
  );

  function addition<Request extends object>(
    name: RouteName,
    id: string,
    { ifMatch, idempotencyKey, ...body }: Request & Once,
  ): Promise<Incident | null> {
    return offered(change(name, LiberalIncident, { id, body, ifMatch: ifMatch ?? undefined, idempotencyKey }));
  }

  /** A list that only our service has. */
  async function listAddition<T>(...given: Parameters<typeof readList<T>>): Promise<T[]> {
    return [...(await offered(readList(...given))).items];
  }

  /** A write whose response is needed. */
  async function writeFor<T>(name: RouteName, schema: z.ZodType<T>, call: Parameters<typeof write>[2]): Promise<T> {
    const answer = await offered(write(name, schema, call));
    if (answer === null) {
      throw new ContractViolationError('the response does not say what became of it', name);
    }
    return answer;
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
    acknowledgeIncident(id, { user, userId, ifMatch, idempotencyKey }) {
      const body = { user, ...(takesOurAdditions() && { user_id: userId }) };
      return change('acknowledgeIncident', LiberalIncident, {
        id,
        body,
        ifMatch: ifMatch ?? undefined,
        idempotencyKey,
      });
    },
    resolveIncident(id, { resolutionNote, user, userId, isNoProblem, ifMatch, idempotencyKey }) {
      const additions = { user, user_id: userId, ...(isNoProblem === true && { not_a_problem: true }) };
      const body = { resolution_note: resolutionNote, ...(takesOurAdditions() ? additions : {}) };
      return change('resolveIncident', LiberalIncident, { id, body, ifMatch: ifMatch ?? undefined, idempotencyKey });
    },
    unacknowledgeIncident: (id, request) => addition('unacknowledgeIncident', id, request),
    reopenIncident: (id, request) => addition('reopenIncident', id, request),
    addNote: (id, request) => addition('addNote', id, request),
    updateIncident: (id, request) => addition('updateIncident', id, request),
    async declareIncident(request, idempotencyKey) {
      const incident = await offered(write('declareIncident', LiberalIncident, { body: request, idempotencyKey }));
      if (incident === null) {
        throw new ContractViolationError('the response is not an incident', 'POST /incidents');
      }
      return incident;
    },
    linkCard: (id, card) => addition('linkCard', id, card),
    mergeIncident: (id, request) => addition('mergeIncident', id, request),
    splitIncident: (id, request) => addition('splitIncident', id, request),
    async listMutes() {
      return listAddition('listMutes', MuteList);
    },
    async createMute({ until, idempotencyKey, ...request }) {
      const body = { ...request, until: until.toISOString() };
      const mute = await offered(write('createMute', LiberalMute, { body, idempotencyKey }));
      if (mute === null) {
        throw new ContractViolationError('the response is not a mute', 'POST /mutes');
      }
      return mute;
    },
    async deleteMute(id, { user, user_id }) {
      const query = { user, ...(takesUserIds() && { user_id }) };
      await offered(write('deleteMute', z.unknown(), { id, query }));
    },
    async handOverEvents(id, events, idempotencyKey) {
      await offered(write('handOverEvents', z.unknown(), { id, body: { events }, idempotencyKey }));
    },
    async listSchedules() {
      return listAddition('listSchedules', ScheduleItems);
    },
    async findPagingProblem() {
      return (await offered(read('listPages', PagingProblem, {}))).problem ?? null;
    },
    findPerson: (reference) =>
      offered(read('getPerson', Person, { id: reference })).catch((error: unknown) => {
        if (error instanceof ServiceResponseError && error.problem.code === 'person-not-found') {
          return null;
        }
        throw error;
      }),
    async savePerson(reference, body) {
      await offered(write('savePerson', z.unknown(), { id: reference, body }));
    },
    async createOverride(id, body, idempotencyKey) {
      await offered(write('createOverride', z.unknown(), { id, body, idempotencyKey }));
    },
    listShifts: (id, from, to) =>
      listAddition('listShifts', ShiftItems, { id, query: { from: from.toISOString(), to: to.toISOString() } }),
    async setSlackGroup(id, body) {
      await offered(write('setSlackGroup', z.unknown(), { id, body }));
    },
    createSwap: (id, body, idempotencyKey) => writeFor('createSwap', Swap, { id, body, idempotencyKey }),
    async findSwap(id, swapId) {
      return (await listAddition('listSwaps', SwapItems, { id })).find((swap) => swap.id === swapId) ?? null;
    },
    answerSwap: (id, body, idempotencyKey) => writeFor('answerSwap', Swap, { id, body, idempotencyKey }),
    readOnCall: (service) => offered(read('getOnCall', OnCallAnswer, { query: { service } })),
    listPolicies: () => listAddition('listPolicies', PolicyItems),
    async drillPolicy(id, idempotencyKey) {
      await offered(write('drillPolicy', z.unknown(), { id, idempotencyKey }));
    },
    listPages: () => listAddition('listPages', PageItems),
    listPagesOf: (id) => listAddition('listPagesOfIncident', PageItems, { id }),
    reportAttempt: (id, innerId, body, idempotencyKey) =>
      writeFor('reportAttempt', ReportedAttempt, { id, innerId, body, idempotencyKey }),
    listWays: (id) => listAddition('listWays', WayItems, { id }),
    async addWay(id, body, idempotencyKey) {
      await offered(write('addWay', z.unknown(), { id, body, idempotencyKey }));
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
